// SPDX-License-Identifier: Apache-2.0
#include "core/archive/memory_rows.h"

#include <cstddef>
#include <string_view>

namespace mantissa::archive {
namespace {

using record::MemoryCategory;

constexpr char kReplaceMemory[] =
    "INSERT OR REPLACE INTO trial_memory (trial, microbatch, accumulation, predicted_bytes, predicted_from, "
    "traced_step, traced_bytes, peak_bytes, missing) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr char kRemoveCategories[] = "DELETE FROM trial_memory_categories WHERE trial = ?1";
constexpr char kInsertCategory[] =
    "INSERT INTO trial_memory_categories (trial, category, predicted, measured) VALUES (?1, ?2, ?3, ?4)";

constexpr char kSelectMemory[] =
    "SELECT microbatch, accumulation, predicted_bytes, predicted_from, traced_step, traced_bytes, peak_bytes, missing "
    "FROM trial_memory WHERE trial = ?1";
constexpr char kSelectCategories[] =
    "SELECT category, predicted, measured FROM trial_memory_categories WHERE trial = ?1";
constexpr char kSelectPairs[] =
    "SELECT trials.id, experiments.name, trials.name, trials.autocast, trials.device, trial_memory.predicted_bytes, "
    "trial_memory.peak_bytes FROM trial_memory JOIN trials ON trials.id = trial_memory.trial JOIN experiments ON "
    "experiments.id = trials.experiment WHERE trial_memory.predicted_bytes IS NOT NULL AND trial_memory.peak_bytes > 0 "
    "ORDER BY trials.id";

std::optional<std::int64_t> bytes_of(const std::optional<record::MemoryPeak>& peak) {
  return peak ? std::optional<std::int64_t>(peak->bytes) : std::nullopt;
}

std::optional<std::int64_t> bytes_of(const std::optional<record::MemoryPeak>& peak, std::size_t category) {
  return peak ? std::optional<std::int64_t>(peak->by_category[category]) : std::nullopt;
}

void set(std::optional<record::MemoryPeak>& peak, std::size_t category, const std::optional<std::int64_t>& bytes) {
  if (peak && bytes) peak->by_category[category] = *bytes;
}

}  // namespace

void replace_memory(Connection& connection, std::int64_t trial, const record::MemoryComparison& memory) {
  Statement(connection, kRemoveCategories).bind(1, trial).run();
  Statement replace(connection, kReplaceMemory);
  if (memory.measured) {
    replace.bind(6, memory.measured_step);
  } else {
    replace.bind_null(6);
  }
  replace.bind(1, trial)
      .bind(2, memory.microbatch)
      .bind(3, memory.accumulation)
      .bind(4, bytes_of(memory.predicted))
      .bind(5, std::string_view(memory.predicted_from))
      .bind(7, bytes_of(memory.measured))
      .bind(8, memory.peak_bytes)
      .bind(9, std::string_view(memory.missing))
      .run();
  Statement insert(connection, kInsertCategory);
  for (std::size_t i = 0; i < record::kMemoryCategories; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    if (category == MemoryCategory::Inputs) continue;
    insert.bind(1, trial)
        .bind(2, record::to_text(category))
        .bind(3, bytes_of(memory.predicted, i))
        .bind(4, bytes_of(memory.measured, i))
        .run();
  }
}

std::optional<record::MemoryComparison> read_memory(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelectMemory);
  select.bind(1, trial);
  if (!select.step()) return std::nullopt;
  record::MemoryComparison memory;
  memory.microbatch = select.integer(0);
  memory.accumulation = select.integer(1);
  if (const auto bytes = select.optional_integer(2)) memory.predicted = record::MemoryPeak{*bytes, {}};
  memory.predicted_from = select.text(3);
  memory.measured_step = select.optional_integer(4).value_or(0);
  if (const auto bytes = select.optional_integer(5)) memory.measured = record::MemoryPeak{*bytes, {}};
  memory.peak_bytes = select.optional_integer(6);
  memory.missing = select.text(7);

  Statement categories(connection, kSelectCategories);
  categories.bind(1, trial);
  while (categories.step()) {
    const std::optional<MemoryCategory> category = record::memory_category_from_text(categories.text(0));
    if (!category) continue;  // of a later version
    const auto place = static_cast<std::size_t>(*category);
    set(memory.predicted, place, categories.optional_integer(1));
    set(memory.measured, place, categories.optional_integer(2));
  }
  return memory;
}

std::vector<record::MemoryPair> read_memory_pairs(Connection& connection) {
  std::vector<record::MemoryPair> pairs;
  if (!connection.has_table("trial_memory")) return pairs;
  Statement select(connection, kSelectPairs);
  while (select.step()) {
    pairs.push_back({select.integer(0), select.text(1), select.text(2), select.text(3), select.text(4),
                     select.integer(5), select.integer(6)});
  }
  return pairs;
}

}  // namespace mantissa::archive
