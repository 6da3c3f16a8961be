// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a terminal sees it: words, exit codes, pictures.
#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/shell/example_archive.h"

class ProgramTests : public QObject {
  Q_OBJECT

  struct Outcome {
    int exit = -1;
    QByteArray out;
    QByteArray err;
  };

 private Q_SLOTS:
  void help_and_version_need_no_display() {
    const Outcome help = run({"--help"}, QStringLiteral("xcb"));
    QCOMPARE(help.exit, 0);
    QVERIFY(help.out.startsWith("mantissa [FILE"));
    const Outcome version = run({"--version"}, QStringLiteral("xcb"));
    QCOMPARE(version.exit, 0);
    QVERIFY(version.out.startsWith("mantissa 0."));
  }

  void a_wrong_word_names_itself_and_the_help() {
    const Outcome outcome = run({"--nonsense"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("nonsense") && outcome.err.contains("mantissa --help"), outcome.err);
    QVERIFY(outcome.out.isEmpty());
  }

  void without_a_display_the_way_out_is_named() {
    const Outcome outcome = run({}, QStringLiteral("xcb"));
    QCOMPARE(outcome.exit, 4);
    QVERIFY2(outcome.err.contains("no display") && outcome.err.contains("mantissa-cli run"), outcome.err);
  }

  void every_page_becomes_a_picture_of_the_size_that_was_asked_for() {
    const QString archive = m_folder.filePath(QStringLiteral("a.db"));
    mantissa::test::makeExampleArchive(archive);
    for (const char* const page :
         {"archive", "run", "editor", "compare", "memory", "diagnose", "verdict", "report", "gains"}) {
      const QString picture = m_folder.filePath(QString::fromLatin1(page) + QStringLiteral(".png"));
      const Outcome outcome = run({"--screenshot", page, "--archive", archive, "--out", picture, "--size", "1200x800"},
                                  QStringLiteral("xcb"));
      QVERIFY2(outcome.exit == 0, outcome.err);
      QVERIFY2(outcome.err.isEmpty(), outcome.err);
      QCOMPARE(QImage(picture).size(), QSize(1200, 800));
    }
  }

  void a_picture_is_drawn_with_defaults_whatever_a_person_has_arranged() {
    const QString archive = m_folder.filePath(QStringLiteral("a.db"));
    mantissa::test::makeExampleArchive(archive);
    const auto picture = [&](const char* name) {
      const QString file = m_folder.filePath(QString::fromLatin1(name));
      const Outcome outcome = run({"--screenshot", "archive", "--archive", archive, "--out", file});
      if (outcome.exit != 0) return QImage();
      const QImage whole(file);
      constexpr int kBelow = 180;  // the log and the status bar: times of day and free disk change meanwhile
      return whole.copy(0, 0, whole.width(), whole.height() - kBelow);
    };
    const QImage before = picture("before.png");
    QVERIFY(!before.isNull());
    const QDir folder(m_folder.path());
    QVERIFY(folder.mkpath(QStringLiteral("mantissa")));
    QFile settings(folder.filePath(QStringLiteral("mantissa/workbench.conf")));
    QVERIFY(settings.open(QIODevice::WriteOnly));
    const QByteArray arranged = "[General]\ntheme=dark\nversion=1\n";
    settings.write(arranged);
    settings.close();
    QCOMPARE(picture("after.png"), before);
    QVERIFY(settings.open(QIODevice::ReadOnly));
    QCOMPARE(settings.readAll(), arranged);  // and nothing of it is changed
    QVERIFY(settings.remove());
  }

  void a_picture_leaves_nothing_beside_the_archive() {
    const QDir folder(m_folder.filePath(QStringLiteral("alone")));
    QVERIFY(folder.mkpath(QStringLiteral(".")));
    const QString archive = folder.filePath(QStringLiteral("a.db"));
    mantissa::test::makeExampleArchive(archive);
    for (const char* const page : {"run", "archive"}) {
      const Outcome outcome =
          run({"--screenshot", page, "--archive", archive, "--out", m_folder.filePath("alone.png")});
      QVERIFY2(outcome.exit == 0, outcome.err);
      QCOMPARE(folder.entryList(QDir::Files), QStringList(QStringLiteral("a.db")));
    }
  }

  void a_picture_of_an_archive_that_cannot_be_read_is_none() {
    const QString picture = m_folder.filePath(QStringLiteral("none.png"));
    const Outcome outcome = run({"--screenshot", "run", "--archive", m_folder.path(), "-o", picture});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains(m_folder.path().toUtf8()) && !outcome.err.contains("--"), outcome.err);
    QVERIFY(!QFile::exists(picture));
  }

  void a_picture_that_cannot_be_written_says_so() {
    const Outcome outcome = run({"--screenshot", "archive", "-o", m_folder.filePath("nowhere/p.png")});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("nowhere/p.png"), outcome.err);
  }

 private:
  Outcome run(const QStringList& arguments, const QString& platform = QStringLiteral("offscreen")) const {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* const name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"}) {
      environment.insert(QString::fromLatin1(name), m_folder.path());
    }
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), platform);
    environment.remove(QStringLiteral("DISPLAY"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(MANTISSA_BINARY_DIR "/mantissa"), arguments);
    process.waitForFinished(60'000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
  }

  QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(ProgramTests)
#include "program_tests.moc"
