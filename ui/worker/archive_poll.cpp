// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/archive_poll.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/base/error.h"
#include "ui/models/error_words.h"

namespace mantissa::ui::worker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInterval{200};     // writers commit four times a second
constexpr milliseconds kBusyTimeout{500};  // bounds what a destruction waits for
constexpr int kLooksPerSecond = 5;
constexpr std::size_t kChunk = 2048;         // records of one read: its transaction holds up the truncation of the log
constexpr std::size_t kMostWaiting = 65536;  // records that wait for the window: some 45 MB

}  // namespace

ArchivePoll::ArchivePoll(std::string archive, std::int64_t experiment, Calls calls)
    : m_archive(std::move(archive)), m_wanted(experiment), m_calls(std::move(calls)) {
  m_thread = std::thread([this] { work(); });
}

ArchivePoll::~ArchivePoll() {
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_quit = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

std::vector<archive::StepChunk> ArchivePoll::take() {
  std::vector<archive::StepChunk> chunks;
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    chunks.swap(m_chunks);
    m_waiting = 0;
  }
  m_changed.notify_all();
  return chunks;
}

void ArchivePoll::goOn() {
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_answer_due = false;
  }
  m_changed.notify_all();
}

bool ArchivePoll::hasToQuit() {
  const std::lock_guard<std::mutex> lock(m_mutex);
  return m_quit;
}

bool ArchivePoll::waitForNextLook() {
  std::unique_lock<std::mutex> lock(m_mutex);
  return !m_changed.wait_for(lock, kInterval, [this] { return m_quit; });
}

void ArchivePoll::work() {
  do {
    try {
      look();
      if (!m_problem.empty()) m_calls.problemSolved();
      m_problem.clear();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::ArchiveLocked) m_reader.reset();
      tellProblem(models::errorText(error).toStdString());
    } catch (const std::exception& error) {
      m_reader.reset();
      tellProblem(error.what());
    }
  } while (waitForNextLook());
  m_reader.reset();
}

void ArchivePoll::tellProblem(const std::string& sentence) {
  if (sentence == m_problem) return;
  m_problem = sentence;
  m_calls.problemArose(sentence);
}

void ArchivePoll::look() {
  openAgainWhereNeeded();
  const std::int64_t version = m_reader->version();
  // A process that dies commits nothing: arms are looked at now and then without a reason.
  const bool now_and_then = ++m_looks % kLooksPerSecond == 0;
  if (version == m_version && !now_and_then) return;
  const bool is_new = version != m_version;
  see(m_reader->standings());
  if (is_new) readAllSteps();
  m_history_due = m_history_due || is_new;
  if (m_history_due && now_and_then) {
    for (auto& [id, arm] : m_arms) tellHistory(arm);
    m_history_due = false;
  }
  if (hasToQuit()) return;
  tellEnds();
  m_version = version;
}

void ArchivePoll::openAgainWhereNeeded() {
  const std::optional<archive::FileIdentity> found = archive::identity_of(m_archive);
  if (m_reader != nullptr && found == m_identity) return;
  m_reader.reset();
  m_version = -1;
  m_reader = std::make_unique<archive::Reader>(m_archive, kBusyTimeout);  // says what is wrong where nothing is there
  if (m_identity && found && *m_identity != *found) beginAnew();
  m_identity = found;
}

void ArchivePoll::beginAnew() {
  m_arms.clear();
  m_experiment = 0;
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_chunks.clear();
    m_waiting = 0;
    m_answer_due = true;
  }
  m_calls.archiveReplaced();
  // Else a window could take steps of the new archive before it hears that the old one is void.
  std::unique_lock<std::mutex> lock(m_mutex);
  m_changed.wait(lock, [this] { return m_quit || !m_answer_due; });
}

bool ArchivePoll::isAnotherArchive(const std::vector<archive::Standing>& standings) const {
  std::size_t same = 0;
  for (const archive::Standing& standing : standings) {
    const auto known = m_arms.find(standing.trial);
    if (known == m_arms.end()) continue;
    if (known->second.standing.started_at != standing.started_at) return true;
    ++same;
  }
  return same != m_arms.size();
}

void ArchivePoll::see(const std::vector<archive::Standing>& standings) {
  if (isAnotherArchive(standings)) beginAnew();
  chooseExperiment(standings);
  std::vector<record::TrialRow> found;
  for (const archive::Standing& standing : standings) {
    if (standing.experiment == m_experiment) seeArm(standing, found);
  }
  if (!found.empty()) m_calls.armsFound(std::move(found));
}

void ArchivePoll::chooseExperiment(const std::vector<archive::Standing>& standings) {
  if (m_experiment != 0) return;
  for (const archive::Standing& standing : standings) {
    const bool runs = standing.status == record::Status::Running;
    if (m_wanted == 0 ? runs : standing.experiment == m_wanted) m_experiment = standing.experiment;
  }
  if (m_experiment != 0) m_calls.experimentFound(m_experiment);
}

void ArchivePoll::seeArm(const archive::Standing& standing, std::vector<record::TrialRow>& found) {
  const auto [place, is_new] = m_arms.try_emplace(standing.trial);
  Arm& arm = place->second;
  const std::int64_t resumptions = arm.standing.resumptions;
  arm.standing = standing;
  if (is_new) {
    found.push_back(m_reader->trial(standing.trial));
    return;
  }
  if (standing.status == record::Status::Running) arm.hasEnded = false;  // also one that was only taken for dead
  if (standing.resumptions == resumptions) return;
  const std::int64_t step = m_reader->history(standing.trial).resumptions.back().step;
  arm.cursor = std::min(arm.cursor, step);
  arm.evaluated = std::min(arm.evaluated, step);
  arm.checkpoint = std::min(arm.checkpoint, step);
  arm.hasEnded = false;
  m_calls.armResumed(m_reader->trial(standing.trial), step);
}

void ArchivePoll::readAllSteps() {
  bool more = true;
  while (more && !hasToQuit()) {
    more = false;
    for (auto& [id, arm] : m_arms) more = readSteps(arm) || more;  // in turns, so that all curves grow
  }
}

bool ArchivePoll::readSteps(Arm& arm) {
  std::vector<record::StepRecord> steps;
  const auto add = [&steps](const record::StepRecord& step) {
    steps.push_back(step);
    return steps.size() < kChunk;
  };
  m_reader->steps(arm.standing.trial, add, arm.cursor);
  if (steps.empty()) return false;
  const std::int64_t last = steps.back().step;
  const bool is_full = steps.size() == kChunk;
  const auto chunk = std::make_shared<const std::vector<record::StepRecord>>(std::move(steps));
  std::unique_lock<std::mutex> lock(m_mutex);
  m_changed.wait(lock, [this] { return m_quit || m_waiting < kMostWaiting; });
  if (m_quit) return false;
  m_waiting += chunk->size();
  m_chunks.push_back(chunk);
  arm.cursor = last;
  return is_full;
}

void ArchivePoll::tellHistory(Arm& arm) {
  if (arm.hasEnded) return;
  const record::History history = m_reader->history(arm.standing.trial);
  for (const record::Evaluation& evaluation : history.evaluations) {
    if (evaluation.step <= arm.evaluated) continue;
    arm.evaluated = evaluation.step;
    m_calls.armEvaluated(evaluation);
  }
  for (const record::CheckpointRow& checkpoint : history.checkpoints) {
    if (checkpoint.step <= arm.checkpoint) continue;
    arm.checkpoint = checkpoint.step;
    // All arms of a run have theirs at the same steps.
    if (arm.standing.trial == m_arms.begin()->first) m_calls.checkpointReached(checkpoint.step);
  }
}

void ArchivePoll::tellEnds() {
  for (auto& [id, arm] : m_arms) {
    if (arm.standing.status == record::Status::Running || arm.hasEnded) continue;
    tellHistory(arm);
    arm.hasEnded = true;
    m_calls.armEnded(m_reader->trial(id));
  }
}

}  // namespace mantissa::ui::worker
