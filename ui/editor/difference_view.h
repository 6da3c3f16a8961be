// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "ui/editor/line_difference.h"

class QAction;
class QPlainTextEdit;

namespace mantissa::ui::editor {

/// What stands in the editor beside what stands in its file, in a window of its own that blocks nothing and goes when
/// it is closed.
class DifferenceView : public QDialog {
  Q_OBJECT

 public:
  /// \param ways  what a person can do about it; the window closes with it
  DifferenceView(const QString& name, const QString& mine, const QString& theirs, const QVector<QAction*>& ways,
                 QWidget* parent);

  const QPlainTextEdit* text() const { return m_text; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void colour();

  QPlainTextEdit* m_text;
  QVector<DifferenceLine::Of> m_of;  ///< of every line that is shown
};

}  // namespace mantissa::ui::editor
