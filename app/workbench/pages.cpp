// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/pages.h"

#include <spdlog/spdlog.h>

#include <QCoreApplication>

#include <cstdint>
#include <memory>
#include <string>

#include "core/archive/reader.h"
#include "core/session/archived_evidence.h"
#include "core/session/judge_again.h"
#include "core/session/model_prints.h"
#include "core/session/outcomes.h"
#include "ui/archive/archive_page.h"
#include "ui/editor/editor_tabs.h"
#include "ui/editor/policies_view.h"
#include "ui/memory/memory_page.h"
#include "ui/run/preset_panel.h"
#include "ui/run/run_controls.h"
#include "ui/run/run_page.h"
#include "ui/shell/coming_page.h"
#include "ui/shell/main_window.h"
#include "ui/verdict/verdict_page.h"
#include "ui/worker/session_engine.h"

namespace mantissa::workbench {
namespace {

QString say(const char* text) { return QCoreApplication::translate("Pages", text); }

ui::shell::Page* coming(const char* id, const char* title, const char* sentence) {
  return new ui::shell::ComingPage(QString::fromLatin1(id), say(title), say(sentence));
}

ui::shell::Page* verdictPage() {
  auto* const page = new ui::verdict::VerdictPage;
  page->setJudging({&session::judge_again, &session::add_outcomes, [](const std::string& archive, std::int64_t trial) {
                      return session::mature_quality(archive::Reader(archive), trial);
                    }});
  return page;
}

}  // namespace

QVector<ui::shell::Page*> makePages() {
  return {
      new ui::archive::ArchivePage,
      new ui::run::RunPage([] { return std::make_unique<ui::worker::SessionEngine>(); }),
      coming("compare", QT_TRANSLATE_NOOP("Pages", "Compare"),
             QT_TRANSLATE_NOOP("Pages",
                               "This page will put archived trials side by side: settings, curves, decisions and cost. "
                               "Today mantissa-cli export writes their steps and cases as tables.")),
      new ui::memory::MemoryPage,
      coming("diagnose", QT_TRANSLATE_NOOP("Pages", "Diagnose"),
             QT_TRANSLATE_NOOP("Pages",
                               "This page will find the operator that overflows and try what cures it. Today "
                               "mantissa-cli show names the parameter that overflowed first.")),
      verdictPage(),
      coming("report", QT_TRANSLATE_NOOP("Pages", "Report"),
             QT_TRANSLATE_NOOP("Pages", "This page will export a report that a colleague can check without Mantissa.")),
      coming("gains", QT_TRANSLATE_NOOP("Pages", "Gains"),
             QT_TRANSLATE_NOOP("Pages",
                               "This page will show where the time of a step goes and what a trial gains. Today "
                               "mantissa-cli show prints what was measured.")),
  };
}

ui::editor::EditorTabs* addEditor(ui::shell::MainWindow& window) {
  auto* const editors = new ui::editor::EditorTabs(window);
  editors->explainRulesBy([](const std::string& archive, std::int64_t trial) {
    return session::archived_evidence(archive::Reader(archive), trial);
  });
  auto* const run = qobject_cast<ui::run::RunPage*>(window.page(QStringLiteral("run")));
  QObject::connect(run, &ui::run::RunPage::editRequested, editors, [editors](const QString& file, qint64 experiment) {
    if (file.isEmpty()) {
      editors->openArchived(experiment);
    } else {
      editors->openFile(file);
    }
  });
  QStringList titles;
  QStringList helps;
  for (const ui::editor::PolicyPreset& preset : ui::editor::policyPresets()) {
    titles << preset.title;
    helps << preset.help;
  }
  run->controls()->presets()->setPresets(titles, helps);
  QObject::connect(run, &ui::run::RunPage::presetRequested, editors, &ui::editor::EditorTabs::addTrial);
  QObject::connect(editors, &ui::editor::EditorTabs::saved, run, &ui::run::RunPage::readAgain);
  QObject::connect(editors, &ui::editor::EditorTabs::unsavedFilesChanged, run, &ui::run::RunPage::setUnsavedFiles);
  auto* const memory = qobject_cast<ui::memory::MemoryPage*>(window.page(QStringLiteral("memory")));
  memory->useController(run->controller());
  QObject::connect(editors, &ui::editor::EditorTabs::saved, memory, &ui::memory::MemoryPage::readAgain);
  QObject::connect(memory, &ui::memory::MemoryPage::planRequested, editors, &ui::editor::EditorTabs::usePlan);
  auto* const verdict = qobject_cast<ui::verdict::VerdictPage*>(window.page(QStringLiteral("verdict")));
  QObject::connect(verdict, &ui::verdict::VerdictPage::editRequested, editors,
                   [editors](qint64 experiment) { editors->openArchived(experiment, QStringLiteral("rules")); });
  run->setBeforeRun([editors](const QString& file) { return editors->saveBeforeRun(file); });
  return editors;
}

void showModelPrints() {
  session::send_model_prints_to([](const std::string& line) { spdlog::info("model: {}", line); });
}

}  // namespace mantissa::workbench
