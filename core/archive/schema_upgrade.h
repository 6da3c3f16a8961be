// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mantissa::archive {

class Connection;

/// Brings an archive of an earlier schema to this version's, in one transaction: what new tables and columns hold is
/// "not measured" for the rows that are there, and no row is changed. Nothing happens to an archive of this schema.
///
/// Safe against other processes doing the same, and beside an earlier Mantissa that is still writing: it names the
/// columns it knows, and the new ones do without a value.
void upgrade_schema(Connection& connection);

/// Makes one table of schema.sql where an archive of this schema was begun before the table; inside the caller's
/// transaction.
void add_table(Connection& connection, std::string_view name);

}  // namespace mantissa::archive
