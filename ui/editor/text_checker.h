// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>
#include <QTimer>

#include <cstdint>

#include "ui/editor/problem.h"

namespace mantissa::ui::editor {

/// Holds a text against the format on a thread of its own, a moment after the last change of it.
class TextChecker : public QObject {
  Q_OBJECT

 public:
  explicit TextChecker(QObject* parent = nullptr);
  ~TextChecker() override;

  /// Checks `text` when nothing newer has come for 200 ms. Drops the result of a check that is under way.
  /// \param file  the name in it decides what an experiment without a name is called
  void check(const QString& text, const QString& file);
  /// The same at once.
  void checkNow(const QString& text, const QString& file);

  /// Whether a result is still to come.
  bool isPending() const { return m_isPending; }

  static constexpr int kPause = 200;  ///< ms

 Q_SIGNALS:
  void checked(const mantissa::ui::editor::TextProblems& problems);

 private:
  void start();

  QThread m_thread;
  QObject* m_worker;
  QTimer m_pause;
  QString m_text;
  QString m_file;
  std::uint64_t m_job = 0;
  bool m_isPending = false;
};

}  // namespace mantissa::ui::editor
