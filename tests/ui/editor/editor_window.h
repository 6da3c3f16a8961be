// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QFile>
#include <QLineEdit>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <memory>

#include "app/workbench/pages.h"
#include "core/archive/writer.h"
#include "tests/ui/shell/strip_sentences.h"
#include "ui/editor/editor_questions.h"
#include "ui/editor/editor_tabs.h"
#include "ui/editor/experiment_editor.h"
#include "ui/editor/experiment_form.h"
#include "ui/editor/field.h"
#include "ui/editor/form_section.h"
#include "ui/editor/outline_model.h"
#include "ui/editor/text_view.h"
#include "ui/shell/action_list.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/page.h"
#include "ui/shell/settings.h"

inline const QString kSound = QStringLiteral("mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n");

/// A window with the editor in it, and a folder of its own.
class EditorWindow {
 public:
  EditorWindow()
      : m_settings(path("workbench.ini")),
        window(std::make_unique<mantissa::ui::shell::MainWindow>(m_settings, &m_log, mantissa::workbench::makePages())),
        editors(mantissa::workbench::addEditor(*window)) {
    window->resize(1400, 900);
    window->show();
    if (!QTest::qWaitForWindowExposed(window.get())) qFatal("the window does not show");
    window->activateWindow();
  }
  ~EditorWindow() { mantissa::ui::editor::editorQuestions() = m_questions; }

  QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

  QString written(const char* name, const QString& text) const {
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly)) qFatal("a test file cannot be written");
    file.write(text.toUtf8());
    return file.fileName();
  }

  QString content(const char* name) const {
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QStringLiteral("unreadable");
  }

  /// The editor of a file, with its text checked.
  mantissa::ui::editor::ExperimentEditor* open(const QString& file) {
    editors->openFile(file);
    settle();
    return editors->current();
  }

  void settle() {
    if (!QTest::qWaitFor([this] { return editors->isSettled(); })) qFatal("the editor does not settle");
  }

  void setText(mantissa::ui::editor::ExperimentEditor* editor, const QString& text) {
    editor->text()->edit(0, static_cast<int>(editor->text()->text().size()), text);
    settle();
  }

  /// An archive with one experiment, a reference (id 1), open in the window.
  void openArchive(const char* name, const QString& text) {
    mantissa::archive::Writer writer(path("a.db").toStdString());
    mantissa::record::ExperimentStart experiment;
    experiment.name = name;
    experiment.file = path("run.toml").toStdString();
    experiment.text = text.toStdString();
    mantissa::record::TrialStart reference;
    reference.experiment = writer.begin_experiment(experiment);
    reference.kind = mantissa::record::TrialKind::Reference;
    reference.name = "reference";
    writer.finish_trial(writer.begin_trial(reference), {});
    writer.close();
    window->open(path("a.db"));
    if (!QTest::qWaitFor([this] { return !window->archive().isEmpty(); })) qFatal("the archive does not open");
  }

  /// Shows the page of a key and gives its field.
  static mantissa::ui::editor::Field* field(mantissa::ui::editor::ExperimentEditor* editor, const char* path) {
    const QString key = QString::fromLatin1(path);
    editor->showPage(editor->outline()->pageOf(key));
    for (auto* const one : editor->form()->section()->fields()) {
      if (one->path() == key) return one;
    }
    qFatal("no field of %s", path);
  }

  /// Goes into the line of a key and selects what stands in it.
  static QLineEdit* begin(mantissa::ui::editor::ExperimentEditor* editor, const char* path) {
    auto* const line = qobject_cast<QLineEdit*>(field(editor, path)->input());
    line->setFocus();
    line->selectAll();
    return line;
  }

  QAction* action(const char* name) const { return window->actions()->find(QString::fromLatin1(name)); }
  void trigger(const char* name) const { action(name)->trigger(); }

  QString tabText() const {
    const auto* const tabs = window->findChild<QTabWidget*>();
    return tabs->tabText(tabs->currentIndex());
  }

  /// The sentences of an editor's strips.
  static QString strip(mantissa::ui::editor::ExperimentEditor* editor) {
    return mantissa::test::stripSentences(editor->strips()).join(QLatin1Char('\n'));
  }

  /// Presses a button of an editor's strips.
  static void wayOut(mantissa::ui::editor::ExperimentEditor* editor, const QString& words) {
    for (QToolButton* const button : editor->strips()->findChildren<QToolButton*>()) {
      if (button->text() != words) continue;
      button->click();
      return;
    }
    qFatal("no such way out: %s", qPrintable(words));
  }

 private:
  mantissa::ui::editor::EditorQuestions m_questions = mantissa::ui::editor::editorQuestions();
  QTemporaryDir m_folder;
  mantissa::ui::shell::Settings m_settings;
  mantissa::ui::shell::LogModel m_log;

 public:
  std::unique_ptr<mantissa::ui::shell::MainWindow> window;
  mantissa::ui::editor::EditorTabs* editors;
};
