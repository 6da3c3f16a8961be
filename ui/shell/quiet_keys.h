// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>

namespace mantissa::ui::shell {

/// After a question was answered: Return, Enter and Space press nothing for a moment, and not at all while the key that
/// gave the answer stays down. What has the keyboard behind the question would be pressed by the same hand.
class QuietKeys : public QObject {
  Q_OBJECT

 public:
  /// Goes away by itself, at the first such key that is pressed anew.
  explicit QuietKeys(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QElapsedTimer m_answered;
};

}  // namespace mantissa::ui::shell
