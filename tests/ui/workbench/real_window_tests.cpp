// SPDX-License-Identifier: GPL-3.0-or-later
// The program itself, in a window on a virtual display, driven by its keyboard and judged by its pixels and its
// archive.
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPixmap>
#include <QProcess>
#include <QScreen>
#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>
#include <memory>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "tests/ui/plot/picture_pixels.h"
#include "tests/ui/workbench/virtual_display.h"
#include "ui/plot/plot_colors.h"

using namespace mantissa;
namespace plot = mantissa::ui::plot;

namespace {

constexpr int kPatience = 60'000;  // ms: the machine may be busy with other tests

/// A decimal comma would make 9 of this learning rate.
const char kExperiment[] =
    "mantissa = 1\nname = \"two lines\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\nhidden = [8]\n"
    "[training]\nthreads = 1\nsteps = %1\nbatch = 16\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 9.8e-2\n"
    "[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n[cases]\nholdout = 64\n";

}  // namespace

class RealWindowTests : public QObject {
  Q_OBJECT

 public:
  explicit RealWindowTests(const test::VirtualDisplay& display) : m_display(display) {}

 private Q_SLOTS:
  void initTestCase() {
    if (m_display.problem().isEmpty()) return;
    // packaging/test.sh installs what is needed: there nothing may be missing.
    QVERIFY2(qEnvironmentVariableIsEmpty("MANTISSA_DISPLAY_REQUIRED"), qPrintable(m_display.problem()));
    QSKIP(qPrintable(m_display.problem()));
  }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_environment = QProcessEnvironment::systemEnvironment();
    for (const char* const name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"}) {
      m_environment.insert(QString::fromLatin1(name), m_folder->path());
    }
    m_environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    m_environment.insert(QStringLiteral("DISPLAY"), m_display.name());
  }
  void cleanup() {
    if (!m_program) return;
    if (QTest::currentTestFailed()) {
      picture().save(QStringLiteral("real_window_failed.png"));
      qWarning("what stood on the screen is in real_window_failed.png; the program said: %s",
               m_program->readAllStandardError().constData());
    }
    m_program->kill();
    m_program->waitForFinished();
    m_program.reset();
  }

  void an_experiment_runs_by_f5_and_its_charts_move() {
    makeArchive();
    start({QStringLiteral("--archive"), archive(), experiment(1'000'000)});  // as long as it takes to look at it
    QCOMPARE(pixelsOfTrial(), 0);
    m_display.press(QStringLiteral("F5"));
    QTRY_VERIFY_WITH_TIMEOUT(pixelsOfTrial() > 50, kPatience);
    const QImage first = picture();
    QTRY_VERIFY_WITH_TIMEOUT(picture() != first, kPatience);
    QCOMPARE(statusOf(4), record::Status::Running);
    m_display.press(QStringLiteral("shift+F5"));
    QTRY_COMPARE_WITH_TIMEOUT(statusOf(4), record::Status::Stopped, kPatience);
    close();
    QCOMPARE(m_program->exitCode(), 0);
    const archive::Reader reader(archive().toStdString());
    for (const record::TrialRow& arm : reader.trials()) {
      QCOMPARE(arm.end.status, arm.id < 3 ? record::Status::Finished : record::Status::Stopped);
      std::int64_t steps = 0;
      reader.steps(arm.id, [&steps](const record::StepRecord&) { return ++steps != 0; });
      QCOMPARE(steps, arm.end.counts.attempted);
    }
  }

  void an_archive_that_is_not_there_is_made_by_the_first_run() {
    start({QStringLiteral("--archive"), archive(), experiment(20)});
    QTest::qWait(300);
    QVERIFY(!QFile::exists(archive()));
    m_display.press(QStringLiteral("F5"));
    QTRY_COMPARE_WITH_TIMEOUT(statusOf(1), record::Status::Finished, kPatience);
    close();
    QVERIFY(!QFile::exists(defaultArchive()));
  }

  void the_first_start_waits_for_one_key() {
    start({});
    QTest::qWait(300);
    m_display.press(QStringLiteral("Return"));
    QTRY_VERIFY_WITH_TIMEOUT(pixelsOfTrial() > 50, kPatience);
    m_display.press(QStringLiteral("shift+F5"));
    QTRY_VERIFY_WITH_TIMEOUT(
        QFile::exists(defaultArchive()) && statusOf(1, defaultArchive()) != record::Status::Running, kPatience);
    close();
    QCOMPARE(m_program->exitCode(), 0);
  }

  void a_later_start_runs_the_last_experiment_by_one_key() {
    start({QStringLiteral("--archive"), archive(), experiment(5)});
    m_display.press(QStringLiteral("F5"));
    QTRY_COMPARE_WITH_TIMEOUT(statusOf(1), record::Status::Finished, kPatience);
    close();
    start({});
    QTest::qWait(300);
    m_display.press(QStringLiteral("F5"));
    QTRY_COMPARE_WITH_TIMEOUT(statusOf(3), record::Status::Finished, kPatience);  // its reference; two arms were there
    QTRY_VERIFY_WITH_TIMEOUT(pixelsOfTrial() > 50, kPatience);
    close();
  }

  void what_was_typed_before_the_program_was_killed_is_offered_and_restored_at_the_next_start() {
    const QString file = experiment(5);
    const QByteArray saved = contentOf(file);
    start({file});
    // Into the text, from its first letter on. A copy is due two seconds after a letter.
    QElapsedTimer patience;
    patience.start();
    while (copies().isEmpty() && patience.elapsed() < kPatience) {
      m_display.press(QStringLiteral("ctrl+e"));
      m_display.press(QStringLiteral("numbersign"));
      QTest::qWait(2500);
    }
    QCOMPARE(copies().size(), 1);
    m_program->kill();  // SIGKILL
    QVERIFY(m_program->waitForFinished());
    QCOMPARE(m_program->exitStatus(), QProcess::CrashExit);
    QCOMPARE(contentOf(file), saved);
    const QByteArray typed =
        QJsonDocument::fromJson(contentOf(copies().first())).object()[QStringLiteral("text")].toString().toUtf8();
    QVERIFY(typed.startsWith('#'));
    QVERIFY(typed.endsWith(saved));

    start({});
    const auto strip = [] { return placeOf(plot::plotColors(false).warn); };
    QTRY_VERIFY_WITH_TIMEOUT(strip().width() > 400, kPatience);
    QTest::qWait(1000);  // what is pressed where a strip has just come does nothing
    // Restore is the first button of the strip; what stands before it is a text.
    const QRect place = strip();
    for (int x = place.center().x(); strip() == place && x < place.right(); x += 15) {
      m_display.click(x, place.center().y());
      QTest::qWait(300);
    }
    QTRY_COMPARE_WITH_TIMEOUT(copies().size(), 1, kPatience);  // of this program now
    QCOMPARE(contentOf(file), saved);                          // until it is saved
    m_display.press(QStringLiteral("ctrl+s"));
    QTRY_COMPARE_WITH_TIMEOUT(contentOf(file), typed, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(copies().isEmpty(), kPatience);
    close();
  }

  /// Case 39: "Same experiment file: CLI and GUI give bit-equal results under C and de_DE."
  void a_german_window_computes_what_the_command_line_computes() {
    const QString localedef = QStandardPaths::findExecutable(QStringLiteral("localedef"));
    if (localedef.isEmpty() ||
        QProcess::execute(localedef, {"-i", "de_DE", "-f", "UTF-8", m_folder->filePath("de_DE.UTF-8")}) != 0) {
      QSKIP("localedef or the sources of the German locale are not installed");
    }
    const QString file = experiment(20);
    QVERIFY(!commandLine({"run", file, "--archive", archive(), "--gains", "off"}).isEmpty());
    m_environment.insert(QStringLiteral("LOCPATH"), m_folder->path());
    m_environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("de_DE.UTF-8"));
    start({QStringLiteral("--archive"), archive(), file});
    m_display.press(QStringLiteral("F5"));
    QTRY_COMPARE_WITH_TIMEOUT(statusOf(4), record::Status::Finished, kPatience);
    close();
    for (const char* const what : {"cases", "weights"}) {
      const QByteArray ours = commandLine({"export", what, "4", "--archive", archive()});
      QVERIFY(!ours.isEmpty());
      QCOMPARE(ours, commandLine({"export", what, "2", "--archive", archive()}));
    }
    const archive::Reader reader(archive().toStdString());
    std::int64_t steps = 0;
    reader.steps(4, [&steps](const record::StepRecord& step) {
      if (step.lr == 0.098) ++steps;
      return true;
    });
    QCOMPARE(steps, std::int64_t{20});
  }

 private:
  QString archive() const { return m_folder->filePath(QStringLiteral("archive.db")); }
  QString defaultArchive() const { return m_folder->filePath(QStringLiteral("mantissa/mantissa.db")); }

  QString experiment(int steps) const {
    QFile file(m_folder->filePath(QStringLiteral("two.toml")));
    if (!file.open(QIODevice::WriteOnly)) qFatal("the experiment cannot be written");
    file.write(QString::fromLatin1(kExperiment).arg(steps).toUtf8());
    return file.fileName();
  }

  QByteArray commandLine(const QStringList& arguments) const {
    QProcess process;
    QProcessEnvironment environment = m_environment;
    environment.remove(QStringLiteral("LC_ALL"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(MANTISSA_BINARY_DIR "/mantissa-cli"), arguments);
    process.waitForFinished(kPatience);
    return process.readAllStandardOutput();
  }

  /// By the command line, with two arms of its own.
  void makeArchive() const { commandLine({"run", experiment(5), "--archive", archive(), "--gains", "off"}); }

  void start(const QStringList& arguments) {
    m_program = std::make_unique<QProcess>();
    m_program->setProcessEnvironment(m_environment);
    m_program->start(QStringLiteral(MANTISSA_BINARY_DIR "/mantissa"), arguments);
    QVERIFY2(m_program->waitForStarted(), qPrintable(m_program->errorString()));
    QTRY_VERIFY_WITH_TIMEOUT(m_display.focus(m_program->processId()), kPatience);
  }

  /// Right after its end a run still measures what its arms cost: the window asks then, and is asked again.
  void close() {
    QElapsedTimer patience;
    patience.start();
    bool closed = false;
    while (!closed && patience.elapsed() < kPatience) {
      m_display.press(QStringLiteral("ctrl+q"));
      closed = m_program->waitForFinished(2000);
      if (!closed) m_display.press(QStringLiteral("Escape"));
      if (!closed) m_display.focus(m_program->processId());
    }
    QVERIFY(closed);
    QCOMPARE(m_program->exitStatus(), QProcess::NormalExit);
  }

  static QImage picture() { return QGuiApplication::primaryScreen()->grabWindow(0).toImage(); }

  /// In the right part of the window, where the charts are.
  static int pixelsOfTrial() {
    const QImage screen = picture();
    return test::pixelsLike(screen.copy(600, 150, 800, 600), plot::plotColors(false).trials[0]);
  }

  /// What the editor keeps of texts that are not saved.
  QStringList copies() const {
    const QDir folder(m_folder->filePath(QStringLiteral("mantissa/unsaved")));
    QStringList paths;
    for (const QString& name : folder.entryList({QStringLiteral("*.json")})) paths << folder.filePath(name);
    return paths;
  }

  static QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  /// Around the pixels of a colour; empty: there are none.
  static QRect placeOf(const QColor& color) {
    const QImage screen = picture().convertToFormat(QImage::Format_RGB32);
    QRect place;
    for (int y = 0; y < screen.height(); ++y) {
      for (int x = 0; x < screen.width(); ++x) {
        if (screen.pixel(x, y) == color.rgb()) place |= QRect(x, y, 1, 1);
      }
    }
    return place;
  }

  record::Status statusOf(std::int64_t arm) const { return statusOf(arm, archive()); }
  static record::Status statusOf(std::int64_t arm, const QString& file) {
    try {
      return archive::Reader(file.toStdString()).trial(arm).end.status;
    } catch (const Error&) {
      return record::Status::Running;  // it is not there yet
    }
  }

  const test::VirtualDisplay& m_display;
  std::unique_ptr<QTemporaryDir> m_folder;
  QProcessEnvironment m_environment;
  std::unique_ptr<QProcess> m_program;
};

int main(int argc, char** argv) {
  const test::VirtualDisplay display;
  if (display.problem().isEmpty()) {
    qputenv("DISPLAY", display.name().toLatin1());
    qputenv("QT_QPA_PLATFORM", "xcb");
  } else {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  const QGuiApplication application(argc, argv);
  RealWindowTests tests(display);
  return QTest::qExec(&tests, argc, argv);
}

#include "real_window_tests.moc"
