// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <QString>

#include <spdlog/common.h>

#include <deque>
#include <memory>
#include <vector>

class QTimer;

namespace mantissa::ui::shell {

/// What the log says, as rows of time, level and text; the oldest go when there are more than kMostRows.
///
/// `sink()` may be written to from any thread. Lines wait there and reach the model at most ten times a second, so that
/// a chatty engine cannot keep the window busy; what would not fit in the model is dropped while it waits.
class LogModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { TimeColumn, LevelColumn, TextColumn, kColumns };
  enum Role {
    LevelRole = Qt::UserRole + 1,  ///< int: spdlog::level::level_enum
  };
  static constexpr int kMostRows = 10000;

  explicit LogModel(QObject* parent = nullptr);
  ~LogModel() override;

  /// To be added to a spdlog logger. Outlives the model: what is logged after the model's end is lost.
  spdlog::sink_ptr sink() const;

  /// Takes over what has been logged since the last time; the timer calls it.
  void drain();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  class Sink;
  struct Line {
    QDateTime time;
    int level = 0;
    QString text;
  };

  std::deque<Line> m_lines;
  std::shared_ptr<Sink> m_sink;
  QTimer* m_timer;
};

/// "info", "warning" …, translated.
QString logLevelText(int level);

}  // namespace mantissa::ui::shell
