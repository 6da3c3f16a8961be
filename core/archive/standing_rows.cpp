// SPDX-License-Identifier: Apache-2.0
#include "core/archive/standing_rows.h"

#include <string>

#include "core/archive/process_identity.h"

namespace mantissa::archive {
namespace {

// Archives of before checkpoints have no resumptions.
std::string select_sql(Connection& connection) {
  const char* const resumptions = connection.has_table("resumptions")
                                      ? "(SELECT count(*) FROM resumptions WHERE resumptions.trial = trials.id)"
                                      : "0";
  return std::string("SELECT id, experiment, started_at, status, host, process, process_started, heartbeat_at, ") +
         resumptions + " FROM trials ORDER BY id";
}

}  // namespace

std::vector<Standing> read_standings(Connection& connection, UtcTime now) {
  Statement select(connection, select_sql(connection));
  std::vector<Standing> standings;
  while (select.step()) {
    Standing& standing = standings.emplace_back();
    standing.trial = select.integer(0);
    standing.experiment = select.integer(1);
    standing.started_at = select.text(2);
    standing.status = record::status_from_text(select.text(3)).value_or(record::Status::Failed);
    if (standing.status == record::Status::Running) {
      const ProcessIdentity who{select.text(4), select.integer(5), select.text(6)};
      if (!still_runs(who, select.text(7), now)) standing.status = record::Status::Interrupted;
    }
    standing.resumptions = select.integer(8);
  }
  return standings;
}

}  // namespace mantissa::archive
