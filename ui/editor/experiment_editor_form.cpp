// SPDX-License-Identifier: GPL-3.0-or-later
// How outline, form and text of an experiment stay in step.
#include <QFileInfo>
#include <QTreeView>

#include <algorithm>

#include "ui/editor/experiment_editor.h"
#include "ui/editor/experiment_form.h"
#include "ui/editor/outline_model.h"
#include "ui/editor/problem_places.h"
#include "ui/editor/rules_preset.h"
#include "ui/editor/text_checker.h"
#include "ui/editor/text_view.h"
#include "ui/rules/rules_explainer.h"
#include "ui/shell/message_strip.h"

namespace mantissa::ui::editor {
namespace {

constexpr char kPlaceTopic[] = "place";
constexpr char kPresetTopic[] = "preset of rules";

}  // namespace

QString ExperimentEditor::folder() const {
  return m_file.path.isEmpty() ? QString() : QFileInfo(m_file.path).absolutePath();
}

void ExperimentEditor::listenToForm() {
  connect(m_form, &ExperimentForm::edited, this, [this](const QString& path, const QString& value, bool isTyping) {
    const bool isRenamed = renameExpected(path, value);
    change(path, isTyping || isRenamed ? path : QString(),
           [&](const QString& text) { return withValue(text, path, value); });
    if (!isTyping) m_typedInto.clear();
  });
  connect(m_form, &ExperimentForm::cleared, this, [this](const QString& path) {
    if (!m_toml || !m_toml->has(path)) return;
    change(path, {}, [&](const QString& text) { return withoutKey(text, path); });
  });
  connect(m_form, &ExperimentForm::entered, this, [this](const QString& path) {
    m_typedInto.clear();  // coming back to a field begins another edit
    const int line = m_toml ? m_toml->lineOf(path) : 0;
    if (line > 0 && line != m_text->currentLine()) m_text->goTo(line);
  });
  connect(m_form, &ExperimentForm::copyRequested, this, &ExperimentEditor::copyItem);
  connect(m_form, &ExperimentForm::removalRequested, this, &ExperimentEditor::removeItem);
  connect(m_form, &ExperimentForm::pageRequested, this, &ExperimentEditor::showPage);
  connect(m_form, &ExperimentForm::presetRequested, this, &ExperimentEditor::addTrial);
  connect(m_form->rules(), &rules::RulesExplainer::presetRequested, this, &ExperimentEditor::takeRulesPreset);
  connect(m_outline, &QAbstractItemModel::modelReset, m_outlineView, &QTreeView::expandAll);
  connect(m_outlineView->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid()) return;
            const QString table = current.data(OutlineModel::PathRole).toString();
            m_form->showPage(table);
            const int line = m_toml ? m_toml->lineOf(table) : 0;
            if (line > 0 && m_outlineView->hasFocus()) m_text->goTo(line);
          });
  connect(m_text, &QPlainTextEdit::cursorPositionChanged, this, [this] {
    // The form follows a person in the text; a place in a text that has changed meanwhile may be another one.
    if (!m_text->hasFocus() || !m_toml || m_checker->isPending()) return;
    showPage(m_outline->pageOf(m_toml->pathAt(m_text->currentLine())));
  });
}

void ExperimentEditor::showPage(const QString& table) {
  const QModelIndex index = m_outline->indexOf(table);
  if (!index.isValid()) return;
  if (m_outlineView->currentIndex() != index) m_outlineView->setCurrentIndex(index);
  m_form->showPage(table);
}

void ExperimentEditor::showText() {
  std::optional<TomlText> toml = TomlText::read(m_text->text());
  const bool isBroken = !toml || (!m_problems.isToml && !m_problems.problems.isEmpty());
  if (isBroken) {
    const QString words =
        m_problems.problems.isEmpty() ? tr("The text cannot be read.") : m_problems.problems.first().sentence();
    m_form->setStale(tr("%1 Until then the form shows what could be read last.").arg(words));
    explainRules();
    return;
  }
  m_toml = std::move(toml);
  m_form->setStale({});
  m_outline->showText(*m_toml);
  m_form->showText(*m_toml, folder());
  // The page in front may be gone with its table, or has lost its row to a new outline.
  showPage(m_outline->indexOf(m_form->page()).isValid() ? m_form->page() : m_outline->pageOf(m_form->page()));
  showProblems();
  explainRules();
}

void ExperimentEditor::explainRules() {
  const QString named = m_toml ? decodedText(m_toml->value(QStringLiteral("name"))).value_or(QString()) : QString();
  m_form->rules()->setText(m_text->text(), nameForChecks(),
                           named.isEmpty() ? QFileInfo(nameForChecks()).completeBaseName() : named,
                           m_toml && m_toml->has(QStringLiteral("rules")));
}

void ExperimentEditor::explainRulesBy(const QString& archive, const rules::EvidenceReader& read) {
  m_form->rules()->setArchive(archive, read);
}

bool ExperimentEditor::isExplaining() const { return m_form->rules()->isVisible() && !m_form->rules()->isSettled(); }

void ExperimentEditor::showProblems() {
  const QHash<QString, QString> words = wordsByPath(m_problems, *m_toml);
  m_form->showProblems(words);
  QHash<QString, QString> byPage;
  for (auto one = words.begin(); one != words.end(); ++one) {
    QString& all = byPage[m_outline->pageOf(one.key())];
    all += (all.isEmpty() ? QString() : QStringLiteral("\n")) + one.key() + QStringLiteral(": ") + one.value();
  }
  m_outline->showProblems(byPage);
}

void ExperimentEditor::change(const QString& path, const QString& typedInto, const Change& change) {
  const std::optional<TextEdit> edit = change(m_text->text());
  if (!edit) {
    m_strips->show(shell::MessageStrip::Kind::Warning,
                   tr("%1 cannot be changed from here as the text is written. Change it in the text.").arg(path),
                   QString::fromLatin1(kPlaceTopic));
    return;
  }
  m_strips->dismiss(QString::fromLatin1(kPlaceTopic));
  const bool isSameStep =
      !typedInto.isEmpty() && typedInto == m_typedInto && m_typedRevision == m_text->document()->revision();
  m_text->edit(edit->position, edit->removed, edit->inserted, isSameStep);
  m_typedInto = typedInto;
  m_typedRevision = m_text->document()->revision();
  showChangedText();
}

/// A trial that gets another name takes what is expected of it along, in one step with its name. \return whether it has
bool ExperimentEditor::renameExpected(const QString& path, const QString& value) {
  if (!m_toml || !path.startsWith(QLatin1String("trial[")) || lastName(path) != QLatin1String("name")) return false;
  const std::optional<QString> before = decodedText(m_toml->value(path));
  const std::optional<QString> after = decodedText(value);
  if (!before || !after || before->isEmpty() || after->isEmpty() || *before == *after) return false;
  // Of two trials with one name nobody knows whose it is.
  int alike = 0;
  for (int i = 0; i < m_toml->count(QStringLiteral("trial")); ++i) {
    const auto name = decodedText(m_toml->value(QStringLiteral("trial[%1].name").arg(i)));
    if (name == before || name == after) ++alike;
  }
  if (alike != 1) return false;
  const auto entry = std::find_if(m_toml->entries().begin(), m_toml->entries().end(), [&](const TomlEntry& one) {
    return parentPath(one.path) == QLatin1String("expect") && lastName(one.path) == *before;
  });
  if (entry == m_toml->entries().end()) return false;
  const QString renamed = entry->path;
  if (!withOtherName(m_text->text(), renamed, *after)) return false;
  change(renamed, path, [&](const QString& text) { return withOtherName(text, renamed, *after); });
  return true;
}

void ExperimentEditor::showChangedText() {
  std::optional<TomlText> toml = TomlText::read(m_text->text());
  if (!toml) return;  // the check says why
  m_toml = std::move(toml);
  m_outline->showText(*m_toml);
  m_form->showText(*m_toml, folder());
  if (const QModelIndex index = m_outline->indexOf(m_form->page()); index.isValid()) {
    m_outlineView->setCurrentIndex(index);
  }
  explainRules();
}

void ExperimentEditor::undo() {
  m_typedInto.clear();
  m_strips->dismiss(QString::fromLatin1(kPresetTopic));
  // A line that was emptied has its value in the text still.
  if (m_form->takeBackTyping()) {
    showChangedText();
    return;
  }
  m_text->undo();
  showChangedText();
}

void ExperimentEditor::redo() {
  m_typedInto.clear();
  m_text->redo();
  showChangedText();
}

void ExperimentEditor::finishTyping() { m_form->finishTyping(); }

void ExperimentEditor::addTrial(const PolicyPreset& preset) {
  if (!m_toml) return;
  const QString name = freeTrialName(preset.name);
  const bool inBraces = m_toml->entry(QStringLiteral("trial")) != nullptr;
  const int place = m_toml->count(QStringLiteral("trial"));
  change(QStringLiteral("trial"), {}, [&](const QString& text) {
    return withItem(text, QStringLiteral("trial"), policyLines(preset, name, inBraces));
  });
  const int line = m_toml->lineOf(QStringLiteral("trial[%1]").arg(place));
  if (line > 0) m_text->goTo(line);
}

void ExperimentEditor::takeRulesPreset(const QString& preset) {
  finishTyping();
  const std::optional<PresetText> taken = withRulesPreset(m_text->text(), preset);
  if (!taken) {
    m_strips->show(shell::MessageStrip::Kind::Warning,
                   tr("The preset cannot be written from here as the text is written. Change it in the text."),
                   QString::fromLatin1(kPlaceTopic));
    return;
  }
  m_strips->dismiss(QString::fromLatin1(kPlaceTopic));
  m_strips->dismiss(QString::fromLatin1(kPresetTopic));
  m_typedInto.clear();
  m_text->replace(taken->text);
  showChangedText();
  const QString page = m_outline->pageOf(taken->key);
  showPage(m_outline->indexOf(page).isValid() ? page : QStringLiteral("rules"));
  const int line = m_toml ? m_toml->lineOf(taken->key) : 0;
  if (line > 0) m_text->goTo(line);
  QStringList notes;
  if (!taken->replaced.isEmpty()) {
    notes
        << tr("The preset took the place of %1. Undo brings it back.").arg(taken->replaced.join(QStringLiteral(", ")));
  }
  const bool needsFloat64 = preset == QLatin1String("torchdynamo");
  if (needsFloat64 && m_toml && m_toml->value(QStringLiteral("reference.float64")) != QLatin1String("true")) {
    notes << tr("It compares with outputs in FP64, which a run has with reference.float64 = true alone.");
  }
  if (notes.isEmpty()) return;
  m_strips->show(shell::MessageStrip::Kind::Note, notes.join(QLatin1Char(' ')), QString::fromLatin1(kPresetTopic));
}

void ExperimentEditor::usePlan(qint64 batch, qint64 accumulate, bool activationCheckpointing) {
  if (!m_toml) return;
  const QString step = QStringLiteral("plan");
  m_typedInto.clear();
  const auto write = [&](const QString& path, const QString& value, bool isDefault) {
    if (isDefault && !m_toml->has(path)) return;
    if (m_toml->value(path) == value) return;
    change(path, step, [&](const QString& text) { return withValue(text, path, value); });
  };
  write(QStringLiteral("training.batch"), QString::number(batch), false);
  write(QStringLiteral("training.accumulate"), QString::number(accumulate), accumulate == 1);
  write(QStringLiteral("training.activation_checkpointing"),
        tomlText(activationCheckpointing ? QStringLiteral("blocks") : QStringLiteral("off")), !activationCheckpointing);
  m_typedInto.clear();
  showPage(QStringLiteral("training"));
  const int line = m_toml->lineOf(QStringLiteral("training.batch"));
  if (line > 0) m_text->goTo(line);
}

void ExperimentEditor::copyItem(const QString& path) {
  if (!m_toml) return;
  const QString list = parentPath(path);
  const int place = path.mid(list.size() + 1).chopped(1).toInt() + 1;
  const QString copy = QStringLiteral("%1[%2]").arg(list).arg(place);
  const std::optional<QString> name = decodedText(m_toml->value(path + QStringLiteral(".name")));
  m_typedInto.clear();
  change(path, copy, [&](const QString& text) { return withCopy(text, path); });
  if (name && m_toml->has(copy)) {
    // One step with the copy itself: two trials never have one name.
    change(copy, copy, [&](const QString& text) {
      return withValue(text, copy + QStringLiteral(".name"), tomlText(freeTrialName(*name)));
    });
  }
  m_typedInto.clear();
  if (m_form->page() != list) showPage(copy);
}

void ExperimentEditor::removeItem(const QString& path) {
  const QString list = parentPath(path);
  change(path, {}, [&](const QString& text) { return withoutItem(text, path); });
  if (m_form->page() == path) showPage(m_outline->indexOf(list).isValid() ? list : m_outline->pageOf(list));
}

QString ExperimentEditor::freeTrialName(const QString& wish) const {
  QStringList taken;
  for (int i = 0; i < m_toml->count(QStringLiteral("trial")); ++i) {
    taken << decodedText(m_toml->value(QStringLiteral("trial[%1].name").arg(i))).value_or(QString());
  }
  QString name = wish;
  for (int number = 2; taken.contains(name); ++number) name = QStringLiteral("%1-%2").arg(wish).arg(number);
  return name;
}

}  // namespace mantissa::ui::editor
