// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QStringList>

class QMenu;

namespace mantissa::ui::memory {

/// A button whose menu checks any number of kept ledgers, and which says them: "with none", "with Night run", "with 3
/// ledgers".
class LedgerChoice : public QPushButton {
  Q_OBJECT

 public:
  explicit LedgerChoice(QWidget* parent = nullptr);

  /// Those that were checked stay so, without a signal.
  void offer(const QStringList& names);
  bool isEmpty() const;
  QStringList chosen() const;
  /// As if a person checked it.
  void choose(const QString& name);

 Q_SIGNALS:
  void changed();

 private:
  void describe();

  QMenu* m_menu;
};

}  // namespace mantissa::ui::memory
