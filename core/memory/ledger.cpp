// SPDX-License-Identifier: Apache-2.0
#include "core/memory/ledger.h"

#include <limits>

#include "core/base/error.h"

namespace mantissa::memory {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void refuse(const std::string& field, std::int64_t found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, std::to_string(found), expected, ""});
}

void require_in_range(const std::string& field, std::int64_t found, std::int64_t least, std::int64_t most) {
  if (found >= least && found <= most) return;
  const std::string from = "at least " + std::to_string(least);
  refuse(field, found, most == kLargest ? from : from + " and at most " + std::to_string(most));
}

std::string within_64_bits(std::int64_t most) {
  return "at most " + std::to_string(most) + ", so that the total stays within 64 bits";
}

std::int64_t sum_of(const std::vector<Category>& categories) {
  std::int64_t sum = 0;
  for (const Category& category : categories) {
    require_in_range(category.name, category.bytes, 0, kLargest);
    if (category.bytes > kLargest - sum) refuse(category.name, category.bytes, within_64_bits(kLargest - sum));
    sum += category.bytes;
  }
  return sum;
}

std::int64_t quotient_rounded_up(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor == 0 ? 0 : 1);
}

/// Split so that no product leaves 64 bits.
std::int64_t reserve_within(std::int64_t capacity, std::int64_t parts) {
  return capacity / kWholeReserve * parts + quotient_rounded_up(capacity % kWholeReserve * parts, kWholeReserve);
}

std::int64_t usable_of(std::int64_t capacity, std::int64_t parts) { return capacity - reserve_within(capacity, parts); }

/// The least capacity whose usable part holds `total`: usable_of never falls as the capacity grows.
std::optional<std::int64_t> smallest_capacity(std::int64_t total, std::int64_t parts) {
  std::int64_t low = 1;
  std::int64_t high = kLargest;
  if (usable_of(high, parts) < total) return std::nullopt;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (usable_of(middle, parts) >= total) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The largest reserve beside `total`: usable_of never grows as the reserve grows.
std::optional<std::int64_t> largest_reserve(std::int64_t total, std::int64_t capacity) {
  if (total > capacity) return std::nullopt;
  std::int64_t low = 0;
  std::int64_t high = kWholeReserve - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (usable_of(capacity, middle) >= total) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

Limits limits_of(const Ledger& ledger) {
  const LedgerInput& input = ledger.input;
  Limits limits;
  // Differences of numbers that are not negative never leave 64 bits.
  const std::int64_t for_activations = ledger.usable_bytes - ledger.fixed_bytes;
  if (for_activations >= input.per_sample_bytes) limits.microbatch = for_activations / input.per_sample_bytes;
  if (for_activations >= input.microbatch) limits.per_sample_bytes = for_activations / input.microbatch;
  if (ledger.usable_bytes >= ledger.activations_bytes) {
    limits.fixed_bytes = ledger.usable_bytes - ledger.activations_bytes;
  }
  limits.reserve_parts = largest_reserve(ledger.total_bytes, input.capacity_bytes);
  limits.capacity_bytes = smallest_capacity(ledger.total_bytes, input.reserve_parts);
  return limits;
}

std::vector<BlockLine> blocks_of(const Ledger& ledger) {
  const std::int64_t count = ledger.input.blocks;
  const std::int64_t whole = ledger.activations_bytes / count;
  const std::int64_t rest = ledger.activations_bytes % count;  // below kMostBlocks, and so is each block's number
  std::vector<BlockLine> lines;
  lines.reserve(static_cast<std::size_t>(count));
  for (std::int64_t block = 1; block <= count; ++block) {
    BlockLine line;
    line.block = block;
    line.activations_bytes = whole * block + quotient_rounded_up(rest * block, count);
    line.total_bytes = ledger.fixed_bytes + line.activations_bytes;
    if (line.total_bytes > ledger.usable_bytes) line.exceeds_bytes = line.total_bytes - ledger.usable_bytes;
    lines.push_back(line);
  }
  return lines;
}

void require_device(std::int64_t capacity, std::int64_t parts) {
  require_in_range("device", capacity, 1, kLargest);
  require_in_range("reserve", parts, 0, kWholeReserve - 1);
}

/// Checked field by field, so that the refusal names the one to change.
void require_sound(const LedgerInput& input, std::int64_t fixed) {
  require_in_range("per-sample", input.per_sample_bytes, 1, kLargest);
  require_device(input.capacity_bytes, input.reserve_parts);
  require_in_range("microbatch", input.microbatch, 1, kLargest);
  require_in_range("accumulation", input.accumulation, 1, kLargest);
  require_in_range("blocks", input.blocks, 1, kMostBlocks);
  const std::int64_t room = kLargest - fixed;
  if (input.per_sample_bytes > room) refuse("per-sample", input.per_sample_bytes, within_64_bits(room));
  const std::int64_t most_samples = room / input.per_sample_bytes;
  if (input.microbatch > most_samples) refuse("microbatch", input.microbatch, within_64_bits(most_samples));
  const std::int64_t most_steps = kLargest / input.microbatch;
  if (input.accumulation > most_steps) {
    refuse("accumulation", input.accumulation,
           "at most " + std::to_string(most_steps) + ", so that the effective batch stays within 64 bits");
  }
}

}  // namespace

std::int64_t reserve_of(std::int64_t capacity_bytes, std::int64_t reserve_parts) {
  require_device(capacity_bytes, reserve_parts);
  return reserve_within(capacity_bytes, reserve_parts);
}

Ledger ledger_of(const LedgerInput& input) {
  Ledger ledger;
  ledger.input = input;
  ledger.fixed_bytes = sum_of(input.fixed);
  require_sound(input, ledger.fixed_bytes);
  ledger.activations_bytes = input.per_sample_bytes * input.microbatch;
  ledger.total_bytes = ledger.fixed_bytes + ledger.activations_bytes;
  ledger.reserve_bytes = reserve_of(input.capacity_bytes, input.reserve_parts);
  ledger.usable_bytes = input.capacity_bytes - ledger.reserve_bytes;
  ledger.headroom_bytes = ledger.usable_bytes - ledger.total_bytes;
  ledger.effective_batch = input.microbatch * input.accumulation;
  ledger.blocks = blocks_of(ledger);
  for (const BlockLine& line : ledger.blocks) {
    if (line.exceeds_bytes == 0) ledger.resident_blocks = line.block;
  }
  ledger.limits = limits_of(ledger);
  return ledger;
}

}  // namespace mantissa::memory
