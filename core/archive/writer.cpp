// SPDX-License-Identifier: Apache-2.0
#include "core/archive/writer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "core/archive/archive_file.h"
#include "core/archive/case_rows.h"
#include "core/archive/case_set_rows.h"
#include "core/archive/checkpoint_rows.h"
#include "core/archive/clock.h"
#include "core/archive/context_rows.h"
#include "core/archive/gains_rows.h"
#include "core/archive/late_writers.h"
#include "core/archive/memory_rows.h"
#include "core/archive/ownership.h"
#include "core/archive/process_identity.h"
#include "core/archive/sqlite.h"
#include "core/archive/stale_log.h"
#include "core/archive/tensor_chunks.h"
#include "core/archive/trial_rows.h"
#include "core/archive/writer_thread.h"
#include "core/base/error.h"

namespace mantissa::archive {
namespace {

// Rows of cases between two commits: other processes get their turn.
constexpr std::size_t kCasesPerTransaction = 1024;

void store_cases(Connection& connection, std::int64_t trial, const std::vector<record::CaseRow>& cases) {
  {
    Transaction transaction(connection);
    Statement(connection, "UPDATE trials SET cases_stored = NULL WHERE id = ?1").bind(1, trial).run();
    Statement(connection, "DELETE FROM cases WHERE trial = ?1").bind(1, trial).run();
    remove_other_outputs(connection, trial);
    transaction.commit();
  }
  CaseInsert insert(connection);
  for (std::size_t first = 0; first < cases.size(); first += kCasesPerTransaction) {
    Transaction transaction(connection);
    const std::size_t last = std::min(cases.size(), first + kCasesPerTransaction);
    for (std::size_t i = first; i < last; ++i) insert.run(trial, static_cast<std::int64_t>(i), cases[i]);
    insert_other_outputs(connection, trial, cases, first, last);
    transaction.commit();
  }
  Transaction transaction(connection);
  replace_golden_outputs(connection, trial, cases);
  Statement(connection, "UPDATE trials SET cases_stored = ?2 WHERE id = ?1")
      .bind(1, trial)
      .bind(2, static_cast<std::int64_t>(cases.size()))
      .run();
  transaction.commit();
}

void store_trial_end(Connection& connection, std::int64_t trial, const record::TrialEnd& end, UtcTime now) {
  // The end of an arm survives a power cut.
  connection.execute("PRAGMA synchronous = FULL");
  try {
    Transaction transaction(connection);
    update_trial_end(connection, trial, end, now);
    transaction.commit();
  } catch (...) {
    connection.execute("PRAGMA synchronous = NORMAL");
    throw;
  }
  connection.execute("PRAGMA synchronous = NORMAL");
}

void store_interruptions(Connection& connection, const std::vector<std::int64_t>& trials) {
  for (const std::int64_t trial : trials) {
    const record::TrialEnd end = interrupted_end(connection, trial);  // may take long: before others have to wait
    Transaction transaction(connection);
    mark_interrupted(connection, trial, end);
    transaction.commit();
  }
}

/// The last of a writer's calls.
void finish(WriterThread& thread) {
  thread.call_after_all([&thread](Connection& connection) {
    store_interruptions(connection, thread.running());
    thread.forget_running();  // a heartbeat before the thread ends would call them running again
    try {
      connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (const Error&) {
      // Another process reads or writes: the last one to close folds the log in.
    }
  });
}

std::unique_ptr<Connection> open_and_mark_dead_trials(const std::string& path, const WriterOptions& options) {
  auto connection = open_for_writing(path, options.busy_timeout);
  store_interruptions(*connection, dead_trials(*connection, utc_now()));
  return connection;
}

}  // namespace

Writer::Writer(const std::string& path, const WriterOptions& options)
    : thread_(std::make_unique<WriterThread>(open_and_mark_dead_trials(path, options), options)),
      largest_state_inside_(options.largest_state_inside) {}

WriterThread& Writer::thread() const {
  if (thread_ == nullptr)
    throw Error(ErrorKind::CallOrder, {"the archive's writer was closed before this call", "", 0, 0, "", "", "", ""});
  return *thread_;
}

namespace {

/// Where the archive was replaced by a copy of it, the copy says of arms that this process runs them, as long as the
/// process lives.
void end_copies_of_arms(const std::string& path) noexcept {
  try {
    // A log beside it may be that of the file that was replaced: it must not be folded into this one.
    std::error_code ignored;
    const auto log = std::filesystem::file_size(path + "-wal", ignored);
    if (!ignored && log > 0) return;
    // A file that says nothing of this process stays as it is, to the byte.
    const auto has_copies = [&path] {
      const auto connection = open_for_reading(path, std::chrono::milliseconds(0));
      return !own_trials(*connection, this_process()).empty();
    };
    if (has_copies()) interrupt_arms_of_this_process(path);
  } catch (const std::exception&) {
    // It is no archive, or cannot be written: nobody takes it for one in which something runs.
  }
}

}  // namespace

Writer::~Writer() {
  if (thread_ == nullptr) return;
  try {
    close();
  } catch (...) {
    // Documented: `close()` is the way to see it.
    const std::string replaced = thread_->replaced_file();
    if (thread_->has_hope()) finish_later(std::move(thread_), finish);
    const bool log_stays = !replaced.empty() && has_log_open(replaced);
    thread_.reset();  // SQLite leaves the log of a file that has moved where it is
    if (log_stays) set_log_aside(replaced);
    if (!replaced.empty()) end_copies_of_arms(replaced);
  }
}

std::int64_t Writer::begin_experiment(const record::ExperimentStart& start) {
  std::int64_t id = 0;
  thread().call([&](Connection& connection) {
    Transaction transaction(connection);
    id = insert_experiment(connection, start, utc_now());
    transaction.commit();
  });
  return id;
}

std::int64_t Writer::begin_trial(const record::TrialStart& start, std::string* started_at) {
  std::int64_t id = 0;
  thread().call([&](Connection& connection) {
    const UtcTime now = utc_now();
    Transaction transaction(connection);
    id = insert_trial(connection, start, this_process(), now);
    const ArmOwner owner = owner_of(connection, id);
    transaction.commit();
    thread_->add_running(owner);
    if (started_at != nullptr) *started_at = utc_text(now);
  });
  return id;
}

void Writer::append(const record::StepRecord& step) { thread().append(step); }

void Writer::check() const { thread().check(); }

bool Writer::has_failed() const { return thread_ != nullptr && thread_->has_failed(); }

Waiting Writer::waiting() const { return thread_ == nullptr ? Waiting::Nothing : thread_->waiting(); }

double Writer::waited_seconds() const { return thread_ == nullptr ? waited_seconds_ : thread_->waited_seconds(); }

void Writer::write_cases(std::int64_t trial, const std::vector<record::CaseRow>& cases) {
  thread().call([&](Connection& connection) { store_cases(connection, trial, cases); });
}

void Writer::write_case_set(std::int64_t experiment, const record::CaseSet& set) {
  thread().call([&](Connection& connection) {
    Transaction transaction(connection);
    replace_case_set(connection, experiment, set, utc_now());
    transaction.commit();
  });
}

void Writer::write_weights(std::int64_t trial, const std::string& at, const std::vector<record::TensorBytes>& tensors) {
  thread().call([&](Connection& connection) { store_tensors(connection, trial, at, tensors); });
}

void Writer::write_checkpoint(record::CheckpointSet set) {
  const std::int64_t step = set.step;
  const auto work = std::make_shared<CheckpointWork>(std::move(set), largest_state_inside_);
  thread().hand_over(
      [work](Connection& connection) { return work->step(connection); },
      "The checkpoint at step " + std::to_string(step) + " is not kept: memory did not suffice to write it.");
}

std::optional<std::string> Writer::take_lost_checkpoint() { return thread().take_lost_work(); }

void Writer::wait_for_checkpoint() { thread().wait_for_long_work(); }

void Writer::write_policy_changes(std::int64_t trial, const std::vector<record::PolicyChange>& changes) {
  thread().call([&](Connection& connection) {
    Transaction transaction(connection);
    replace_policy_changes(connection, trial, changes);
    transaction.commit();
  });
}

void Writer::write_evaluation(const record::Evaluation& evaluation) {
  thread().call([&](Connection& connection) {
    Transaction transaction(connection);
    insert_evaluation(connection, evaluation);
    transaction.commit();
  });
}

void Writer::resume_trials(const std::vector<std::int64_t>& trials, std::int64_t step, const std::string& overrides) {
  thread().call([&](Connection& connection) {
    std::vector<std::int64_t> unused;
    std::vector<ArmOwner> owners;
    {
      Transaction transaction(connection);
      unused = reopen_trials(connection, trials, step, overrides, this_process(), utc_now());
      for (const std::int64_t trial : trials) owners.push_back(owner_of(connection, trial));
      transaction.commit();
    }
    for (const ArmOwner& owner : owners) thread_->add_running(owner);
    for (const std::int64_t piece : unused) remove_unused_piece(connection, piece);
  });
}

void Writer::finish_trial(std::int64_t trial, const record::TrialEnd& end, std::string* finished_at) {
  thread().call_after_all([&](Connection& connection) {
    const UtcTime now = utc_now();
    store_trial_end(connection, trial, end, now);
    thread_->remove_running(trial);
    if (finished_at != nullptr) *finished_at = utc_text(now);
  });
}

void Writer::write_context(std::int64_t reference, const record::ReferenceContext& context) {
  thread().call([&](Connection& connection) {
    Transaction transaction(connection);
    replace_context(connection, reference, context);
    transaction.commit();
  });
}

void Writer::write_costs(std::int64_t trial, const record::Costs& costs) {
  thread().call([&](Connection& connection) {
    Transaction transaction(connection);
    if (costs.gains) replace_gains(connection, trial, *costs.gains);
    if (!costs.latency.empty()) replace_latency(connection, trial, costs.latency);
    transaction.commit();
  });
}

void Writer::write_memory(std::int64_t trial, const record::MemoryComparison& memory) {
  thread().call([&](Connection& connection) {
    Transaction transaction(connection);
    replace_memory(connection, trial, memory);
    transaction.commit();
  });
}

void Writer::flush() {
  thread().call_after_all([](Connection&) {});
}

void Writer::limit_size(std::int64_t bytes) {
  thread().call_without_flush([&](Connection& connection) {
    // SQLite counts pages, and takes its own largest number for none.
    constexpr std::int64_t kNoLimit = 4294967294;
    const std::int64_t pages = bytes == 0 ? kNoLimit : bytes / connection.integer("PRAGMA page_size");
    connection.execute("PRAGMA max_page_count = " + std::to_string(pages));
  });
}

void interrupt_arms_of_this_process(const std::string& path) {
  const auto connection = open_for_writing(path, WriterOptions().busy_timeout);
  store_interruptions(*connection, own_trials(*connection, this_process()));
}

void Writer::close() {
  if (thread_ == nullptr) return;
  finish(*thread_);
  waited_seconds_ = thread_->waited_seconds();
  thread_.reset();
}

}  // namespace mantissa::archive
