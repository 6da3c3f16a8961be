// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <map>
#include <optional>

#include "ui/memory/ledger_comparison.h"
#include "ui/memory/typed_ledger.h"

namespace mantissa::ui::memory {

/// What was kept of a traced ledger: not its traces, but what came of them.
struct KeptTrace {
  QString experiment;  ///< its name
  QString arm;         ///< as it is chosen: "fp16, FP16 autocast"
  LedgerFigures figures;
};

struct KeptLedger {
  TypedValues values;
  std::optional<KeptTrace> trace;  ///< nothing: typed values, from which all is worked out anew
};

/// Its figures: those that were kept, or worked out from its values.
LedgerFigures figuresOf(const KeptLedger& kept);

/// Ledgers that were kept under a name, as the settings keep them: JSON, each field's text as it was typed.
class LedgerStore {
 public:
  /// What cannot be read is left out; nothing of it is an error.
  static LedgerStore fromJson(const QByteArray& json);
  QByteArray toJson() const;

  QStringList names() const;
  /// Null: there is none of this name.
  const KeptLedger* find(const QString& name) const;
  void save(const QString& name, const KeptLedger& ledger);
  void forget(const QString& name) { m_ledgers.erase(name); }

 private:
  std::map<QString, KeptLedger> m_ledgers;
};

}  // namespace mantissa::ui::memory
