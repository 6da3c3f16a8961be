// SPDX-License-Identifier: GPL-3.0-or-later
// What the Memory page does with ledgers that are kept under a name: keep, show, forget and compare.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

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
namespace {

constexpr char kTypedKey[] = "typed";
constexpr char kExperimentKey[] = "experiment";

}  // namespace

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
  if (!isOfExperiment()) {
    if (m_answer.problems.empty()) return {};
    const auto& [field, problem] = *m_answer.problems.begin();
    return fieldText(field) + QStringLiteral(": ") + problem;
  }
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

/// All that stands here, but for what can be traced anew.
void MemoryPage::keepState() {
  m_keep.stop();
  if (m_settings == nullptr) return;
  LedgerStore values;
  values.save(QString::fromLatin1(kTypedKey), {isOfExperiment() ? m_otherValues : this->values(), std::nullopt});
  QJsonObject state;
  // Of an experiment that was not opened again, what stood here before is not lost.
  QString file = m_restored.file;
  QString arm = m_restored.arm;
  TypedValues ofExperiment = m_restored.values;
  if (m_experiment) {
    file = QString::fromStdString(m_experiment->file);
    if (m_traced) arm = m_controls->armText();
    ofExperiment = isOfExperiment() ? this->values() : m_otherValues;
  }
  values.save(QString::fromLatin1(kExperimentKey), {ofExperiment, std::nullopt});
  state[QStringLiteral("values")] = QString::fromUtf8(values.toJson());
  state[QStringLiteral("file")] = file;
  state[QStringLiteral("arm")] = arm;
  state[QStringLiteral("of_experiment")] = m_experiment ? isOfExperiment() : m_restored.isShown;
  state[QStringLiteral("ledger")] = m_controls->ledgerName();
  state[QStringLiteral("compared")] = QJsonArray::fromStringList(m_controls->comparedLedgers());
  m_settings->setMemoryPage(QJsonDocument(state).toJson(QJsonDocument::Compact));
}

void MemoryPage::restoreState() {
  const QJsonObject state = QJsonDocument::fromJson(m_settings->memoryPage()).object();
  if (state.isEmpty()) return;
  const LedgerStore values = LedgerStore::fromJson(state[QStringLiteral("values")].toString().toUtf8());
  m_restored.file = state[QStringLiteral("file")].toString();
  m_restored.arm = state[QStringLiteral("arm")].toString();
  m_restored.isShown = state[QStringLiteral("of_experiment")].toBool();
  if (const KeptLedger* const kept = values.find(QString::fromLatin1(kExperimentKey))) m_restored.values = kept->values;
  m_controls->offerLedgers(m_store.names(), state[QStringLiteral("ledger")].toString());
  for (const QJsonValue name : state[QStringLiteral("compared")].toArray()) {
    if (m_store.find(name.toString()) != nullptr) m_controls->compareWith(name.toString());
  }
  const KeptLedger* const typed = values.find(QString::fromLatin1(kTypedKey));
  if (typed != nullptr && !isOfExperiment()) setValues(typed->values);
}

/// Its values and its arm stand here again, and once more when its steps have been traced anew.
void MemoryPage::restoreExperiment() {
  const Restored restored = std::exchange(m_restored, {});
  if (!restored.arm.isEmpty()) {
    m_wanted = KeptLedger{restored.values, KeptTrace{QString::fromStdString(m_experiment->name), restored.arm, {}}};
  }
  if (isOfExperiment() || !restored.isShown) {
    (isOfExperiment() ? m_times : m_otherValues.times) = restored.values.times;
    if (!isOfExperiment()) m_otherValues = restored.values;
    return recompute();
  }
  m_otherValues = values();
  m_controls->setSource(LedgerControls::Source::Experiment);
  setValues(restored.values);
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
