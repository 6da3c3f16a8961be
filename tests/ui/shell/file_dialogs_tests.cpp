// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/file_dialogs.h"

#include <QApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <sys/inotify.h>
#include <unistd.h>

using namespace mantissa::ui;

namespace {

void write(const QString& path) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("SQLite format 3");
}

}  // namespace

class FileDialogsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void asking_for_a_file_opens_none_data() {
    QTest::addColumn<bool>("saves");
    QTest::newRow("to open") << false;
    QTest::newRow("to save") << true;
  }
  /// Opening and closing a file of an archive would take SQLite's locks away.
  void asking_for_a_file_opens_none() {
    QFETCH(bool, saves);
    const QTemporaryDir folder;
    const int watch = ::inotify_init1(IN_NONBLOCK);
    QVERIFY(watch >= 0);
    for (const char* const name : {"a.db", "a.db-wal", "a.db-shm", "b", "c.toml"}) {
      const QString path = folder.filePath(QString::fromLatin1(name));
      write(path);
      QVERIFY(::inotify_add_watch(watch, QFile::encodeName(path).constData(), IN_OPEN) >= 0);
    }
    bool wasShown = false;
    // Long enough for the thread that looks at the files.
    QTimer::singleShot(700, qApp, [&wasShown] {
      wasShown = qobject_cast<QFileDialog*>(QApplication::activeModalWidget()) != nullptr;
      if (wasShown) static_cast<QFileDialog*>(QApplication::activeModalWidget())->reject();
    });
    const QString chosen = saves ? file_dialogs::save(nullptr, QStringLiteral("Save"), folder.filePath("a.db"))
                                 : file_dialogs::open(nullptr, QStringLiteral("Open"), folder.path());
    QVERIFY(wasShown);
    QVERIFY(chosen.isEmpty());
    char events[4096];
    const ssize_t size = ::read(watch, events, sizeof events);
    ::close(watch);
    QCOMPARE(qint64{size}, qint64{-1});  // there was none to read
  }

  void what_is_chosen_is_returned() {
    const QTemporaryDir folder;
    write(folder.filePath("c.toml"));
    QTimer::singleShot(300, qApp, [] {
      auto* const dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog != nullptr);
      QMetaObject::invokeMethod(dialog, "accept");
    });
    QCOMPARE(file_dialogs::open(nullptr, QStringLiteral("Open"), folder.filePath("c.toml")), folder.filePath("c.toml"));
  }
};

QTEST_MAIN(FileDialogsTests)
#include "file_dialogs_tests.moc"
