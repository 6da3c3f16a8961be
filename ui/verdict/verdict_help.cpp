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
          {tr("Undecided"),
           tr("Evidence is missing; the reason names it. Where seeds are missing, edit the rules as a copy, give "
              "[training] another seed and run it, once for each; then Judge again by its own rules. Where the "
              "reference "
              "failed or is not finite, look at the reference first. Where the run was stopped, run it to its end.")},
          {tr("Post hoc"),
           tr("Judged afterwards by rules that were not fixed before the first step. It stands beside the verdict of "
              "the run, with both sets of rules, and never in its place. Judge by other rules makes one from a file "
              "that holds mantissa = 1 and [rules], as an experiment does; an experiment will do.")},
          {tr("Mature quality"),
           tr("What the trial is worth by outcomes that arrived after the verdict. Join outcomes takes a CSV file with "
              "the columns case and outcome, all of it or nothing. What stood at the verdict is shown over the "
              "same cases, so that the change is like for like; the verdict stays.")},
          {tr("Same weights, trained"),
           tr("Each case is compared twice: the reference's weights under the trial's policy, and the trial's own "
              "weights.")},
          {tr("Evidence"), tr("Return or a double click on a rule shows what it was judged by: its cases in the table "
                              "below, its steps on the Run page.")},
          {tr("⇄"), tr("A decision that is another one than the reference's. Change says which way: right→wrong, "
                       "wrong→right, or neutral, from one wrong decision to another.")},
          {tr("Margin"), tr("How far an output is from another decision; at 0 it is a tie.")},
          {tr("Deviation"),
           tr("Case-relative: the largest |output − reference's output| of a case, over the larger of two numbers: the "
              "largest |reference's output| of that case, and the RMS of the reference's outputs over the frozen set. "
              "A "
              "line is the limit of a rule, the tinted band what the deciding one allows. What is exactly 0, NaN or "
              "infinite has a bar of its own.")},
          {tr("Trivial models"), tr("What a constant guess and a linear model reach on the same cases. Where one is as "
                                    "good as the reference, "
                                    "or nearly, the quality says little of what precision does.")},
          {tr("Inputs"), tr("Frozen cases with an input that is not finite, or outside what the training part holds, "
                            "and columns with one value alone. They are shown, never judged.")},
          {tr("Slices"), tr("The same counts and qualities for the cases of each value of the slice column: what holds "
                            "on the whole may fail in a part.")},
          {tr("Decision utility"), tr("The gains and losses that [utility] declares for each pair of true class and "
                                      "decision, summed over the cases, of the reference and of the trial.")},
          {tr("Distribution of outputs"),
           tr("How often the values of an output occur: bars of the trial, lines of the reference. PSI, the population "
              "stability, is by custom stable below 0.1; KS is the largest distance of the two cumulative shares.")},
      },
      {QStringLiteral("verdict_judge_again"), QStringLiteral("verdict_judge_own"), QStringLiteral("verdict_save_rules"),
       QStringLiteral("verdict_join_outcomes"), QStringLiteral("verdict_edit_copy"), QStringLiteral("verdict_steps"),
       QStringLiteral("run_again")}};
}

}  // namespace mantissa::ui::verdict
