// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

// More of them say no more, and each costs a thread count or a training.
constexpr std::int64_t kMostRepeats = 100;

}  // namespace

void read_reference(const Setting* setting, Experiment& experiment) {
  const TableReader table(setting);
  Reference& reference = experiment.reference;
  table.integer("rounding_repeats", reference.rounding_repeats, 0, kMostRepeats);
  table.integer("repeats", reference.repeats, 0, kMostRepeats);
  table.boolean("float64", reference.float64);
  const Setting* const vary = table.find("vary");
  if (vary == nullptr) return;
  reference.vary = texts_value(*vary);
  if (reference.vary.empty()) refuse(*vary, "\"seed\", \"order\" or both");
  for (const Setting& word : vary->items) {
    if (word.text != "seed" && word.text != "order") refuse(word, "seed | order");
  }
  const bool seed = std::find(reference.vary.begin(), reference.vary.end(), "seed") != reference.vary.end();
  if (seed && reference.vary.size() > 1) {
    experiment.warnings.push_back("reference.vary: another seed changes the order, too; \"order\" adds nothing to it");
  }
}

}  // namespace mantissa::spec
