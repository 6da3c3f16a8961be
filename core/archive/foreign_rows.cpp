// SPDX-License-Identifier: Apache-2.0
#include "core/archive/foreign_rows.h"

#include <cstdint>
#include <memory>

#include "core/archive/archive_file.h"
#include "core/archive/case_rows.h"
#include "core/archive/case_set_rows.h"
#include "core/archive/clock.h"
#include "core/archive/process_identity.h"
#include "core/archive/sqlite.h"
#include "core/archive/step_rows.h"
#include "core/archive/trial_rows.h"

namespace mantissa::archive {
namespace {

/// With its end at once: nothing of it ever runs here.
void insert_ended_arm(Connection& connection, CaseInsert& insert, record::TrialRow& row,
                      const std::vector<record::CaseRow>& cases, UtcTime now) {
  row.id = insert_trial(connection, row.start, this_process(), now);
  row.experiment_id = row.start.experiment;
  row.started_at = row.finished_at = utc_text(now);
  for (std::size_t i = 0; i < cases.size(); ++i) insert.run(row.id, static_cast<std::int64_t>(i), cases[i]);
  Statement(connection, "UPDATE trials SET cases_stored = ?2 WHERE id = ?1")
      .bind(1, row.id)
      .bind(2, static_cast<std::int64_t>(cases.size()))
      .run();
  update_trial_end(connection, row.id, row.end, now);
}

}  // namespace

void keep_foreign_run(const std::string& path, ForeignRun& run, std::chrono::milliseconds busy_timeout) {
  const std::unique_ptr<Connection> connection = open_for_writing(path, busy_timeout);
  CaseInsert insert_case(*connection);  // may add columns, in a transaction of its own
  StepInsert insert_step(*connection);
  Transaction transaction(*connection);
  const UtcTime now = utc_now();
  const std::int64_t experiment = insert_experiment(*connection, run.experiment, now);
  replace_case_set(*connection, experiment, run.cases, now);
  run.reference.experiment = run.trial.experiment = run.experiment.name;
  run.reference.start.experiment = run.trial.start.experiment = experiment;
  insert_ended_arm(*connection, insert_case, run.reference, run.reference_cases, now);
  run.trial.start.reference = run.reference.id;
  insert_ended_arm(*connection, insert_case, run.trial, run.trial_cases, now);
  for (record::StepRecord& step : run.steps) {
    step.trial = run.trial.id;
    insert_step.run(step);
  }
  transaction.commit();
}

}  // namespace mantissa::archive
