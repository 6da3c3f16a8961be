// SPDX-License-Identifier: Apache-2.0
#include "app/cli/exit_code.h"

#include <algorithm>

namespace mantissa::cli {
namespace {

int exit_code_of(const record::TrialRow& trial) {
  if (!trial.end.verdict) {
    return trial.end.status == record::Status::Failed ? exit_code::kRejected : exit_code::kUndecided;
  }
  switch (trial.end.verdict->word) {
    case record::VerdictWord::Accepted:
      return exit_code::kDone;
    case record::VerdictWord::Rejected:
      return exit_code::kRejected;
    case record::VerdictWord::Undecided:
      break;
  }
  return exit_code::kUndecided;
}

}  // namespace

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidSetting:
    case ErrorKind::NotYetAvailable:
    case ErrorKind::FileProblem:
    case ErrorKind::DataProblem:
    case ErrorKind::ModelProblem:
    case ErrorKind::UnknownTrial:
    case ErrorKind::ArchiveDamaged:
    case ErrorKind::ArchiveNewer:
    case ErrorKind::ArchiveReadOnly:
    case ErrorKind::ForwardFailed:  // before the first step: the model that was given throws
      return exit_code::kWrongInput;
    case ErrorKind::CallOrder:
    case ErrorKind::ArchiveLocked:
    case ErrorKind::DiskFull:
    case ErrorKind::WriteFailed:
    case ErrorKind::OutOfMemory:
    case ErrorKind::DeviceProblem:
      break;
  }
  return exit_code::kMachine;
}

int exit_code_of(record::VerdictWord word) {
  switch (word) {
    case record::VerdictWord::Accepted:
      return exit_code::kDone;
    case record::VerdictWord::Rejected:
      return exit_code::kRejected;
    default:
      return exit_code::kUndecided;
  }
}

int exit_code_of(const record::RunSummary& summary, const std::vector<std::string>& required) {
  const bool can_go_on = summary.reference.end.status != record::Status::Failed;
  if (summary.stopped_as_planned && can_go_on) return exit_code::kDone;
  // The user stops all arms together; a trial alone stops because its reference failed.
  if (summary.reference.end.status == record::Status::Stopped) return exit_code::kStopped;
  if (summary.trials.empty()) {
    return summary.reference.end.status == record::Status::Failed ? exit_code::kRejected : exit_code::kDone;
  }
  bool undecided = false;
  for (const record::TrialRow& trial : summary.trials) {
    const bool counts =
        required.empty() || std::find(required.begin(), required.end(), trial.start.name) != required.end();
    if (!counts) continue;
    const int code = exit_code_of(trial);
    if (code == exit_code::kRejected) return code;
    undecided = undecided || code == exit_code::kUndecided;
  }
  return undecided ? exit_code::kUndecided : exit_code::kDone;
}

}  // namespace mantissa::cli
