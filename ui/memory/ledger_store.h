// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <map>

#include "ui/memory/shown_ledger.h"
#include "ui/memory/typed_ledger.h"

namespace mantissa::ui::memory {

/// Ledgers that were typed and saved under a name, as the settings keep them: JSON, each field's text as it was typed.
class LedgerStore {
 public:
  /// What cannot be read is left out; nothing of it is an error.
  static LedgerStore fromJson(const QByteArray& json);
  QByteArray toJson() const;

  QStringList names() const;
  /// Null: there is none of this name.
  const TypedValues* find(const QString& name) const;
  void save(const QString& name, const TypedValues& values);
  void forget(const QString& name) { m_ledgers.erase(name); }

 private:
  std::map<QString, TypedValues> m_ledgers;
};

/// Two typed ledgers side by side, figure by figure, with what the first has more.
ShownTable comparisonOf(const QString& name, const TypedAnswer& answer, const QString& otherName,
                        const TypedAnswer& other);

}  // namespace mantissa::ui::memory
