// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/window/bench_window.h"

#include <unistd.h>

#include <QAction>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

#include "core/base/user_folders.h"
#include "ui/shell/action_list.h"

namespace mantissa::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenQuestions{2};

double g_busy = 0;
BenchApplication::Longest g_longest;

double computedMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

double millisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

bool BenchApplication::notify(QObject* receiver, QEvent* event) {
  if (m_depth > 0) return QApplication::notify(receiver, event);
  ++m_depth;
  const Clock::time_point begin = Clock::now();
  const double computed = computedMilliseconds();
  const QString name = QString::fromLatin1(receiver->metaObject()->className());
  const auto type = event->type();
  const bool handled = QApplication::notify(receiver, event);
  g_busy += millisecondsSince(begin);
  const double cost = computedMilliseconds() - computed;
  if (cost > g_longest.milliseconds) g_longest = {cost, QStringLiteral("%1, event %2").arg(name).arg(type)};
  --m_depth;
  return handled;
}

double BenchApplication::busyMilliseconds() { return g_busy; }

BenchApplication::Longest BenchApplication::takeLongest() { return std::exchange(g_longest, {}); }

Watchdog::Watchdog() : m_thread([this] { ask(); }) {}

Watchdog::~Watchdog() { stop(); }

void Watchdog::stop() {
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_quit = true;
  }
  m_changed.notify_one();
  if (m_thread.joinable()) m_thread.join();
}

std::vector<double> Watchdog::answers() {
  stop();
  std::sort(m_answers.begin(), m_answers.end());
  return m_answers;
}

void Watchdog::ask() {
  std::unique_lock<std::mutex> lock(m_mutex);
  while (!m_quit) {
    const Clock::time_point begin = Clock::now();
    m_answered = false;
    QCoreApplication::postEvent(this, new QEvent(QEvent::User));
    m_changed.wait(lock, [this] { return m_answered || m_quit; });
    if (m_answered) m_answers.push_back(millisecondsSince(begin));
    m_changed.wait_for(lock, kBetweenQuestions, [this] { return m_quit; });
  }
}

bool Watchdog::event(QEvent* event) {
  if (event->type() != QEvent::User) return QObject::event(event);
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_answered = true;
  }
  m_changed.notify_one();
  return true;
}

BenchWindow::BenchWindow(ui::worker::EngineFactory engine) : m_page(new ui::run::RunPage(std::move(engine))) {
  qputenv("XDG_DATA_HOME", m_folder.path().toUtf8());
  m_settings = std::make_unique<ui::shell::Settings>(path("workbench.ini"));
  m_window = std::make_unique<ui::shell::MainWindow>(*m_settings, &m_log, QVector<ui::shell::Page*>{m_page});
  m_window->resize(1600, 1000);
  m_window->show();
  QCoreApplication::processEvents();
}

std::string BenchWindow::archive() const { return default_archive(); }

void BenchWindow::run(const std::string& experiment) {
  QFile file(path("experiment.toml"));
  if (!file.open(QIODevice::WriteOnly)) qFatal("the experiment cannot be written");
  file.write(experiment.data(), static_cast<qint64>(experiment.size()));
  file.close();
  m_window->open(file.fileName());
  QAction* const run = m_window->actions()->find(QStringLiteral("run"));
  if (!run->isEnabled()) qFatal("the experiment cannot run: %s", qPrintable(run->toolTip()));
  run->trigger();
}

void handleEventsUntil(const std::function<bool()>& condition) {
  QTimer look;  // so that the wait below ends at times even where nothing happens
  look.start(100);
  while (!condition()) {
    // Without a limit in time: given one, Qt would not wait but ask again and again, and take a core from the training.
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
}

std::string experimentText(long steps) {
  return "mantissa = 1\nname = \"bench\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n[training]\nsteps = " +
         std::to_string(steps) + "\n[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n";
}

double residentMegabytes() {
  long pages = 0;
  long resident = 0;
  std::FILE* const stream = std::fopen("/proc/self/statm", "re");
  if (stream == nullptr) return 0;
  const int read = std::fscanf(stream, "%ld %ld", &pages, &resident);
  std::fclose(stream);
  return read == 2 ? 1e-6 * static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace mantissa::bench
