// SPDX-License-Identifier: GPL-3.0-or-later
// What the Memory page does with ledgers that are kept under a name: keep, show, forget and compare.
#include <utility>
#include <vector>

#include "ui/memory/ledger_comparison.h"
#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/ledger_solver.h"
#include "ui/memory/memory_page.h"
#include "ui/models/name_words.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"

namespace mantissa::ui::memory {

void MemoryPage::showComparison() {
  const QStringList names = m_controls->comparedLedgers();
  if (names.isEmpty()) return m_results->showComparison(std::nullopt);
  std::vector<ComparedLedger> ledgers(1);
  ledgers[0].name = tr("This one");
  if (!isOfExperiment()) {
    ledgers[0].figures = figuresOf(m_answer);
  } else if (m_tracedAnswer) {
    ledgers[0].figures = figuresOf(*m_tracedAnswer, m_solved.get());
  } else {
    ledgers[0].figures.problem = m_shown.why;
  }
  for (const QString& name : names) {
    if (const KeptLedger* const kept = m_store.find(name)) ledgers.push_back({name, figuresOf(*kept)});
  }
  m_results->showComparison(comparisonOf(ledgers));
}

void MemoryPage::keepLedgers(const QString& shown) {
  if (m_settings != nullptr) m_settings->setLedgers(m_store.toJson());
  m_controls->offerLedgers(m_store.names(), shown);
  recompute();
}

/// Empty: it can be.
QString MemoryPage::whyNotKept() const {
  if (m_controls->ledgerName().isEmpty()) return tr("Type a name into the field Ledger first.");
  if (!isOfExperiment()) return {};
  if (!m_shown.why.isEmpty()) return m_shown.why;
  return m_solver->isBusy() ? tr("It is being worked out.") : QString();
}

void MemoryPage::saveLedger() {
  if (!whyNotKept().isEmpty()) return;
  const QString name = m_controls->ledgerName();
  KeptLedger kept;
  kept.values = values();
  // Groups of digits and decimal signs differ by language; a ledger is read in any.
  for (QString& text : kept.values.texts) text = withDecimalPoint(text);
  for (const FieldId one : {FieldId::Microbatch, FieldId::Accumulation, FieldId::Blocks, FieldId::Updates}) {
    QString& text = kept.values.text(one);
    if (const std::optional<std::int64_t> count = countOf(text)) text = QString::number(*count);
  }
  if (isOfExperiment()) {
    kept.trace = KeptTrace{QString::fromStdString(m_experiment->name), m_controls->armText(),
                           figuresOf(*m_tracedAnswer, m_solved.get())};
  }
  m_store.save(name, kept);
  keepLedgers(name);
  Q_EMIT told(tr("Ledger kept as %1").arg(models::isolated(name)));
}

void MemoryPage::forgetLedger() {
  m_store.forget(m_controls->ledgerName());
  keepLedgers({});
}

void MemoryPage::showSavedLedger(const QString& name) {
  const KeptLedger* const found = m_store.find(name);
  if (found == nullptr) return;
  const KeptLedger kept = *found;
  m_strips->dismiss(QString::fromLatin1(kKeptTopic));
  if (kept.trace) return showKeptTrace(name, kept);
  if (isOfExperiment()) {
    m_otherValues = values();
    m_controls->setSource(LedgerControls::Source::Typed);
  }
  setValues(kept.values);
}

/// Its values and its arm, where its experiment is the one that is open; its figures in any case.
void MemoryPage::showKeptTrace(const QString& name, const KeptLedger& kept) {
  if (!m_experiment || QString::fromStdString(m_experiment->name) != kept.trace->experiment) {
    m_strips->show(shell::MessageStrip::Kind::Note,
                   tr("%1 was traced of the experiment %2. Its figures stand among the compared ledgers; for its "
                      "pictures open the file of that experiment.")
                       .arg(models::isolated(name), models::isolated(kept.trace->experiment)),
                   QString::fromLatin1(kKeptTopic));
    return m_controls->compareWith(name);
  }
  if (!isOfExperiment()) {
    m_otherValues = values();
    m_controls->setSource(LedgerControls::Source::Experiment);
  }
  m_wanted.reset();
  if (!m_traced) m_wanted = kept;
  m_controls->chooseArm(kept.trace->arm);
  setValues(kept.values);
}

}  // namespace mantissa::ui::memory
