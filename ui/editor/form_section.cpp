// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/form_section.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

#include <algorithm>

#include "ui/editor/field.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {

FormSection::FormSection(const QString& table, QWidget* parent)
    : QWidget(parent), m_table(table), m_form(new QFormLayout(this)) {
  m_form->setContentsMargins(0, 0, 8, 0);
  m_form->setHorizontalSpacing(12);
  m_form->setVerticalSpacing(2);  // and the line of each field's problem
  m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
  const SectionSpec& spec = sectionSpec(withoutPlaces(table));
  // The table's own keys first; the tables inside of it below them, each under its name. A table that may be a plain
  // value, too, is one of the own keys.
  const auto groupOf = [&](const FieldSpec& field) {
    const QString above = spec.table == QLatin1String("*") ? QString() : parentPath(field.key);
    const bool isOwn =
        above == spec.table || above.isEmpty() ||
        std::any_of(spec.fields.begin(), spec.fields.end(), [&](const FieldSpec& other) { return other.key == above; });
    return isOwn ? QString() : above;
  };
  QVector<FieldSpec> fields = spec.fields;
  std::stable_partition(fields.begin(), fields.end(), [&](const FieldSpec& field) { return groupOf(field).isEmpty(); });
  QString group;
  for (const FieldSpec& field : qAsConst(fields)) {
    if (groupOf(field) != group) {
      group = groupOf(field);
      auto* const heading = new QLabel(tableTitle(group));
      heading->setTextFormat(Qt::PlainText);
      QFont bold = heading->font();
      bold.setBold(true);
      heading->setFont(bold);
      heading->setContentsMargins(0, 8, 0, 0);
      m_form->addRow(heading);
    }
    addField(field);
  }
}

void FormSection::addField(const FieldSpec& spec) {
  const QString table = withoutPlaces(m_table);
  const bool isWhole = table.isEmpty() || table == QLatin1String("*");
  const QString path = isWhole ? spec.key : m_table + spec.key.mid(table.size());
  Field* const field = Field::make(spec, path);
  m_fields << field;
  m_isRelevant[field] = true;
  connect(field, &Field::edited, this,
          [this, path](const QString& value, bool isTyping) { Q_EMIT edited(path, value, isTyping); });
  connect(field, &Field::cleared, this, [this, path] { Q_EMIT cleared(path); });
  connect(field, &Field::entered, this, [this, path] { Q_EMIT entered(path); });
  auto* const label = new QLabel(spec.label);
  label->setTextFormat(Qt::PlainText);
  label->setBuddy(field->input());
  label->setEnabled(spec.waitsFor.isEmpty());
  label->setToolTip(field->toolTip());
  label->setWhatsThis(field->whatsThis());
  label->setWordWrap(true);
  // The word stands at the middle of a line and stays there, whatever comes below the line.
  static const int lineHeight = QLineEdit().sizeHint().height();
  label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  label->setContentsMargins(0, std::max(0, (lineHeight - label->fontMetrics().height()) / 2), 0, 0);
  m_form->addRow(label, field);
}

void FormSection::showText(const TomlText& toml, const QString& folder) {
  for (Field* const field : m_fields) {
    field->setFolder(folder);
    field->showDefault(defaultIn(toml, field->spec(), field->path()));
    const QString value = toml.value(field->path());
    // A table with a header has no value of its own: that it is there is what can be said.
    field->showValue(value.isEmpty() && toml.has(field->path()) ? kTableWithHeader.toString() : value);
    m_isRelevant[field] = isRelevant(toml, field->spec(), field->path());
  }
  hideOthers();
}

void FormSection::showProblems(const QHash<QString, QString>& problems) {
  for (Field* const field : m_fields) field->showProblem(problems.value(field->path()));
}

void FormSection::setShowingAll(bool all) {
  m_isShowingAll = all;
  hideOthers();
}

void FormSection::hideOthers() {
  m_hasOthers = false;
  for (Field* const field : m_fields) {
    m_hasOthers = m_hasOthers || !m_isRelevant[field];
    // Never a field that the keyboard is in.
    const bool isShown = m_isShowingAll || m_isRelevant[field] || field->input()->hasFocus();
    if (m_form->isRowVisible(field) != isShown) m_form->setRowVisible(field, isShown);
  }
}

}  // namespace mantissa::ui::editor
