// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "ui/worker/training_controller.h"

namespace mantissa::ui::run {

class PreflightPanel;

/// Tells in the pre-flight's panel which arm a look ahead is at and for how long, whether a run waits for it, and lets
/// a person cancel it: one call of LibTorch may take minutes, and nothing interrupts it.
class LookAheadTeller : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  LookAheadTeller(worker::TrainingController* controller, PreflightPanel* panel, QObject* parent);

 private:
  void begin(const QString& arm);
  void tell();
  void cancel();

  worker::TrainingController* m_controller;
  PreflightPanel* m_panel;
  QString m_arm;  ///< at work; empty: data and model are being prepared
  QElapsedTimer m_since;
  QTimer m_clock;
  bool m_runWaited = false;  ///< when it was last told
};

}  // namespace mantissa::ui::run
