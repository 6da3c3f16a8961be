// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

namespace mantissa::ui::shell {

/// Asks the engine what this machine is, off the window's thread: it takes a moment, and the first paint must not wait.
class MachineFacts : public QThread {
  Q_OBJECT

 public:
  explicit MachineFacts(QObject* parent = nullptr);
  ~MachineFacts() override;

 Q_SIGNALS:
  /// \param line     "CPU · AVX-512 · 2 cores", for the status bar
  /// \param details  the same in sentences, for its tooltip
  void found(const QString& line, const QString& details);

 protected:
  void run() override;
};

}  // namespace mantissa::ui::shell
