// SPDX-License-Identifier: Apache-2.0
#include "core/session/verdict_context.h"

#include <optional>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/judge/verdict_context.h"
#include "core/session/archived_evidence.h"

namespace mantissa::session {

record::VerdictContext verdict_context(const archive::Reader& reader, std::int64_t id) {
  const record::TrialRow trial = reader.trial(id);
  const bool is_judged = trial.start.kind == record::TrialKind::Trial || trial.start.kind == record::TrialKind::Foreign;
  if (!is_judged) {
    record::VerdictContext none;
    none.missing = none.inputs.missing = none.shifts_missing = "only trials are compared with a reference";
    return none;
  }
  judge::Evidence evidence;
  if (trial.end.status != record::Status::Running && reader.evidence(id)) evidence = archived_evidence(reader, id);
  const bool foreign = trial.start.kind == record::TrialKind::Foreign;
  const std::optional<record::ReferenceContext> context =
      foreign ? std::nullopt : reader.context(trial.start.reference);
  record::VerdictContext whole =
      judge::verdict_context(evidence.cases, evidence.decision, evidence.unit, context, trial.end.quality_metric);
  if (foreign) whole.missing = whole.inputs.missing = "the run was made elsewhere, and its inputs are not known";
  return whole;
}

}  // namespace mantissa::session
