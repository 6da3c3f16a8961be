// SPDX-License-Identifier: Apache-2.0
#include "core/session/archived_utility.h"

#include <nlohmann/json.hpp>

#include "core/judge/utility.h"
#include "core/session/archived_evidence.h"

namespace mantissa::session {

void add_utility(const archive::Reader& reader, record::TrialRow& trial) {
  const std::optional<std::string> kept = reader.evidence(trial.id);
  if (!kept) return;
  const auto object = nlohmann::json::parse(*kept, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("utility")) return;  // most have none: spare reading the cases
  const judge::Evidence evidence = archived_evidence(reader, trial.id);
  if (evidence.cases.empty()) return;
  trial.end.utility = judge::utility_of(evidence.cases, evidence.decision, *evidence.utility);
}

}  // namespace mantissa::session
