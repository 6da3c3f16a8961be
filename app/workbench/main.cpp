// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench: wires settings, theme, log, pages and window, and draws screenshots without one.
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <QApplication>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QIcon>
#include <QImage>
#include <QTemporaryDir>
#include <QTimer>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "app/workbench/arguments.h"
#include "app/workbench/close_signals.h"
#include "app/workbench/pages.h"
#include "app/workbench/start.h"
#include "core/base/user_folders.h"
#include "ui/editor/editor_tabs.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/page.h"
#include "ui/shell/settings.h"
#include "ui/shell/theme.h"

namespace {

using namespace mantissa;

// The exit codes of mantissa-cli.
constexpr int kWrong = 3;    // something given is wrong
constexpr int kMachine = 4;  // the machine failed

void say(std::FILE* stream, const QString& text) { std::fputs(text.toUtf8().constData(), stream); }

QString& wordsOfQt() {
  static QString words;
  return words;
}

/// While QApplication is made: Qt gives up by aborting where it finds no display, and a user wants the way out.
void tellWhyThereIsNoWindow(QtMsgType type, const QMessageLogContext& /*context*/, const QString& words) {
  if (type != QtFatalMsg) {
    wordsOfQt() += words + QLatin1Char('\n');
    return;
  }
  say(stderr, QStringLiteral("No window can be opened here: there is no display, or it does not answer.\n%1"
                             "mantissa-cli does the same work without a window: mantissa-cli run EXPERIMENT.toml\n")
                  .arg(wordsOfQt()));
  std::_Exit(kMachine);
}

QtMessageHandler& handlerOfQt() {
  static QtMessageHandler handler = nullptr;
  return handler;
}

/// For pictures: the offscreen platform says at every window that it cannot do what no picture needs.
void leaveOutSizeHints(QtMsgType type, const QMessageLogContext& context, const QString& words) {
  if (words == QLatin1String("This plugin does not support propagateSizeHints()")) return;
  handlerOfQt()(type, context, words);
}

/// The window's log, the file that mantissa-cli writes too, and nothing on the terminal.
void openLog(const ui::shell::LogModel& model) {
  std::vector<spdlog::sink_ptr> sinks = {model.sink()};
  const std::string path = log_file();
  try {
    if (!path.empty()) {
      sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, std::size_t{1} << 20, 4));
      sinks.back()->set_pattern("%Y-%m-%dT%H:%M:%S.%e %P %l %v");
    }
  } catch (const spdlog::spdlog_ex&) {
    // A log that cannot be written is no reason to refuse the work.
  }
  const auto logger = std::make_shared<spdlog::logger>("mantissa", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::debug);
  logger->set_error_handler([](const std::string&) {});  // a full disk under the log must not disturb the run
  spdlog::set_default_logger(logger);
}

/// Writes into the log when the window was painted for the first time and when its archive is shown: what a start takes
/// is measured by it (tests/bench).
class StartWatch : public QObject {
 public:
  explicit StartWatch(ui::shell::MainWindow& window) {
    window.installEventFilter(this);
    connect(&window, &ui::shell::MainWindow::archiveSettled, this, [this] {
      if (!m_archiveTold) tell("the archive is shown");
      m_archiveTold = true;
    });
  }

 protected:
  bool eventFilter(QObject* window, QEvent* event) override {
    if (event->type() == QEvent::Paint) {
      window->removeEventFilter(this);
      QTimer::singleShot(0, this, [] { tell("the window is painted"); });
    }
    return false;
  }

 private:
  static void tell(const char* words) {
    spdlog::debug(words);
    spdlog::default_logger()->flush();
  }

  bool m_archiveTold = false;
};

/// Waits until the archive was read, at most ten seconds.
void settle(ui::shell::MainWindow& window) {
  QEventLoop loop;
  QObject::connect(&window, &ui::shell::MainWindow::archiveSettled, &loop, &QEventLoop::quit);
  QTimer::singleShot(10000, &loop, &QEventLoop::quit);
  loop.exec();
  QCoreApplication::processEvents();
}

int takeScreenshot(ui::shell::MainWindow& window, ui::editor::EditorTabs& editors, ui::shell::LogModel& log,
                   const workbench::Arguments& arguments) {
  window.resize(arguments.size);
  window.show();
  if (!window.archive().isEmpty() || !arguments.archive.isEmpty()) settle(window);
  if (!arguments.archive.isEmpty() && window.archive().isEmpty()) {
    for (const ui::shell::MessageStrip* const strip : window.strips()->findChildren<ui::shell::MessageStrip*>()) {
      say(stderr, strip->sentence() + QLatin1Char('\n'));
    }
    return kWrong;
  }
  const ui::shell::Page* const page = window.page(arguments.screenshotPage);
  if (page != nullptr) {
    window.showPage(arguments.screenshotPage);
  } else if (arguments.files.isEmpty()) {
    // An editor is no page: it shows the newest experiment, the first one that ships, or the files that were named.
    if (window.archive().isEmpty()) {
      editors.openTemplate(workbench::sampleExperiment());
    } else {
      editors.openArchived(0);
    }
  } else {
    for (const QString& file : arguments.files) editors.openFile(file);
  }
  const auto isSettled = [&] { return page != nullptr ? page->isSettled() : editors.isSettled(); };
  const QDeadlineTimer limit(10000);
  while (!isSettled() && !limit.hasExpired()) {
    QEventLoop loop;
    QTimer::singleShot(20, &loop, &QEventLoop::quit);
    loop.exec();
  }
  log.drain();
  QCoreApplication::processEvents();
  const QImage picture = window.grab().toImage();
  if (picture.save(arguments.screenshotFile, "PNG")) return 0;
  say(stderr, QStringLiteral("%1: the picture cannot be written. Name a file in a folder that exists.\n")
                  .arg(arguments.screenshotFile));
  return kWrong;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file at the limit of its size: writing says so, as on a full disk
  QStringList words;
  for (int i = 1; i < argc; ++i) words << QString::fromLocal8Bit(argv[i]);
  QString problem;
  const std::optional<workbench::Arguments> arguments = workbench::readArguments(words, &problem);
  if (!arguments) {
    say(stderr, problem + QLatin1Char('\n'));
    return kWrong;
  }
  if (arguments->help || arguments->version) {
    say(stdout, arguments->help ? workbench::helpText() : QStringLiteral("mantissa " MANTISSA_VERSION "\n"));
    return 0;
  }
  // Decided before QApplication exists: a picture needs no display.
  const bool screenshot = !arguments->screenshotPage.isEmpty();
  if (screenshot) qputenv("QT_QPA_PLATFORM", "offscreen");

  const QtMessageHandler qtHandler = qInstallMessageHandler(tellWhyThereIsNoWindow);
  QApplication application(argc, argv);
  qInstallMessageHandler(qtHandler);
  if (screenshot) handlerOfQt() = qInstallMessageHandler(leaveOutSizeHints);
  QApplication::setApplicationName(QStringLiteral("mantissa"));
  QApplication::setApplicationVersion(QStringLiteral(MANTISSA_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("mantissa"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/mantissa.svg")));
  // A picture is drawn with defaults, whatever this person has arranged; of what is remembered only the archive counts.
  const QTemporaryDir defaults;
  const std::unique_ptr<ui::shell::Settings> remembered =
      screenshot ? std::make_unique<ui::shell::Settings>(defaults.filePath(QStringLiteral("defaults.ini")))
                 : std::make_unique<ui::shell::Settings>();
  ui::shell::Settings& settings = *remembered;
  ui::shell::Theme theme(application);
  theme.setMode(arguments->theme.value_or(settings.theme()));
  ui::shell::LogModel log;
  openLog(log);
  workbench::showModelPrints();
  ui::shell::MainWindow window(settings, &log, workbench::makePages());
  ui::editor::EditorTabs* const editors = workbench::addEditor(window);
  if (screenshot) {
    QString archive = arguments->archive.isEmpty() ? ui::shell::Settings().archive() : arguments->archive;
    if (archive.isEmpty()) archive = QString::fromStdString(default_archive());
    // As at a start: the default archive is not missed before the first run makes it, one that was named is.
    if (!arguments->archive.isEmpty() || QFileInfo::exists(archive)) window.openArchive(archive);
    for (const QString& file : arguments->files) window.open(file);
    return takeScreenshot(window, *editors, log, *arguments);
  }
  const std::string unsaved = unsaved_folder();
  if (!unsaved.empty()) editors->useUnsavedTexts(QString::fromStdString(unsaved));
  workbench::openAtStart(window, *editors, *arguments, workbench::sampleExperiment());
  const StartWatch watch(window);
  return workbench::runUntilClosed(window, settings);
}
