// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ledger_page.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/report/json_documents.h"
#include "core/report/plain_words.h"
#include "core/report/table_writer.h"
#include "core/report/tables.h"

namespace mantissa::cli {
namespace {

using Json = nlohmann::ordered_json;
using report::bytes_words;
using report::count_words;
using report::Table;

/// A reserve has nine decimals at most: the quotient is the double nearest to it.
double share(std::int64_t parts) { return static_cast<double>(parts) / static_cast<double>(memory::kWholeReserve); }

std::string percent_words(std::int64_t parts) {
  constexpr double kOnePercent = static_cast<double>(memory::kWholeReserve) / 100.0;
  return to_text(static_cast<double>(parts) / kOnePercent) + " %";
}

std::string samples_words(std::int64_t count) { return count_words(count) + (count == 1 ? " sample" : " samples"); }

std::string state_words(const memory::BlockLine& line) {
  return line.exceeds_bytes == 0 ? "resident" : "exceeds by " + bytes_words(line.exceeds_bytes);
}

std::string sum_table(const memory::Ledger& ledger) {
  const memory::LedgerInput& input = ledger.input;
  Table table({{"what"}, {"size", Table::Align::Right}, {"bytes", Table::Align::Right}, {"made of"}});
  const auto add = [&table](const std::string& name, std::int64_t bytes, const std::string& made_of = {}) {
    table.add_row({name, bytes_words(bytes), count_words(bytes), made_of});
  };
  for (const memory::Category& category : input.fixed) add(category.name, category.bytes);
  if (input.fixed.size() > 1) add("all fixed", ledger.fixed_bytes);
  add("activations", ledger.activations_bytes,
      samples_words(input.microbatch) + " of " + bytes_words(input.per_sample_bytes));
  add("total", ledger.total_bytes);
  add("capacity", input.capacity_bytes);
  add("reserve", ledger.reserve_bytes, percent_words(input.reserve_parts) + " of the capacity");
  add("usable", ledger.usable_bytes);
  if (ledger.fits()) {
    add("headroom", ledger.headroom_bytes);
  } else {
    add("over by", -ledger.headroom_bytes);
  }
  return table.text();
}

std::string block_table(const memory::Ledger& ledger) {
  Table table({{"block", Table::Align::Right},
               {"activations so far", Table::Align::Right},
               {"with fixed", Table::Align::Right},
               {"state"}});
  for (const memory::BlockLine& line : ledger.blocks) {
    table.add_row({count_words(line.block), bytes_words(line.activations_bytes), bytes_words(line.total_bytes),
                   state_words(line)});
  }
  return table.text();
}

std::string limit_table(const memory::Limits& limits) {
  Table table({{"all else as it is"}, {"value", Table::Align::Right}, {"bytes", Table::Align::Right}});
  const auto add_size = [&table](const std::string& name, const std::optional<std::int64_t>& bytes) {
    table.add_row({name, bytes ? bytes_words(*bytes) : "none fits", bytes ? count_words(*bytes) : ""});
  };
  table.add_row({"largest microbatch", limits.microbatch ? count_words(*limits.microbatch) : "none fits"});
  add_size("largest activations of a sample", limits.per_sample_bytes);
  add_size("largest fixed state", limits.fixed_bytes);
  table.add_row({"largest reserve", limits.reserve_parts ? percent_words(*limits.reserve_parts) : "none fits"});
  add_size("smallest device", limits.capacity_bytes);
  return table.text();
}

void add_csv_row(report::TableWriter& out, std::string_view kind, const std::string& name,
                 const std::optional<std::int64_t>& value, std::string_view unit) {
  out.text(kind);
  out.text(name);
  out.integer(value);
  out.text(unit);
  out.missing();
  out.missing();
  out.missing();
  out.end_row();
}

Json or_null(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }

/// Without it a ledger promises too much.
std::string outside_sentence(const memory::LedgerInput& input) {
  const bool known = std::any_of(input.fixed.begin(), input.fixed.end(),
                                 [](const memory::Category& category) { return category.name == "outside"; });
  if (known) return {};
  return "What lies outside of the allocator (context, workspaces of libraries) is not known and not counted: give "
         "--outside, as the device's own tool shows it.\n";
}

}  // namespace

std::string ledger_sentence(const memory::Ledger& ledger) {
  const memory::LedgerInput& input = ledger.input;
  if (!ledger.fits_at_any_microbatch()) {
    const std::string start = "Does not fit at any microbatch, over by ";
    if (ledger.fixed_bytes > ledger.usable_bytes) {
      return start + bytes_words(ledger.fixed_bytes - ledger.usable_bytes) + ": the fixed state alone needs " +
             bytes_words(ledger.fixed_bytes) + " of " + bytes_words(ledger.usable_bytes) + " usable.";
    }
    const std::int64_t room = ledger.usable_bytes - ledger.fixed_bytes;
    return start + bytes_words(input.per_sample_bytes - room) + ": the fixed state leaves " + bytes_words(room) +
           ", one sample needs " + bytes_words(input.per_sample_bytes) + ".";
  }
  const std::string largest = " The largest microbatch that fits is " + count_words(*ledger.limits.microbatch) + ".";
  const std::string need = bytes_words(ledger.fixed_bytes) + " fixed and " + bytes_words(ledger.activations_bytes) +
                           " of activations (" + samples_words(input.microbatch) + ") need " +
                           bytes_words(ledger.total_bytes) + " of " + bytes_words(ledger.usable_bytes) + " usable, ";
  return ledger.fits() ? "Fits: " + need + bytes_words(ledger.headroom_bytes) + " stay free." + largest
                       : "Does not fit: " + need + "over by " + bytes_words(-ledger.headroom_bytes) + "." + largest;
}

std::string ledger_page(const memory::Ledger& ledger) {
  const memory::LedgerInput& input = ledger.input;
  const std::string batch = "Effective batch " + count_words(ledger.effective_batch) + ": microbatch " +
                            count_words(input.microbatch) + ", accumulated " + count_words(input.accumulation) +
                            (input.accumulation == 1 ? " time" : " times") + ".\n";
  const std::string blocks = "\nAfter each of " + count_words(input.blocks) + " equal blocks\n" + block_table(ledger);
  return "What one training step needs\n" + sum_table(ledger) + batch + blocks + "\nWhat just fits\n" +
         limit_table(ledger.limits) + '\n' + outside_sentence(input) + ledger_sentence(ledger) + '\n';
}

std::string ledger_csv(const memory::Ledger& ledger) {
  std::string text;
  report::TableWriter out(report::TableFormat::Csv,
                          {"kind", "name", "value", "unit", "with_fixed_bytes", "state", "exceeds_bytes"},
                          [&text](std::string_view bytes) { text += bytes; });
  for (const memory::Category& category : ledger.input.fixed) {
    add_csv_row(out, "category", category.name, category.bytes, "B");
  }
  add_csv_row(out, "category", "activations", ledger.activations_bytes, "B");
  for (const memory::BlockLine& line : ledger.blocks) {
    out.text("block");
    out.text(std::to_string(line.block));
    out.integer(line.activations_bytes);
    out.text("B");
    out.integer(line.total_bytes);
    out.text(line.exceeds_bytes == 0 ? "resident" : "exceeds");
    out.integer(line.exceeds_bytes);
    out.end_row();
  }
  const std::vector<std::pair<const char*, std::int64_t>> sizes = {
      {"fixed", ledger.fixed_bytes},     {"total", ledger.total_bytes},   {"capacity", ledger.input.capacity_bytes},
      {"reserve", ledger.reserve_bytes}, {"usable", ledger.usable_bytes}, {"headroom", ledger.headroom_bytes}};
  for (const auto& [name, bytes] : sizes) add_csv_row(out, "figure", name, bytes, "B");
  add_csv_row(out, "figure", "effective_batch", ledger.effective_batch, "samples");
  add_csv_row(out, "figure", "resident_blocks", ledger.resident_blocks, "blocks");
  const memory::Limits& limits = ledger.limits;
  add_csv_row(out, "largest", "microbatch", limits.microbatch, "samples");
  add_csv_row(out, "largest", "per_sample", limits.per_sample_bytes, "B");
  add_csv_row(out, "largest", "fixed", limits.fixed_bytes, "B");
  add_csv_row(out, "largest", "reserve", limits.reserve_parts, "1e-9");
  add_csv_row(out, "smallest", "capacity", limits.capacity_bytes, "B");
  out.finish();
  return text;
}

std::string ledger_document(const memory::Ledger& ledger) {
  const memory::LedgerInput& input = ledger.input;
  Json fixed = Json::array();
  for (const memory::Category& category : input.fixed) {
    fixed.push_back({{"name", category.name}, {"bytes", category.bytes}});
  }
  Json blocks = Json::array();
  for (const memory::BlockLine& line : ledger.blocks) {
    blocks.push_back({{"block", line.block},
                      {"activations_bytes", line.activations_bytes},
                      {"total_bytes", line.total_bytes},
                      {"state", line.exceeds_bytes == 0 ? "resident" : "exceeds"},
                      {"exceeds_bytes", line.exceeds_bytes}});
  }
  const memory::Limits& limits = ledger.limits;
  const Json reserve = limits.reserve_parts ? Json(share(*limits.reserve_parts)) : Json(nullptr);
  return report::document_text({{"fits", ledger.fits()},
                                {"fits_at_any_microbatch", ledger.fits_at_any_microbatch()},
                                {"input",
                                 {{"fixed", fixed},
                                  {"per_sample_bytes", input.per_sample_bytes},
                                  {"capacity_bytes", input.capacity_bytes},
                                  {"reserve", share(input.reserve_parts)},
                                  {"microbatch", input.microbatch},
                                  {"accumulation", input.accumulation},
                                  {"blocks", input.blocks}}},
                                {"fixed_bytes", ledger.fixed_bytes},
                                {"activations_bytes", ledger.activations_bytes},
                                {"total_bytes", ledger.total_bytes},
                                {"reserve_bytes", ledger.reserve_bytes},
                                {"usable_bytes", ledger.usable_bytes},
                                {"headroom_bytes", ledger.headroom_bytes},
                                {"effective_batch", ledger.effective_batch},
                                {"resident_blocks", ledger.resident_blocks},
                                {"blocks", blocks},
                                {"limits",
                                 {{"largest_microbatch", or_null(limits.microbatch)},
                                  {"largest_per_sample_bytes", or_null(limits.per_sample_bytes)},
                                  {"largest_fixed_bytes", or_null(limits.fixed_bytes)},
                                  {"largest_reserve", reserve},
                                  {"smallest_capacity_bytes", or_null(limits.capacity_bytes)}}},
                                {"sentence", ledger_sentence(ledger)}});
}

}  // namespace mantissa::cli
