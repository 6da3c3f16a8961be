// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/field_kinds.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/spec/check_text.h"
#include "ui/editor/editor_questions.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

constexpr int kUnitMargin = 6;     // px
constexpr int kLongestWords = 24;  // letters of a default that fit into a field

/// A line with its unit at the right end, as a spin box has it.
class UnitLine : public QLineEdit {
 public:
  explicit UnitLine(const QString& unit) : m_unit(unit) {
    if (!unit.isEmpty()) setTextMargins(0, 0, fontMetrics().horizontalAdvance(unit) + kUnitMargin, 0);
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QLineEdit::paintEvent(event);
    if (m_unit.isEmpty()) return;
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(0, 0, -kUnitMargin, 0), Qt::AlignRight | Qt::AlignVCenter, m_unit);
  }

 private:
  QString m_unit;
};

/// A combo box whose first row is the default: what is not in the file is written as faintly as it is in a line, and
/// what is too long for its place ends in dots.
class WordBox : public QComboBox {
 public:
  QString standard;  ///< the word of the default alone; empty: what the first row says

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    if (currentIndex() == 0) {
      if (!standard.isEmpty()) option.currentText = standard;
      option.palette.setColor(QPalette::ButtonText, palette().color(QPalette::PlaceholderText));
    }
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const int width = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width();
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, width - kUnitMargin);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
  }
};

/// A word as a value: true and false stand for themselves.
QString wordValue(const QString& word) {
  return word == QLatin1String("true") || word == QLatin1String("false") ? word : tomlText(word);
}

QString textOf(const QString& value) { return decodedText(value).value_or(value); }

/// Whether TOML would read exactly this as a value: anything else would break the text, and the form with it.
bool isOneValue(const QString& text) {
  const QString line = QStringLiteral("a = ") + text;
  const std::optional<TomlText> toml = TomlText::read(line);
  return toml && toml->value(QStringLiteral("a")) == text && spec::check_text(line.toStdString(), {}).is_toml;
}

/// An item of a list that is written with commas.
QString itemValue(const QString& item, FieldKind kind) {
  return kind == FieldKind::NumberList && isTomlNumber(item) ? item : tomlText(item);
}

}  // namespace

ChoiceField::ChoiceField(const FieldSpec& spec, const QString& path, QWidget* parent)
    : Field(spec, path, parent), m_box(new WordBox) {
  m_box->setEditable(spec.kind == FieldKind::OpenChoice);
  m_box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_box->addItem(QString());
  for (const QString& word : spec.words) m_box->addItem(word, word);
  auto* const items = qobject_cast<QStandardItemModel*>(m_box->model());
  for (const QString& word : spec.wordsThatWait) {
    m_box->addItem(tr("%1 (not yet available)").arg(word), word);
    items->item(m_box->count() - 1)->setEnabled(false);
  }
  if (m_box->isEditable()) {
    m_box->setInsertPolicy(QComboBox::NoInsert);
    connect(m_box->lineEdit(), &QLineEdit::textEdited, this, [this](const QString& text) {
      // Empty on the way to another word: the key goes when the field is left.
      if (!text.trimmed().isEmpty()) Q_EMIT edited(wordValue(text.trimmed()), true);
    });
    connect(m_box->lineEdit(), &QLineEdit::editingFinished, this, &ChoiceField::finishTyping);
    m_box->lineEdit()->installEventFilter(this);
  }
  connect(m_box, &QComboBox::activated, this, [this](int row) { send(m_box->itemData(row).toString()); });
  setInput(m_box);
}

void ChoiceField::send(const QString& word) {
  if (word.trimmed().isEmpty()) {
    Q_EMIT cleared();
  } else {
    Q_EMIT edited(wordValue(word.trimmed()), false);
  }
}

bool ChoiceField::takeBackTyping() {
  QLineEdit* const line = m_box->lineEdit();
  if (line == nullptr || !line->isModified() || !line->text().trimmed().isEmpty()) return false;
  line->setModified(false);
  return true;
}

void ChoiceField::finishTyping() {
  if (takeBackTyping()) Q_EMIT cleared();
}

void ChoiceField::showDefault(const QString& words) {
  // A default in many words stands in the help; here it would be cut.
  const QString text = words.isEmpty()                ? tr("not stated")
                       : words.size() > kLongestWords ? tr("default")
                                                      : tr("%1 (default)").arg(words);
  m_box->setItemText(0, text);
  static_cast<WordBox*>(m_box)->standard = words.size() > kLongestWords ? QString() : words;
  m_box->setItemData(0, text, Qt::ToolTipRole);
  if (m_box->isEditable()) m_box->lineEdit()->setPlaceholderText(words);
}

void ChoiceField::showInInput(const QString& value) {
  const QString word = textOf(value);
  if (m_box->isEditable()) {
    // Of what is being typed, the word is in the file already.
    const QString typed = m_box->lineEdit()->text().trimmed();
    const bool isEmptied = typed.isEmpty() && m_box->lineEdit()->isModified();
    if (m_box->lineEdit()->hasFocus() && (isEmptied || typed == word)) return;
    if (m_box->currentText() != word) {
      m_box->setCurrentIndex(m_box->findData(word));
      m_box->setEditText(word);
    }
    return;
  }
  // What is in the file stands in the box, also where it is no word of the choice.
  const int extra = m_box->findData(QStringLiteral("\n"), Qt::UserRole + 1);
  int row = value.isEmpty() ? 0 : m_box->findData(word);
  if (row < 0) {
    if (extra < 0) {
      m_box->addItem(word, word);
      m_box->setItemData(m_box->count() - 1, QStringLiteral("\n"), Qt::UserRole + 1);
      row = m_box->count() - 1;
    } else {
      m_box->setItemText(extra, word);
      m_box->setItemData(extra, word);
      row = extra;
    }
  } else if (extra >= 0 && row != extra) {
    m_box->removeItem(extra);
  }
  m_box->setCurrentIndex(row);
}

SwitchField::SwitchField(const FieldSpec& spec, const QString& path, QWidget* parent)
    : Field(spec, path, parent), m_box(new QCheckBox) {
  m_box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  connect(m_box, &QCheckBox::clicked, this, [this](bool isOn) {
    m_box->setTristate(false);
    Q_EMIT edited(isOn ? QStringLiteral("true") : QStringLiteral("false"), false);
  });
  setInput(m_box);
}

void SwitchField::showDefault(const QString& /*words*/) {}

void SwitchField::showInInput(const QString& value) {
  const bool isStated = value == QLatin1String("true") || value == QLatin1String("false");
  m_box->setTristate(!isStated);
  if (isStated) {
    m_box->setChecked(value == QLatin1String("true"));
    m_box->setText(value == QLatin1String("true") ? tr("yes") : tr("no"));
  } else {
    m_box->setCheckState(Qt::PartiallyChecked);
    // A default in many words stands in the help.
    const QString standard = spec().standard == QLatin1String("true")    ? tr("yes (default)")
                             : spec().standard == QLatin1String("false") ? tr("no (default)")
                                                                         : tr("default");
    m_box->setText(value.isEmpty() ? standard : value);
  }
}

SeveralWordsField::SeveralWordsField(const FieldSpec& spec, const QString& path, QWidget* parent)
    : Field(spec, path, parent) {
  auto* const row = new QWidget;
  auto* const layout = new QVBoxLayout(row);  // below each other: a form may be narrow
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(4);
  for (const QString& word : spec.words) {
    auto* const box = new QCheckBox(word);
    m_boxes << box;
    layout->addWidget(box);
    box->installEventFilter(this);
    connect(box, &QCheckBox::clicked, this, [this] {
      QStringList values;
      for (const QCheckBox* const one : m_boxes) {
        if (one->isChecked()) values << tomlText(one->text());
      }
      Q_EMIT edited(QStringLiteral("[%1]").arg(values.join(QStringLiteral(", "))), false);
    });
  }
  row->setFocusProxy(m_boxes.value(0));
  setInput(row);
}

void SeveralWordsField::showDefault(const QString& /*words*/) {}

void SeveralWordsField::showInInput(const QString& value) {
  // Without the key, what counts then: the tooltip says it in words.
  const QStringList items = listItems(value.isEmpty() ? spec().standard : value).value_or(QStringList());
  for (QCheckBox* const box : m_boxes) box->setChecked(items.contains(tomlText(box->text())));
}

LineField::LineField(const FieldSpec& spec, const QString& path, QWidget* parent)
    : Field(spec, path, parent), m_line(new UnitLine(spec.unit)) {
  setInput(m_line);
  connect(m_line, &QLineEdit::textEdited, this, [this](const QString& text) {
    // Empty on the way to another value: the key goes when the field is left.
    if (!text.trimmed().isEmpty()) Q_EMIT edited(encoded(text.trimmed()), true);
  });
  connect(m_line, &QLineEdit::editingFinished, this, &LineField::finishTyping);
  if (spec.kind == FieldKind::File) {
    auto* const choose = new QToolButton;
    choose->setText(QStringLiteral("…"));
    choose->setAccessibleName(tr("Choose %1").arg(spec.label));
    choose->setToolTip(tr("Chooses a file"));
    connect(choose, &QToolButton::clicked, this, &LineField::chooseFile);
    addToRow(choose);
  }
}

bool LineField::takeBackTyping() {
  const bool isEmptied = m_line->isModified() && m_line->text().trimmed().isEmpty();
  m_line->setModified(false);
  return isEmptied;
}

void LineField::finishTyping() {
  if (takeBackTyping()) Q_EMIT cleared();
}

void LineField::showDefault(const QString& words) {
  m_line->setPlaceholderText(spec().waitsFor.isEmpty() ? words : tr("not yet available"));
}

void LineField::showInInput(const QString& value) {
  // Of what is being typed, the value is in the file already; only its spelling may differ.
  const QString typed = m_line->text().trimmed();
  if (m_line->hasFocus() && (typed.isEmpty() ? m_line->isModified() : encoded(typed) == value)) return;
  const bool hasHeader = value == kTableWithHeader;
  const QString text = hasHeader ? tr("see the text") : decoded(value);
  const bool isTable = value.startsWith(QLatin1Char('{'));  // of a key that takes either: its keys stand below
  const bool isShownOnly = isTable || hasHeader || spec().kind == FieldKind::InTextOnly;
  m_line->setReadOnly(isShownOnly);
  showWhetherItCanBeChanged();
  if (m_line->text() == text) return;
  m_line->setText(text);
  m_line->setCursorPosition(m_line->hasFocus() ? static_cast<int>(text.size()) : 0);
}

void LineField::showWhetherItCanBeChanged() {
  QPalette look;  // of nothing but what is set: the rest follows the theme
  if (m_line->isReadOnly()) look.setColor(QPalette::Base, palette().color(QPalette::Window));
  m_line->setPalette(look);
}

void LineField::changeEvent(QEvent* event) {
  Field::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_line != nullptr) showWhetherItCanBeChanged();
}

QString LineField::encoded(const QString& text) const {
  switch (spec().kind) {
    case FieldKind::Number:
      return isTomlNumber(text) ? text : tomlText(text);
    case FieldKind::AnyValue:
      return isOneValue(text) ? text : tomlText(text);
    case FieldKind::TextOrList:
      if (!text.contains(QLatin1Char(',')) && !text.startsWith(QLatin1Char('['))) return tomlText(text);
      [[fallthrough]];
    case FieldKind::TextList:
    case FieldKind::NumberList: {
      if (text.startsWith(QLatin1Char('['))) {
        return isOneValue(text) ? text : tomlText(text);
      }
      QStringList values;
      QStringList items = text.split(QLatin1Char(','));
      if (items.last().trimmed().isEmpty()) items.removeLast();  // the next one is on its way
      for (const QString& item : qAsConst(items)) values << itemValue(item.trimmed(), spec().kind);
      return QStringLiteral("[%1]").arg(values.join(QStringLiteral(", ")));
    }
    default:
      return tomlText(text);
  }
}

QString LineField::decoded(const QString& value) const {
  if (value.isEmpty() || spec().kind == FieldKind::AnyValue || spec().kind == FieldKind::InTextOnly) {
    return value.simplified();
  }
  const std::optional<QStringList> items = listItems(value);
  if (!items) return textOf(value);
  QStringList texts;
  for (const QString& item : *items) texts << textOf(item);
  const QString joined = texts.join(QStringLiteral(", "));
  // A text with a comma in it, a list in a list: as it is spelled.
  const bool isReadBack = listItems(encoded(joined)).value_or(QStringList()) == *items;
  return isReadBack && !joined.isEmpty() ? joined : value.simplified();
}

void LineField::chooseFile() {
  const QString path = editorQuestions().existingFile(this, folder());
  if (path.isEmpty()) return;
  const QString relative = folder().isEmpty() ? path : QDir(folder()).relativeFilePath(path);
  Q_EMIT edited(tomlText(relative), false);
}

}  // namespace mantissa::ui::editor
