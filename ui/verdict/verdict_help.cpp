// SPDX-License-Identifier: GPL-3.0-or-later
// What F1 tells of the Verdict page.
#include "ui/verdict/verdict_page.h"

namespace mantissa::ui::verdict {

shell::HelpTopic VerdictPage::help() const {
  return {
      id(),
      title(),
      tr("Whether a trial holds by the rules that were fixed before its first step, and everything that this rests "
         "on."),
      {
          {tr("Verdict"),
           tr("✓ accepted, ✕ rejected or ? undecided: the worst rule decides. Its scope says where it was reached: the "
              "device and the cast policy of the run.")},
          {tr("Rules"), tr("Stored and hashed before the first step, and never edited afterwards. Edit the rules as a "
                           "copy begins another experiment with them.")},
          {tr("Post hoc"),
           tr("Judged afterwards by rules that were not fixed before the first step. It stands beside the verdict of "
              "the run, with both sets of rules, and never in its place. Judge by other rules makes one from a file "
              "that holds mantissa = 1 and [rules], as an experiment does; an experiment will do.")},
          {tr("Mature quality"),
           tr("What the trial is worth by outcomes that arrived after the verdict. Join outcomes takes a CSV file with "
              "the columns case and outcome, all of it or nothing.")},
          {tr("Same weights, trained"),
           tr("Each case is compared twice: the reference's weights under the trial's policy, and the trial's own "
              "weights.")},
          {tr("Evidence"), tr("Return or a double click on a rule shows what it was judged by: its cases in the table "
                              "below, its steps on the Run page.")},
          {tr("⇄"), tr("A decision that is another one than the reference's. Change says which way: right→wrong, "
                       "wrong→right, or neutral, from one wrong decision to another.")},
          {tr("Margin"), tr("How far an output is from another decision; at 0 it is a tie.")},
          {tr("Deviation"),
           tr("Case-relative: the largest difference of a case's outputs, over its largest output. The tinted band is "
              "what the rule allows. What is exactly 0, NaN or infinite has a bar of its own.")},
      },
      {QStringLiteral("verdict_judge_again"), QStringLiteral("verdict_join_outcomes"),
       QStringLiteral("verdict_edit_copy"), QStringLiteral("verdict_steps"), QStringLiteral("run_again")}};
}

}  // namespace mantissa::ui::verdict
