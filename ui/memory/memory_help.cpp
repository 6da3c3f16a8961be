// SPDX-License-Identifier: GPL-3.0-or-later
// What F1 tells of the Memory page.
#include "ui/memory/memory_page.h"

namespace mantissa::ui::memory {

shell::HelpTopic MemoryPage::help() const {
  return {
      id(),
      title(),
      tr("What memory a training step needs, which microbatch fits a device with its reserve, and whether the time is "
         "long enough: before a device is rented."),
      {
          {tr("Ledger"),
           tr("The memory of a training step, by category: what is held whatever the microbatch, and the activations "
              "that grow with it.")},
          {tr("Sizes"),
           tr("A number and its unit: GB is 10^9 bytes, GiB is 2^30. Needs are rounded up to whole bytes, the device "
              "down. What is shown is in decimal units; tips, tables that are copied and files have every byte.")},
          {tr("Reserve"), tr("Part of the capacity that stays free: for fragments, and for what nobody has counted.")},
          {tr("Outside"), tr("What the process takes beside PyTorch's allocator. A ledger without it promises too "
                             "much, and says so. Beside traced steps a table's figure stands in for it, as on the "
                             "command line: not measured, with its sources in the field's tip.")},
          {tr("Autocast"),
           tr("It shrinks neither parameters nor gradients nor moments: it saves activations, and adds copies of "
              "parameters in its dtype.")},
          {tr("Cumulative, by block"),
           tr("What is held after the forward of each block. A block that exceeds what is usable is hatched.")},
          {tr("Plans"),
           tr("Every microbatch and accumulation that keep the effective batch. ★ fits and finishes soonest. Type a "
              "time of a step into a cell of s per update; ~ is worked out from the times that are known. Typed times "
              "stand in place of what was measured of that arm; an empty cell forgets one.")},
          {tr("Ledger, Compare"),
           tr("Type a name and keep what is typed under it, or what came of traced steps; choose a kept one to go on "
              "with it. Any number stand beside it, figure by figure; of a traced one the figures are kept, not the "
              "pictures.")},
          {tr("Largest that fits"),
           tr("The largest value of one field, all others as they are; of the capacity the smallest. Of traced steps "
              "the allocator is replayed for it.")},
          {tr("From"),
           tr("Typed values, or the experiment that is open: Solve traces a step of every arm on the CPU, at several "
              "microbatches and with the other activation checkpointing, too. Any other size is worked out from these "
              "at once; what PyTorch's allocator would reserve is simulated.")},
          {tr("Use this plan"),
           tr("Writes training.batch, accumulate and activation_checkpointing into the experiment's text, and nothing "
              "else. You see it in the editor, and save it.")},
          {tr("Arrow keys, wheel"), tr("Change the number of a field by one of its second digit, and leave the unit.")},
      },
      {QStringLiteral("memory_solve"), QStringLiteral("memory_use_plan"), QStringLiteral("memory_save_ledger"),
       QStringLiteral("memory_forget_ledger"), QStringLiteral("chart_table"), QStringLiteral("chart_csv"),
       QStringLiteral("toggle_controls")}};
}

}  // namespace mantissa::ui::memory
