// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/start.h"

#include <QEvent>
#include <QFileInfo>
#include <QTimer>

#include <functional>
#include <utility>

#include "core/base/user_folders.h"
#include "ui/editor/editor_tabs.h"
#include "ui/editor/templates.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"

namespace mantissa::workbench {
namespace {

/// Whether this start is the first one that has to tell of it.
bool isNewlyGone(const QString& path, ui::shell::Settings& settings) {
  const QString what = ui::shell::Settings::goneKey(path);
  if (path.isEmpty() || QFileInfo::exists(path)) {
    settings.recall(what);
    return false;
  }
  if (settings.isDismissed(what)) return false;
  settings.dismiss(what);
  return true;
}

/// Does something once, when the window has been painted for the first time.
class AfterPaint : public QObject {
 public:
  AfterPaint(ui::shell::MainWindow& window, std::function<void()> work) : QObject(&window), m_work(std::move(work)) {
    window.installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* window, QEvent* event) override {
    if (event->type() == QEvent::Paint) {
      window->removeEventFilter(this);
      QTimer::singleShot(0, this, [this] {
        m_work();
        deleteLater();
      });
    }
    return false;
  }

 private:
  std::function<void()> m_work;
};

}  // namespace

QString sampleExperiment() {
  const QString folder = ui::editor::templateFolder();
  return folder.isEmpty() ? QString() : folder + QStringLiteral("/digits-mlp.toml");
}

void openAtStart(ui::shell::MainWindow& window, ui::editor::EditorTabs& editors, const Arguments& arguments,
                 const QString& sample) {
  new AfterPaint(window, [&editors] { editors.reopen(); });
  ui::shell::Settings& settings = window.settings();
  const QString newest = window.newestExperiment();
  const bool isNewcomer = settings.archive().isEmpty() && settings.recentFiles().isEmpty();
  QString archive = arguments.archive.isEmpty() ? settings.archive() : arguments.archive;
  if (archive.isEmpty()) archive = QString::fromStdString(default_archive());
  if (!arguments.archive.isEmpty()) {
    window.openArchiveToBe(archive);  // as mantissa-cli has it: the first run makes it
  } else if (!archive.isEmpty() && QFileInfo::exists(archive)) {
    window.openArchive(archive);
    if (arguments.files.isEmpty()) window.restoreView();
  }
  if (arguments.files.isEmpty()) {
    // At the first start, and until there is something to look at, one key press shows moving charts.
    const bool isFirst = isNewcomer || archive.isEmpty() || !QFileInfo::exists(archive);
    const QString last = window.lastExperiment();
    const QString experiment = last.isEmpty() ? sample : last;
    if (isFirst && arguments.archive.isEmpty()) {
      if (experiment.isEmpty()) {
        window.tellNoExperiments();
      } else {
        window.open(experiment);
      }
    } else if (!experiment.isEmpty()) {
      window.holdExperiment(experiment);
    }
    if (isNewlyGone(newest, settings)) window.tellGone(newest, ui::shell::MainWindow::Gone::Experiment);
  }
  for (const QString& file : arguments.files) window.open(file);
  if (arguments.archive.isEmpty() && isNewlyGone(settings.archive(), settings)) {
    window.tellGone(settings.archive(), ui::shell::MainWindow::Gone::Archive);
  }
}

}  // namespace mantissa::workbench
