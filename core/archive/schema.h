// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa::archive {

class Connection;

inline constexpr std::int64_t kApplicationId = 0x4D616E74;  // "Mant"
/// user_version of files that this version writes. Every released change of schema.sql, or of the columns of
/// core/record, raises it: what an archive of a lower number lacks is then added to it (schema_upgrade.h). New columns
/// stand at the end of their list, because a row's `states` go by the order of its real columns.
inline constexpr std::int64_t kSchemaNumber = 6;
inline constexpr std::int64_t kMinimumReader = 1;  // raised only by a change that older readers would misread

/// schema.sql with the columns of core/record filled in: what a new archive is made from.
std::string schema_sql();

/// Makes the schema in an empty file; leaves an archive as it is (an earlier one: see upgrade_schema). Safe against
/// other processes doing the same. \throws Error ArchiveDamaged (not an archive), ArchiveNewer (names the schema it was
/// written with).
void create_or_check_for_writing(Connection& connection);

/// \throws Error ArchiveDamaged, ArchiveNewer (the version a reader needs stands in the text).
void check_for_reading(Connection& connection);

/// An archive of an earlier version that nobody has written to since lacks the tables that came later.
bool has_table(Connection& connection, std::string_view name);

}  // namespace mantissa::archive
