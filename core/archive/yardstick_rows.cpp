// SPDX-License-Identifier: Apache-2.0
#include "core/archive/yardstick_rows.h"

#include <limits>
#include <string_view>

#include "core/archive/real_states.h"
#include "core/archive/sqlite.h"

namespace mantissa::archive {
namespace {

constexpr char kRemove[] = "DELETE FROM trial_yardsticks WHERE trial = ?1";
constexpr char kInsert[] =
    "INSERT INTO trial_yardsticks (trial, position, compared, measure, yardstick, value, size, states) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
constexpr char kSelect[] =
    "SELECT compared, measure, yardstick, value, size, states FROM trial_yardsticks WHERE trial = ?1 ORDER BY position";

}  // namespace

void replace_yardsticks(Connection& connection, std::int64_t trial,
                        const std::vector<record::YardstickReading>& readings) {
  Statement(connection, kRemove).bind(1, trial).run();
  Statement insert(connection, kInsert);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const record::YardstickReading& reading = readings[i];
    RealWriter reals;
    reals.bind(insert, 6, reading.value);
    reals.bind(insert, 7, reading.size);
    insert.bind(1, trial)
        .bind(2, static_cast<std::int64_t>(i))
        .bind(3, std::string_view(reading.of))
        .bind(4, std::string_view(reading.measure))
        .bind(5, std::string_view(reading.yardstick))
        .bind(8, reals.states())
        .run();
  }
}

std::vector<record::YardstickReading> read_yardsticks(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelect);
  select.bind(1, trial);
  std::vector<record::YardstickReading> readings;
  while (select.step()) {
    record::YardstickReading& reading = readings.emplace_back();
    RealReader reals(select.integer(5));
    reading.of = select.text(0);
    reading.measure = select.text(1);
    reading.yardstick = select.text(2);
    reading.value = reals.read(select, 3);
    reading.size = reals.read(select, 4).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return readings;
}

}  // namespace mantissa::archive
