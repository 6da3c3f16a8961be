// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/memory/calibration.h"
#include "ui/plot/picture_view.h"
#include "ui/shell/statement.h"

namespace mantissa::ui::memory {

namespace engine = mantissa::memory;

using MemoryPairs = std::vector<record::MemoryPair>;

/// Reads predictions and measurements of an archive's trials on a thread of its own. Lives on the window's thread.
class CalibrationLoader : public QObject {
  Q_OBJECT

 public:
  explicit CalibrationLoader(QObject* parent = nullptr);
  /// Waits for a read that is going on.
  ~CalibrationLoader() override;

  /// Answered by `loaded`, unless a newer call has made it obsolete.
  void load(const QString& archive);

 Q_SIGNALS:
  /// None where the archive has none, or cannot be read: of that the window tells.
  void loaded(const mantissa::ui::memory::MemoryPairs& pairs);

 private:
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  std::atomic<std::uint64_t> m_job{0};
};

/// Every trial as a point, measured against predicted, with the line on which both are equal; and its table twin.
void showCalibration(plot::PictureView& view, const MemoryPairs& pairs);

/// How far to trust the next prediction; nothing where nothing was measured.
std::optional<shell::Statement> trustOf(const MemoryPairs& pairs);

}  // namespace mantissa::ui::memory
