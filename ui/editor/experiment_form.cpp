// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/experiment_form.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/editor/field.h"
#include "ui/editor/form_section.h"
#include "ui/editor/key_fields.h"
#include "ui/editor/toml_text.h"
#include "ui/rules/rules_explainer.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {
namespace {

const QString kTrials = QStringLiteral("trial");

bool isOfRules(const QString& page) {
  return withoutPlaces(page).section(QLatin1Char('.'), 0, 0) == QLatin1String("rules");
}

}  // namespace

ExperimentForm::ExperimentForm(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel),
      m_help(new QLabel),
      m_stale(new QLabel),
      m_problem(new QLabel),
      m_copy(new QPushButton(tr("Duplicate"))),
      m_remove(new QPushButton(tr("Remove"))),
      m_showAll(new QCheckBox(tr("Show the keys of other kinds, too"))),
      m_area(new QScrollArea),
      m_halves(new QSplitter(Qt::Vertical)),
      m_pages(new QVBoxLayout),
      m_policies(new PoliciesView),
      m_rules(new rules::RulesExplainer) {
  setAccessibleName(tr("Form of the experiment"));
  QFont bold = m_title->font();
  bold.setBold(true);
  m_title->setFont(bold);
  m_help->setForegroundRole(QPalette::PlaceholderText);
  for (QLabel* const label : {m_title, m_help, m_stale, m_problem}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  m_stale->hide();
  m_problem->hide();
  auto* const head = new QHBoxLayout;
  head->addWidget(m_title, 1);
  for (QPushButton* const button : {m_copy, m_remove}) {
    button->setAutoDefault(false);
    head->addWidget(button);
  }
  connect(m_copy, &QPushButton::clicked, this, [this] { Q_EMIT copyRequested(m_page); });
  connect(m_remove, &QPushButton::clicked, this, [this] { Q_EMIT removalRequested(m_page); });
  connect(m_showAll, &QCheckBox::toggled, this, [this](bool all) {
    for (FormSection* const section : qAsConst(m_sections)) section->setShowingAll(all);
  });
  connect(m_policies, &PoliciesView::openRequested, this, &ExperimentForm::pageRequested);
  connect(m_policies, &PoliciesView::copyRequested, this, &ExperimentForm::copyRequested);
  connect(m_policies, &PoliciesView::removalRequested, this, &ExperimentForm::removalRequested);
  connect(m_policies, &PoliciesView::presetRequested, this, &ExperimentForm::presetRequested);
  m_showAll->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_showAll->setToolTip(m_showAll->text());  // a narrow form cuts it
  m_pages->addWidget(m_policies);
  auto* const body = new QWidget;
  auto* const column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(m_pages);
  column->addWidget(m_showAll);
  column->addStretch(1);
  m_area->setWidget(body);
  m_area->setWidgetResizable(true);
  m_area->setFrameShape(QFrame::NoFrame);
  m_area->setFocusPolicy(Qt::NoFocus);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 0, 8, 0);
  layout->setSpacing(8);
  layout->addLayout(head);
  layout->addWidget(m_help);
  m_halves->addWidget(m_area);
  m_halves->addWidget(m_rules);
  m_halves->setChildrenCollapsible(false);
  m_halves->setStretchFactor(0, 3);
  m_halves->setStretchFactor(1, 4);
  m_rules->hide();
  layout->addWidget(m_halves, 1);
  // Below: what comes and goes moves no field.
  layout->addWidget(m_stale);
  layout->addWidget(m_problem);
  showPage({});
}

void ExperimentForm::showText(const TomlText& toml, const QString& folder) {
  m_text = toml.text();
  m_folder = folder;
  // Pages of tables that are gone go; the one in front is asked for anew by whoever knows what is there.
  for (auto section = m_sections.begin(); section != m_sections.end();) {
    const bool isGone = section.key().endsWith(QLatin1Char(']')) && !toml.has(section.key()) &&
                        !section.key().endsWith(QLatin1String("[0]")) && section.key() != m_page;
    if (isGone) {
      section.value()->deleteLater();
      section = m_sections.erase(section);
    } else {
      section.value()->showText(toml, folder);
      ++section;
    }
  }
  m_policies->showText(toml);
  const bool isItem = m_page.endsWith(QLatin1Char(']')) && toml.has(m_page);
  m_copy->setVisible(isItem);
  m_remove->setVisible(isItem);
  tellOthers();
}

void ExperimentForm::setStale(const QString& words) {
  m_stale->setText(words);
  m_stale->setVisible(!words.isEmpty());
  QPalette palette = m_stale->palette();
  palette.setColor(QPalette::WindowText, shell::Theme::colors().bad);
  m_stale->setPalette(palette);
  m_area->widget()->setEnabled(words.isEmpty());
  m_copy->setEnabled(words.isEmpty());
  m_remove->setEnabled(words.isEmpty());
}

void ExperimentForm::showProblems(const QHash<QString, QString>& problems) {
  m_problems = problems;
  for (FormSection* const section : qAsConst(m_sections)) section->showProblems(problems);
  tellPageProblem();
}

void ExperimentForm::tellPageProblem() {
  QStringList words;
  const FormSection* const shown = section();
  for (auto one = m_problems.begin(); one != m_problems.end(); ++one) {
    const QString table = m_page == one.key() ? m_page : parentPath(one.key());
    if (table != m_page) continue;
    const bool hasField =
        shown != nullptr && std::any_of(shown->fields().begin(), shown->fields().end(),
                                        [&](const Field* field) { return field->path() == one.key(); });
    if (!hasField) words << one.key() + QStringLiteral(": ") + one.value();
  }
  m_problem->setText(words.join(QLatin1Char('\n')));
  m_problem->setVisible(!words.isEmpty());
  QPalette palette = m_problem->palette();
  palette.setColor(QPalette::WindowText, shell::Theme::colors().bad);
  m_problem->setPalette(palette);
}

void ExperimentForm::showPage(const QString& table) {
  const bool isOther = m_page != table;
  m_page = table;
  makePage();
  const SectionSpec& spec = sectionSpec(withoutPlaces(table));
  m_title->setText(table == kTrials ? tr("Trials") : spec.title);
  m_help->setText(table == kTrials ? tr("One precision policy each; all of them share the reference") : spec.help);
  m_help->setVisible(!m_help->text().isEmpty());
  if (const std::optional<TomlText> toml = TomlText::read(m_text)) {
    const bool isItem = table.endsWith(QLatin1Char(']')) && toml->has(table);
    m_copy->setVisible(isItem);
    m_remove->setVisible(isItem);
  }
  tellOthers();
  tellPageProblem();
  if (isOther) m_area->verticalScrollBar()->setValue(0);
}

void ExperimentForm::makePage() {
  // Hidden pages take no room: the scroll bar is as long as the page in front.
  for (FormSection* const section : qAsConst(m_sections)) section->setVisible(section->table() == m_page);
  m_policies->setVisible(m_page == kTrials);
  if (isOfRules(m_page)) m_rules->showPage(m_page);
  m_rules->setVisible(isOfRules(m_page));
  if (m_page == kTrials) return;
  FormSection*& section = m_sections[m_page];
  if (section == nullptr) {
    section = new FormSection(m_page);
    section->setShowingAll(m_showAll->isChecked());
    connect(section, &FormSection::edited, this, &ExperimentForm::edited);
    connect(section, &FormSection::cleared, this, &ExperimentForm::cleared);
    connect(section, &FormSection::entered, this, &ExperimentForm::entered);
    if (const std::optional<TomlText> toml = TomlText::read(m_text)) section->showText(*toml, m_folder);
    section->showProblems(m_problems);
    m_pages->addWidget(section);
  }
}

FormSection* ExperimentForm::section() const { return m_page == kTrials ? nullptr : m_sections.value(m_page); }

bool ExperimentForm::takeBackTyping() {
  bool isTaken = false;
  if (const FormSection* const shown = section()) {
    for (Field* const field : shown->fields()) isTaken = field->takeBackTyping() || isTaken;
  }
  return isTaken;
}

void ExperimentForm::finishTyping() {
  if (const FormSection* const shown = section()) {
    for (Field* const field : shown->fields()) field->finishTyping();
  }
}

void ExperimentForm::tellOthers() {
  const FormSection* const shown = section();
  m_showAll->setVisible(shown != nullptr && shown->hasOthers());
}

}  // namespace mantissa::ui::editor
