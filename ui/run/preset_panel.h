// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

namespace mantissa::ui::run {

/// Policies that another trial of the experiment can begin with, each with a button that adds it.
class PresetPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PresetPanel(QWidget* parent = nullptr);

  /// \param titles  "FP16, DeepSpeed scaler". \param helps  a sentence each
  void setPresets(const QStringList& titles, const QStringList& helps);
  bool hasPresets() const { return m_hasPresets; }

 Q_SIGNALS:
  /// \param preset  its place in the list
  void presetRequested(int preset);

 private:
  bool m_hasPresets = false;
};

}  // namespace mantissa::ui::run
