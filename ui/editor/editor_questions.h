// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace mantissa::ui::editor {

/// What the editor asks a person. Members are replaceable: tests answer instead.
struct EditorQuestions {
  enum class Closing { Save, Discard, Cancel };
  enum class Saving { Save, SaveAs, Cancel };

  /// A changed file is to be closed.
  std::function<Closing(QWidget* parent, const QString& title)> closing;
  /// A changed file is to be run or queued, which runs what is saved: in this file, or in another one that is run in
  /// its place. Cancel: neither saved nor run.
  std::function<Saving(QWidget* parent, const QString& title)> savingBeforeRun;
  /// What another program wrote into the file is to be replaced.
  std::function<bool(QWidget* parent, const QString& title)> overwriting;
  /// Changes are to be given up for what the file holds now.
  std::function<bool(QWidget* parent, const QString& title)> givingUp;
  /// Where to write; `suggestion` is a whole path. Empty: nowhere.
  std::function<QString(QWidget* parent, const QString& suggestion)> place;
  /// An existing file for a key whose value is a path. Empty: none.
  std::function<QString(QWidget* parent, const QString& folder)> existingFile;
  /// One of the rows (name, what it shows) to begin a new experiment with; -1: none.
  std::function<int(QWidget* parent, const QList<std::pair<QString, QString>>& rows)> templateRow;
};

/// The ones in force; at first dialogs.
EditorQuestions& editorQuestions();

}  // namespace mantissa::ui::editor
