// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mantissa::archive {

class Connection;

inline constexpr std::int64_t kApplicationId = 0x4D616E74;  // "Mant"
inline constexpr std::int64_t kSchemaNumber = 1;            // user_version of files that this version writes
inline constexpr std::int64_t kMinimumReader = 1;           // raised only by a change that older readers would misread

/// schema.sql with the columns of core/record filled in: what a new archive is made from.
std::string schema_sql();

/// Makes the schema in an empty file; leaves an archive as it is. Safe against other processes doing the same.
/// \throws Error ArchiveDamaged (not an archive), ArchiveNewer (names the schema it was written with).
void create_or_check_for_writing(Connection& connection);

/// \throws Error ArchiveDamaged, ArchiveNewer (the version a reader needs stands in the text).
void check_for_reading(Connection& connection);

}  // namespace mantissa::archive
