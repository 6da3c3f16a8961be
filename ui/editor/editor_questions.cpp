// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/editor_questions.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/file_dialogs.h"
#include "ui/shell/elided_label.h"

namespace mantissa::ui::editor {
namespace {

QString say(const char* text) { return QCoreApplication::translate("EditorQuestions", text); }

/// A question with a word for yes and a word for no; Enter takes `no` where yes would lose something.
bool ask(QWidget* parent, const QString& title, const QString& text, const QString& yes, const QString& no,
         bool yesIsSafe) {
  QMessageBox box(QMessageBox::Question, title, shell::inLinesOfABox(text), QMessageBox::NoButton, parent);
  box.setTextFormat(Qt::PlainText);
  QPushButton* const accept = box.addButton(yes, QMessageBox::AcceptRole);
  QPushButton* const reject = box.addButton(no, QMessageBox::RejectRole);
  box.setDefaultButton(yesIsSafe ? accept : reject);
  box.setEscapeButton(reject);
  box.exec();
  return box.clickedButton() == accept;
}

EditorQuestions::Closing askClosing(QWidget* parent, const QString& title) {
  QMessageBox box(QMessageBox::Question, say(QT_TRANSLATE_NOOP("EditorQuestions", "Unsaved changes")),
                  shell::inLinesOfABox(
                      say(QT_TRANSLATE_NOOP("EditorQuestions", "Save the changes to %1 before it closes?")).arg(title)),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, parent);
  box.setTextFormat(Qt::PlainText);
  box.setDefaultButton(QMessageBox::Save);
  switch (box.exec()) {
    case QMessageBox::Save:
      return EditorQuestions::Closing::Save;
    case QMessageBox::Discard:
      return EditorQuestions::Closing::Discard;
    default:
      return EditorQuestions::Closing::Cancel;
  }
}

EditorQuestions::Saving askSavingBeforeRun(QWidget* parent, const QString& title) {
  QMessageBox box(
      QMessageBox::Question, say(QT_TRANSLATE_NOOP("EditorQuestions", "Unsaved changes")),
      shell::inLinesOfABox(
          say(QT_TRANSLATE_NOOP("EditorQuestions", "What is saved is what runs. Save %1 and run it?")).arg(title)),
      QMessageBox::Cancel, parent);
  box.setTextFormat(Qt::PlainText);
  QPushButton* const save =
      box.addButton(say(QT_TRANSLATE_NOOP("EditorQuestions", "Save and run")), QMessageBox::AcceptRole);
  QPushButton* const saveAs =
      box.addButton(say(QT_TRANSLATE_NOOP("EditorQuestions", "Save as…")), QMessageBox::AcceptRole);
  saveAs->setToolTip(say(
      QT_TRANSLATE_NOOP("EditorQuestions", "Writes another file, which is run; this one stays as it is on the disk")));
  box.setDefaultButton(save);
  box.exec();
  if (box.clickedButton() == save) return EditorQuestions::Saving::Save;
  return box.clickedButton() == saveAs ? EditorQuestions::Saving::SaveAs : EditorQuestions::Saving::Cancel;
}

int askTemplate(QWidget* parent, const QList<std::pair<QString, QString>>& rows) {
  QDialog dialog(parent);
  dialog.setWindowTitle(say(QT_TRANSLATE_NOOP("EditorQuestions", "New experiment")));
  auto* const list = new QTreeWidget;
  list->setHeaderHidden(true);
  list->setColumnCount(2);
  list->setRootIsDecorated(false);
  list->setWordWrap(true);
  list->setAccessibleName(say(QT_TRANSLATE_NOOP("EditorQuestions", "Templates")));
  for (const auto& [name, shows] : rows) {
    auto* const item = new QTreeWidgetItem(list, {name, shows});
    item->setToolTip(1, shows);
  }
  list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  if (!rows.isEmpty()) list->setCurrentItem(list->topLevelItem(0));
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  QPushButton* const make =
      buttons->addButton(say(QT_TRANSLATE_NOOP("EditorQuestions", "Begin with this")), QDialogButtonBox::AcceptRole);
  make->setDefault(true);
  make->setEnabled(!rows.isEmpty());
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  QObject::connect(list, &QTreeWidget::itemActivated, &dialog, &QDialog::accept);
  auto* const layout = new QVBoxLayout(&dialog);
  layout->addWidget(new QLabel(say(
      QT_TRANSLATE_NOOP("EditorQuestions", "A new experiment begins as a copy of one that ships with the program."))));
  layout->addWidget(list, 1);
  layout->addWidget(buttons);
  dialog.resize(760, 420);
  if (dialog.exec() != QDialog::Accepted) return -1;
  return list->indexOfTopLevelItem(list->currentItem());
}

EditorQuestions dialogs() {
  EditorQuestions questions;
  questions.closing = askClosing;
  questions.savingBeforeRun = askSavingBeforeRun;
  questions.overwriting = [](QWidget* parent, const QString& title) {
    return ask(parent, say(QT_TRANSLATE_NOOP("EditorQuestions", "Changed by another program")),
               say(QT_TRANSLATE_NOOP("EditorQuestions", "Replace what another program wrote into %1?")).arg(title),
               say(QT_TRANSLATE_NOOP("EditorQuestions", "Overwrite")),
               say(QT_TRANSLATE_NOOP("EditorQuestions", "Cancel")), false);
  };
  questions.givingUp = [](QWidget* parent, const QString& title) {
    return ask(
        parent, say(QT_TRANSLATE_NOOP("EditorQuestions", "Unsaved changes")),
        say(QT_TRANSLATE_NOOP("EditorQuestions", "Give up your changes to %1 and read the file again?")).arg(title),
        say(QT_TRANSLATE_NOOP("EditorQuestions", "Read again")), say(QT_TRANSLATE_NOOP("EditorQuestions", "Cancel")),
        false);
  };
  questions.place = [](QWidget* parent, const QString& suggestion) {
    return file_dialogs::save(parent, say(QT_TRANSLATE_NOOP("EditorQuestions", "Save the experiment")), suggestion,
                              say(QT_TRANSLATE_NOOP("EditorQuestions", "Experiments (*.toml);;All files (*)")));
  };
  questions.existingFile = [](QWidget* parent, const QString& folder) {
    return file_dialogs::open(parent, say(QT_TRANSLATE_NOOP("EditorQuestions", "Choose a file")), folder);
  };
  questions.templateRow = askTemplate;
  return questions;
}

}  // namespace

EditorQuestions& editorQuestions() {
  static EditorQuestions questions = dialogs();
  return questions;
}

}  // namespace mantissa::ui::editor
