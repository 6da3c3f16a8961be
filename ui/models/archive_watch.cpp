// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/archive_watch.h"

#include <QTimer>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "ui/models/error_words.h"

namespace mantissa::ui::models {
namespace {

constexpr int kInterval = 300;  // ms: an arm that begins or ends is seen well within a second
constexpr int kLooksPerSecond = 3;
constexpr int kPatience = 6;  // looks that fail alike before it is told: files are made and replaced in steps

bool same(const std::vector<mantissa::archive::Standing>& a, const std::vector<mantissa::archive::Standing>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.trial == other.trial && one.experiment == other.experiment && one.started_at == other.started_at &&
           one.status == other.status && one.resumptions == other.resumptions;
  });
}

}  // namespace

ArchiveWatch::ArchiveWatch(Deliver deliver) : m_deliver(std::move(deliver)) {}

ArchiveWatch::~ArchiveWatch() = default;

void ArchiveWatch::begin(const QString& path, std::uint64_t job, bool mayBeMissing) {
  try {
    const std::optional<mantissa::archive::FileIdentity> found = mantissa::archive::identity_of(path.toStdString());
    Seen seen;
    if (found || !mayBeMissing) seen = see(std::make_unique<mantissa::archive::Reader>(path.toStdString()));
    m_path = path;
    m_job = job;
    m_identity = found;
    take(std::move(seen));
  } catch (const Error& error) {
    m_deliver(job, path, nullptr, errorText(error));
    return;
  } catch (const std::exception& error) {
    m_deliver(job, path, nullptr, QString::fromUtf8(error.what()));
    return;
  }
  if (m_timer != nullptr) return;
  m_timer = new QTimer(this);
  connect(m_timer, &QTimer::timeout, this, &ArchiveWatch::look);
  m_timer->start(kInterval);
}

void ArchiveWatch::look() {
  try {
    lookClosely();
    m_troubledLooks = 0;
    m_trouble.clear();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::ArchiveLocked) tellTrouble(errorText(error));
  } catch (const std::exception& error) {
    tellTrouble(QString::fromUtf8(error.what()));
  }
}

void ArchiveWatch::tellTrouble(const QString& sentence) {
  m_seen.reader.reset();
  if (sentence != m_trouble) m_troubledLooks = 0;
  m_trouble = sentence;
  if (++m_troubledLooks == kPatience) m_deliver(m_job, m_path, nullptr, sentence);
}

void ArchiveWatch::lookClosely() {
  const std::optional<mantissa::archive::FileIdentity> found = mantissa::archive::identity_of(m_path.toStdString());
  if (!found && !m_identity) return;  // nobody has made it yet
  if (m_seen.reader == nullptr || found != m_identity) {
    m_seen.reader.reset();
    Seen seen = see(
        std::make_unique<mantissa::archive::Reader>(m_path.toStdString()));  // says what is wrong where none is there
    m_identity = found;
    take(std::move(seen));
    return;
  }
  // A process that dies commits nothing: arms are looked at now and then without a reason.
  const bool isTurn = ++m_looks % kLooksPerSecond == 0;
  const std::int64_t version = m_seen.reader->version();
  const bool isNew = version != m_seen.version;
  m_countsAreStale = m_countsAreStale || isNew;
  if (!isNew && !isTurn) return;
  m_seen.version = version;
  if (!same(m_seen.reader->standings(), m_seen.standings)) {
    take(see(std::move(m_seen.reader)));
  } else if (isTurn && m_countsAreStale) {
    readRunning();
  }
}

ArchiveWatch::Seen ArchiveWatch::see(std::unique_ptr<mantissa::archive::Reader> reader) {
  Seen seen;
  seen.version = reader->version();  // before the rows: what is committed meanwhile is seen at the next look
  seen.standings = reader->standings();
  seen.trials = std::make_shared<const std::vector<record::TrialRow>>(reader->trials());
  seen.reader = std::move(reader);
  return seen;
}

void ArchiveWatch::take(Seen seen) {
  m_seen = std::move(seen);
  m_countsAreStale = false;
  m_deliver(m_job, m_path, m_seen.trials, {});
}

void ArchiveWatch::readRunning() {
  m_countsAreStale = false;
  std::shared_ptr<std::vector<record::TrialRow>> trials;
  for (std::size_t i = 0; i < m_seen.trials->size(); ++i) {
    if ((*m_seen.trials)[i].end.status != record::Status::Running) continue;
    if (!trials) trials = std::make_shared<std::vector<record::TrialRow>>(*m_seen.trials);
    (*trials)[i] = m_seen.reader->trial((*m_seen.trials)[i].id);
  }
  if (!trials) return;
  m_seen.trials = std::move(trials);
  m_deliver(m_job, m_path, m_seen.trials, {});
}

}  // namespace mantissa::ui::models
