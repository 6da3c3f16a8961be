// SPDX-License-Identifier: GPL-3.0-or-later
// What stands between an editor and the disk: every byte that was not changed stays.
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "ui/editor/text_file.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

class TextFileTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void line_ends_and_byte_order_mark_come_back_as_they_were_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("LF") << QByteArray("a = 1\nb = 2\n");
    QTest::newRow("no end of the last line") << QByteArray("a = 1\nb = 2");
    QTest::newRow("CR LF") << QByteArray("a = 1\r\nb = 2\r\n");
    QTest::newRow("byte order mark") << QByteArray(
        "\xEF\xBB\xBF"
        "a = 1\n");
    QTest::newRow("letters of every length") << QByteArray("a = \"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\"\n");
  }
  void line_ends_and_byte_order_mark_come_back_as_they_were() {
    QFETCH(QByteArray, bytes);
    const TextFile file = readTextFile(written(bytes));
    QVERIFY(!file.hasMixedEndings);
    QVERIFY(!file.text.contains(QLatin1Char('\r')));
    QCOMPARE(bytesOf(file, file.text), bytes);
  }

  void line_ends_that_differ_become_what_most_are() {
    const TextFile file = readTextFile(written("a = 1\r\nb = 2\nc = 3\r\n"));
    QVERIFY(file.hasMixedEndings);
    QCOMPARE(bytesOf(file, file.text), QByteArray("a = 1\r\nb = 2\r\nc = 3\r\n"));
  }

  void what_is_no_text_is_refused_by_name() {
    QCOMPARE(refusal(path("missing.toml")), QStringLiteral("there is no such file"));
    QCOMPARE(refusal(m_folder->path()), QStringLiteral("is not a file"));
    QCOMPARE(refusal(written(QByteArray("a\0b", 3))), QStringLiteral("is not a text file"));
    QCOMPARE(refusal(written("a = \"\xE4\"\n")), QStringLiteral("is not UTF-8"));
    QCOMPARE(refusal(written(QByteArray((1 << 20) + 1, '#'))), QStringLiteral("is larger than 1 MiB"));
  }

  void of_what_stands_on_the_disk_no_more_is_read_than_an_editor_takes() {
    const QString name = written(QByteArray(1 << 20, '#'));
    QCOMPARE(onDisk(name).kind, OnDisk::Kind::Bytes);
    QCOMPARE(onDisk(name).bytes.size(), 1 << 20);
    TextFile file = readTextFile(name);
    // Without a block on the disk: reading all of it would end the test for want of memory.
    QVERIFY(QFile::resize(name, qint64{200} << 30));
    QVERIFY(isChangedOutside(file));
    QCOMPARE(onDisk(name).kind, OnDisk::Kind::TooLarge);
    QVERIFY(onDisk(name).bytes.isEmpty());
    QCOMPARE(onDisk(m_folder->path()).kind, OnDisk::Kind::Folder);
    QCOMPARE(onDisk(path("missing.toml")).kind, OnDisk::Kind::Nothing);
    QCOMPARE(mkfifo(QFile::encodeName(path("pipe")).constData(), 0600), 0);
    QCOMPARE(onDisk(path("pipe")).kind, OnDisk::Kind::Unreadable);
  }

  void permissions_stay() {
    const QString name = written("a = 1\n");
    const auto wanted = QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::WriteGroup;
    QVERIFY(QFile::setPermissions(name, wanted));
    TextFile file = readTextFile(name);
    writeTextFile(file, QStringLiteral("a = 2\n"));
    QCOMPARE(content(name), QByteArray("a = 2\n"));
    // Qt reports the owner's rights once more as those of the user.
    QCOMPARE(QFile::permissions(name) & QFile::Permissions(0xF0FF), wanted);
  }

  void a_change_by_another_program_is_seen() {
    const QString name = written("a = 1\n");
    TextFile file = readTextFile(name);
    QVERIFY(!isChangedOutside(file));
    writeTextFile(file, QStringLiteral("a = 2\n"));
    QVERIFY(!isChangedOutside(file));
    written("a = 3\n");
    QVERIFY(isChangedOutside(file));
    QVERIFY(QFile::remove(name));
    QVERIFY(isChangedOutside(file));
  }

  void a_full_disk_leaves_the_file_as_it_was() {
    if (!QFile::exists("/dev/full")) QSKIP("no /dev/full on this system");
    const QString name = written("a = 1\n");
    TextFile file = readTextFile(name);
    // Where the new file is written first: a device that is always full.
    QVERIFY(QFile::link("/dev/full", name + QStringLiteral(".part-%1").arg(::getpid())));
    try {
      writeTextFile(file, QStringLiteral("a = 2\n"));
      QFAIL("a full disk was not noticed");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::DiskFull);
    }
    QCOMPARE(content(name), QByteArray("a = 1\n"));
    QCOMPARE(file.bytes, QByteArray("a = 1\n"));
    QVERIFY(!isChangedOutside(file));
  }

  void a_folder_that_is_gone_is_named() {
    TextFile file = readTextFile(written("a = 1\n"));
    file.path = path("gone/a.toml");
    try {
      writeTextFile(file, QStringLiteral("a = 2\n"));
      QFAIL("a folder that is not there was written into");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::FileProblem);
      QVERIFY(QString::fromStdString(sentence(error.facts())).contains(path("gone/a.toml")));
    }
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }

  QString written(const QByteArray& bytes) const {
    QFile file(path("a.toml"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("a test file cannot be written");
    file.write(bytes);
    return file.fileName();
  }

  static QByteArray content(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
  }

  static QString refusal(const QString& name) {
    try {
      readTextFile(name);
    } catch (const Error& error) {
      return QString::fromStdString(error.facts().problem);
    }
    return QStringLiteral("taken");
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TextFileTests)
#include "text_file_tests.moc"
