// SPDX-License-Identifier: Apache-2.0
#include "core/archive/ownership.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace mantissa::archive {
namespace {

constexpr char kSelectOwner[] =
    "SELECT host, process, process_started, coalesce((SELECT max(id) FROM resumptions WHERE trial = ?1), 0), name "
    "FROM trials WHERE id = ?1";

constexpr char kIsOwner[] =
    "SELECT 1 FROM trials WHERE id = ?1 AND host = ?2 AND process = ?3 AND process_started = ?4 AND "
    "coalesce((SELECT max(id) FROM resumptions WHERE trial = ?1), 0) = ?5";

std::string words(const ProcessIdentity& who) {
  return "process " + std::to_string(who.process) + " on " + (who.host.empty() ? "a host without a name" : who.host);
}

}  // namespace

ArmOwner owner_of(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelectOwner);
  select.bind(1, trial);
  if (!select.step()) return {trial, {}, 0};
  return {trial, {select.text(0), select.integer(1), select.text(2)}, select.integer(3)};
}

Ownership::Ownership(Connection& connection) : connection_(connection), select_(connection, kIsOwner) {}

void Ownership::add(const ArmOwner& owner) {
  const auto known =
      std::find_if(arms_.begin(), arms_.end(), [&owner](const ArmOwner& arm) { return arm.trial == owner.trial; });
  if (known == arms_.end()) {
    arms_.push_back(owner);
  } else {
    *known = owner;
  }
}

void Ownership::check() {
  for (const ArmOwner& arm : arms_) {
    const bool is_ours = select_.bind(1, arm.trial)
                             .bind(2, std::string_view(arm.who.host))
                             .bind(3, arm.who.process)
                             .bind(4, std::string_view(arm.who.started))
                             .bind(5, arm.resumption)
                             .step();
    select_.reset();
    if (!is_ours) fail(arm);
  }
}

void Ownership::fail(const ArmOwner& owner) {
  lost_ = true;
  const std::string id = "trial " + std::to_string(owner.trial);
  Statement select(connection_, kSelectOwner);
  if (!select.bind(1, owner.trial).step()) {
    throw Error(ErrorKind::WriteFailed, {"the run was removed from the archive while it went on", connection_.path(), 0,
                                         0, id, "", "", "Nothing more of it is kept: run the experiment again"});
  }
  const ProcessIdentity now{select.text(0), select.integer(1), select.text(2)};
  throw Error(ErrorKind::WriteFailed,
              {"another process has gone on with this run", connection_.path(), 0, 0, id + " (" + select.text(4) + ')',
               words(now), "this process (" + words(owner.who) + ')',
               "This one was held up so long that it was taken for dead, and ends. What it did since then is not kept; "
               "the archive holds what the other one writes"});
}

}  // namespace mantissa::archive
