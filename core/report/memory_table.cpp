// SPDX-License-Identifier: Apache-2.0
#include "core/report/memory_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/report/plain_words.h"
#include "core/report/tables.h"

namespace mantissa::report {
namespace {

using record::MemoryCategory;
using record::MemoryComparison;

constexpr char kNone[] = "–";

std::optional<std::int64_t> bytes_of(const std::optional<record::MemoryPeak>& peak, MemoryCategory category) {
  if (!peak) return std::nullopt;
  return peak->by_category[static_cast<std::size_t>(category)];
}

std::string bytes_or_none(const std::optional<std::int64_t>& bytes) { return bytes ? bytes_words(*bytes) : kNone; }

/// Calls `use` with every category that is compared.
template <class Use>
void each_category(const Use& use) {
  for (std::size_t i = 0; i < record::kMemoryCategories; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    if (category != MemoryCategory::Inputs) use(category);
  }
}

std::string size_words(const MemoryComparison& memory) {
  return count_words(memory.accumulation) + " × " + count_words(memory.microbatch);
}

}  // namespace

std::string category_words(MemoryCategory category) {
  std::string words(record::to_text(category));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string error_words(const std::optional<double>& error) {
  if (!error) return kNone;
  if (*error == 0.0) return "0 %";
  return (*error > 0.0 ? "+" : "−") + number_words(100.0 * std::abs(*error)) + " %";
}

std::string memory_section(const std::optional<MemoryComparison>& memory) {
  const std::string title = "\nMemory of a step, predicted and measured\n";
  if (!memory) return title + "  not measured\n";
  Table table({{"live at the peak"},
               {"predicted", Table::Align::Right},
               {"measured", Table::Align::Right},
               {"error", Table::Align::Right}});
  each_category([&](MemoryCategory category) {
    table.add_row({category_words(category), bytes_or_none(bytes_of(memory->predicted, category)),
                   bytes_or_none(bytes_of(memory->measured, category)), error_words(memory->error(category))});
  });
  const auto predicted = memory->predicted ? std::optional<std::int64_t>(memory->predicted->bytes) : std::nullopt;
  table.add_row({"all", bytes_or_none(predicted), bytes_or_none(memory->peak_bytes), error_words(memory->error())});
  std::string text =
      title + table.text(2) + "  of a step of " + size_words(*memory) + " samples, the data itself left out\n";
  if (memory->predicted) text += "  predicted from steps traced at microbatches " + memory->predicted_from + '\n';
  if (memory->measured) {
    text +=
        "  measured: categories in step " + count_words(memory->measured_step) + ", all over the steps but the first\n";
  }
  if (!memory->missing.empty()) text += "  " + memory->missing + '\n';
  return text;
}

void export_memory(TableFormat format, const MemoryComparison& memory, const Sink& sink) {
  TableWriter out(format, {"category", "predicted", "measured", "error"}, sink);
  const auto add = [&out](std::string_view name, const std::optional<std::int64_t>& predicted,
                          const std::optional<std::int64_t>& measured, const std::optional<double>& error) {
    out.text(name);
    out.integer(predicted);
    out.integer(measured);
    out.number(error);
    out.end_row();
  };
  const auto predicted = memory.predicted ? std::optional<std::int64_t>(memory.predicted->bytes) : std::nullopt;
  add("peak", predicted, memory.peak_bytes, memory.error());
  each_category([&](MemoryCategory category) {
    add(record::to_text(category), bytes_of(memory.predicted, category), bytes_of(memory.measured, category),
        memory.error(category));
  });
  out.finish();
}

}  // namespace mantissa::report
