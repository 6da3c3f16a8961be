// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>
#include <QVector>

namespace mantissa::ui::editor {

class TomlText;

/// What stands for the value of a table below a header of its own, which is none that a field could hold.
inline constexpr QStringView kTableWithHeader = u"[\u2026]";

/// How a key is entered.
enum class FieldKind {
  Choice,      ///< one of the words
  OpenChoice,  ///< one of the words, or another text
  Switch,      ///< true or false
  Number,      ///< a number in the C locale; what is none is written as a text
  Text,
  File,          ///< a path, relative to the experiment file
  TextList,      ///< texts with commas between them
  TextOrList,    ///< the same; one text stands alone
  NumberList,    ///< numbers with commas between them; what is none is written as a text
  SeveralWords,  ///< any of the words
  AnyValue,      ///< as TOML spells it
  InTextOnly,    ///< a table that the form shows and the text changes
};

/// A key of the experiment file as the form shows it; made of its entry in the key catalogue.
struct FieldSpec {
  QString key;            ///< "trial.scaler.init_scale"
  QString label;          ///< "First scale"
  QString unit;           ///< "steps"; empty: none
  QString help;           ///< what it is for
  QString standard;       ///< the default as the catalogue states it; empty: none
  QString standardWords;  ///< the same in the language of the window
  QString waitsFor;       ///< empty: available; else the feature that it waits for
  FieldKind kind = FieldKind::Text;
  bool isWhole = false;       ///< of numbers: integers alone
  int count = 0;              ///< of a list: how many items it has; 0: any number of them
  QStringList words;          ///< of choices, as the file spells them
  QStringList wordsThatWait;  ///< words of the contract that this version does not take
  QString selector;        ///< the key beside it that decides whether it matters: "model.kind"; empty: it always does
  QStringList selectedBy;  ///< the words of the selector under which it matters
};

/// A table of the file as one page of the form.
struct SectionSpec {
  QString table;  ///< "training", "trial"; empty: the keys above all tables, "*": tables that only the text changes
  QString title;
  QString help;
  QVector<FieldSpec> fields;  ///< keys of tables inside of it included
};

/// All pages, in the order of the file. Every key of the catalogue that holds a value stands on exactly one.
const QVector<SectionSpec>& sectionSpecs();
const SectionSpec& sectionSpec(const QString& table);

/// "Training", "Optimizer": a table in plain words.
QString tableTitle(const QString& table);

/// What counts where the key is not stated, in this text: of scalers the preset's value.
QString defaultIn(const TomlText& toml, const FieldSpec& spec, const QString& path);

/// Whether the key matters under what the text says.
bool isRelevant(const TomlText& toml, const FieldSpec& spec, const QString& path);

}  // namespace mantissa::ui::editor
