// SPDX-License-Identifier: GPL-3.0-or-later
// What F1 tells of the Run page.
#include "ui/run/run_page.h"

namespace mantissa::ui::run {

shell::HelpTopic RunPage::help() const {
  return {
      id(),
      title(),
      tr("Runs an experiment: its reference in FP32 and its trials in reduced precision, from the same weights on the "
         "same batches. It shows them while they train, or as the archive has them."),
      {
          {tr("Arm"), tr("An arm is one training: the reference or one trial.")},
          {tr("Strip at the top"),
           tr("Whether everything is finite, whether steps are skipped, how far outputs deviate, whether the training "
              "learns, and how long it takes, each with the number behind it.")},
          {tr("Policies"), tr("Adds a trial to the experiment that begins with the settings of a known program.")},
          {tr("Pre-flight"),
           tr("What will run, how long, how much of the archive it takes, and which rules are fixed from then on. It "
              "makes a few steps for nothing to know that.")},
          {tr("x"), tr("What curves are drawn against. A skipped step counts as attempted, not as applied.")},
          {tr("Smoothing"),
           tr("An exponential mean without the bias of its beginning, or a running mean. What was measured stays "
              "visible behind it; the legend and the table tell measured values.")},
          {tr("Deviation"),
           tr("Trajectory: both runs as they went. Shadow: the same weights in both precisions, at the steps that "
              "shadow_every of the trial asks for.")},
          {tr("× yardstick"),
           tr("Deviation as a multiple of the run-to-run spread (trajectory) or of the rounding floor (shadow). The "
              "experiment has to ask for them: reference.repeats and reference.rounding_repeats.")},
          {tr("Counters"),
           tr("Iterations, attempted steps and applied updates of every arm, its skips with their cause, and its loss "
              "scale.")},
          {tr("Record of a step"),
           tr("What is known of one step of one arm: click on a mark, or press Return on a row of the counters.")},
          {tr("Queue"),
           tr("Runs that wait stand below the buttons. After a stop they are held until you start them or clear "
              "them.")},
          {tr("Stop"),
           tr("Keeps a checkpoint of the last complete step. A run that was stopped or interrupted can go on from its "
              "last checkpoint, as if it had never ended.")},
      },
      {QStringLiteral("run"), QStringLiteral("run_pause"), QStringLiteral("run_step"), QStringLiteral("run_stop"),
       QStringLiteral("run_stop_at_checkpoint"), QStringLiteral("run_resume"), QStringLiteral("run_look_ahead"),
       QStringLiteral("run_queue"), QStringLiteral("run_queue_files"), QStringLiteral("edit_experiment"),
       QStringLiteral("toggle_controls")}};
}

}  // namespace mantissa::ui::run
