// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/log_model.h"
#include "ui/plain_tip.h"

#include <spdlog/sinks/base_sink.h>

#include <QCoreApplication>
#include <QTimer>

#include <chrono>
#include <mutex>
#include <utility>

namespace mantissa::ui::shell {
namespace {

constexpr int kDrainMilliseconds = 100;

QDateTime timeOf(spdlog::log_clock::time_point point) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(point.time_since_epoch());
  return QDateTime::fromMSecsSinceEpoch(since.count());
}

}  // namespace

class LogModel::Sink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::deque<Line> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(m_waiting, {});
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    m_waiting.push_back({timeOf(message.time), message.level,
                         QString::fromUtf8(message.payload.data(), static_cast<int>(message.payload.size()))});
    if (m_waiting.size() > static_cast<std::size_t>(kMostRows)) m_waiting.pop_front();
  }
  void flush_() override {}

  std::deque<Line> m_waiting;
};

QString logLevelText(int level) {
  switch (level) {
    case spdlog::level::trace:
      return QCoreApplication::translate("LogModel", "trace");
    case spdlog::level::debug:
      return QCoreApplication::translate("LogModel", "debug");
    case spdlog::level::info:
      return QCoreApplication::translate("LogModel", "info");
    case spdlog::level::warn:
      return QCoreApplication::translate("LogModel", "warning");
    default:
      return QCoreApplication::translate("LogModel", "error");
  }
}

LogModel::LogModel(QObject* parent)
    : QAbstractTableModel(parent), m_sink(std::make_shared<Sink>()), m_timer(new QTimer(this)) {
  m_timer->setInterval(kDrainMilliseconds);
  connect(m_timer, &QTimer::timeout, this, &LogModel::drain);
  m_timer->start();
}

LogModel::~LogModel() = default;

spdlog::sink_ptr LogModel::sink() const { return m_sink; }

void LogModel::drain() {
  std::deque<Line> fresh = m_sink->take();
  if (fresh.empty()) return;
  const int surplus = static_cast<int>(m_lines.size() + fresh.size()) - kMostRows;
  if (surplus > 0) {
    const int gone = std::min(surplus, static_cast<int>(m_lines.size()));
    if (gone > 0) {
      beginRemoveRows({}, 0, gone - 1);
      m_lines.erase(m_lines.begin(), m_lines.begin() + gone);
      endRemoveRows();
    }
  }
  const int first = static_cast<int>(m_lines.size());
  beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
  for (Line& line : fresh) m_lines.push_back(std::move(line));
  endInsertRows();
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int LogModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= static_cast<int>(m_lines.size())) return {};
  const Line& line = m_lines[static_cast<std::size_t>(index.row())];
  if (role == LevelRole) return line.level;
  if (role == Qt::ToolTipRole && index.column() == TextColumn) return plainTip(line.text);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case TimeColumn:
      return line.time.toString(QStringLiteral("HH:mm:ss"));
    case LevelColumn:
      return logLevelText(line.level);
    default:
      return line.text;
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case TimeColumn:
      return tr("Time");
    case LevelColumn:
      return tr("Level");
    default:
      return tr("Message");
  }
}

}  // namespace mantissa::ui::shell
