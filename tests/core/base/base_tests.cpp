// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/atomic_file.h"
#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/base/given_file.h"
#include "core/base/number_text.h"
#include "core/base/plain_text.h"
#include "core/base/sha256.h"

using namespace mantissa;

class BaseTests : public QObject {
  Q_OBJECT

  /// Writing a file of this name ends as a full disk.
  static void expect_full_disk(const QString& path) {
    try {
      AtomicFile file(path.toStdString());
      file.write("x");
      file.commit();
      QFAIL("no error");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::DiskFull);
    }
  }

 private Q_SLOTS:
  void sha256_equals_the_published_examples() {
    // FIPS 180-4 examples: "abc", the empty text, and the 56-byte message that needs a second block.
    QCOMPARE(sha256("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(sha256(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QCOMPARE(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
  }

  void sha256_does_not_depend_on_how_the_bytes_arrive() {
    const std::string text(1000, 'x');
    Sha256 pieces;
    for (std::size_t i = 0; i < text.size(); i += 7) pieces.add(std::string_view(text).substr(i, 7));
    QCOMPARE(pieces.hex(), sha256(text));
  }

  void numbers_read_back_equal() {
    for (const double value : {0.1, 9.8e-2, 1e-310, 65504.0, -0.0, 3.0e38, 5e-324, 1.7976931348623157e308}) {
      const auto read = number_from_text(to_text(value));
      QVERIFY(read.has_value());
      QCOMPARE(*read, value);
      QCOMPARE(std::signbit(*read), std::signbit(value));
    }
    QCOMPARE(to_text(0.098), std::string("0.098"));
  }

  void numbers_for_people_keep_their_significant_digits() {
    QCOMPARE(to_text(0.0120345, 4), std::string("0.01203"));
    QCOMPARE(to_text(65504.0, 4), std::string("6.55e+04"));  // as printf's %.4g: trailing zeros go
    QCOMPARE(to_text(-std::numeric_limits<double>::infinity(), 4), std::string("-Infinity"));
  }

  void non_finite_numbers_have_words() {
    QCOMPARE(to_text(std::nan("")), std::string("NaN"));
    QCOMPARE(to_text(-std::numeric_limits<double>::infinity()), std::string("-Infinity"));
    QVERIFY(std::isnan(*number_from_text("NaN")));
    QCOMPARE(*number_from_text("Infinity"), std::numeric_limits<double>::infinity());
    QCOMPARE(*number_from_text("-inf"), -std::numeric_limits<double>::infinity());
  }

  void text_that_is_no_number_is_refused() {
    for (const char* text : {"", " 1", "1 ", "1,5", "1.5x", "+-1", "0x10", "one", "--1"}) {
      QVERIFY2(!number_from_text(text), text);
    }
    QVERIFY(!integer_from_text("1.0"));
    QVERIFY(!integer_from_text("9223372036854775808"));  // 2^63
    QCOMPARE(*integer_from_text("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  }

  void a_number_beyond_the_range_rounds_as_ieee_says() {
    QCOMPARE(*number_from_text("1e999"), std::numeric_limits<double>::infinity());
    QCOMPARE(*number_from_text("-1e-999"), 0.0);
  }

  void a_file_appears_whole_or_not_at_all() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("out.csv").toStdString();
    {
      AtomicFile file(path);
      file.write("half");
    }
    QVERIFY(!QFile::exists(QString::fromStdString(path)));
    AtomicFile file(path);
    file.write("whole");
    file.commit();
    QFile read(QString::fromStdString(path));
    QVERIFY(read.open(QIODevice::ReadOnly));
    QCOMPARE(read.readAll(), QByteArray("whole"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
  }

  void a_folder_cannot_be_written_as_a_file() {
    QTemporaryDir folder;
    QVERIFY_EXCEPTION_THROWN(AtomicFile{folder.path().toStdString()}, Error);
  }

  void a_link_stays_and_its_target_is_replaced() {
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("far"));
    const auto content = [&](const char* name) {
      QFile file(folder.filePath(name));
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("none");
    };
    QFile old(folder.filePath("far/target"));
    QVERIFY(old.open(QIODevice::WriteOnly) && old.write("old") == 3);
    old.close();
    QVERIFY(QFile::link("target", folder.filePath("far/second")));
    QVERIFY(QFile::link("far/second", folder.filePath("first")));
    QVERIFY(QFile::link("far/missing", folder.filePath("dangling")));
    for (const char* const name : {"first", "dangling"}) {
      AtomicFile file(folder.filePath(name).toStdString());
      file.write("new");
      file.commit();
      QVERIFY(QFileInfo(folder.filePath(name)).isSymLink());
    }
    QVERIFY(QFileInfo(folder.filePath("far/second")).isSymLink());
    QCOMPARE(content("far/target"), QByteArray("new"));
    QCOMPARE(content("far/missing"), QByteArray("new"));
  }

  void a_link_to_itself_is_a_file_problem() {
    QTemporaryDir folder;
    QVERIFY(QFile::link("loop", folder.filePath("loop")));
    try {
      AtomicFile file(folder.filePath("loop").toStdString());
      QFAIL("no error");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::FileProblem);
    }
  }

  void a_pipe_is_written_into_and_stays_a_pipe() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    QVERIFY(reader >= 0);
    {
      AtomicFile file(path);
      file.write("x,y\n");
      file.commit();
    }
    std::array<char, 16> bytes{};
    QCOMPARE(::read(reader, bytes.data(), bytes.size()), ssize_t{4});
    ::close(reader);
    QCOMPARE(QByteArray(bytes.data()), QByteArray("x,y\n"));
    struct stat facts {};
    QCOMPARE(::lstat(path.c_str(), &facts), 0);
    QVERIFY(S_ISFIFO(facts.st_mode));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::System).size(), 1);
  }

  void a_file_that_is_held_open_is_written_through_its_descriptor() {
    QTemporaryDir folder;
    QFile held(folder.filePath("held"));
    QVERIFY(held.open(QIODevice::ReadWrite));
    AtomicFile file("/proc/self/fd/" + std::to_string(held.handle()));
    file.write("whole");
    file.commit();
    QCOMPARE(held.readAll(), QByteArray("whole"));  // the same file still, not one of the same name
  }

  // Through a link in a folder of the test's own: a program that replaced the node would replace the link.
  void a_full_device_is_a_full_disk_and_stays_a_device() {
    if (!QFile::exists("/dev/full")) QSKIP("no /dev/full on this system");
    QTemporaryDir folder;
    const QString path = folder.filePath("out");
    QVERIFY(QFile::link("/dev/full", path));
    expect_full_disk(path);
    QCOMPARE(QFileInfo(path).symLinkTarget(), QStringLiteral("/dev/full"));
    struct stat facts {};
    QCOMPARE(::stat("/dev/full", &facts), 0);
    QVERIFY(S_ISCHR(facts.st_mode));
  }

  void a_file_that_is_replaced_keeps_its_permissions() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("out").toStdString();
    QFile old(folder.filePath("out"));
    QVERIFY(old.open(QIODevice::WriteOnly));
    old.close();
    QCOMPARE(::chmod(path.c_str(), 0640), 0);
    AtomicFile file(path);
    file.write("x");
    file.commit();
    struct ::stat facts {};
    QCOMPARE(::stat(path.c_str(), &facts), 0);
    QCOMPARE(facts.st_mode & 0777U, 0640U);
  }

  void a_full_disk_is_named() {
    if (!QFile::exists("/dev/full")) QSKIP("no /dev/full on this system");
    // AtomicFile writes beside its place, so the failing device is reached through a link named like the temporary
    // file.
    QTemporaryDir folder;
    const QString path = folder.filePath("out");
    const QString temporary = path + ".part-" + QString::number(QCoreApplication::applicationPid());
    QVERIFY(QFile::link("/dev/full", temporary));
    expect_full_disk(path);
  }

  void the_stack_of_a_torch_error_reaches_nobody() {
    const std::string words = "mat1 and mat2 shapes cannot be multiplied";
    const std::string stack =
        "\nException raised from meta at /pytorch/x.cpp:1 (most recent call first):\nframe #0: c10::Error::Error";
    QCOMPARE(without_stack(words + stack), words);
    QCOMPARE(without_stack(words + "\nframe #0: c10::Error"), words);
    QCOMPARE(without_stack(words), words);
    QCOMPARE(without_stack(""), std::string());
    const Error error(ErrorKind::ModelProblem, {"it fails" + stack, "", 0, 0, "", words + stack, "", ""});
    QCOMPARE(std::string(error.what()), "it fails: found " + words + ".");
  }

  void control_characters_are_shown_as_what_they_are() {
    QCOMPARE(visible("a\x1b]0;t\x07\nb\tc\x7f\r"), std::string("a\\x1b]0;t\\x07\nb\tc\\x7f\\x0d"));
    QCOMPARE(visible_line("a\nb\rc\td\x1b"), std::string("a\\nb\\rc\\td\\x1b"));
    // U+009B, which a terminal may take for ESC [, in UTF-8; U+00E9 and U+2500 are letters and lines.
    QCOMPARE(visible("\xc2\x9b 31m \xc3\xa9\xe2\x94\x80"), std::string("\\x9b 31m \xc3\xa9\xe2\x94\x80"));
    QCOMPARE(visible(std::string_view("a\0b", 3)), std::string("a\\x00b"));
    // No UTF-8: an 8-bit terminal would take 9B for ESC [. Cut sequences end the text.
    QCOMPARE(visible("\x9b 2J \xff\xc2"), std::string("\\x9b 2J \\xff\\xc2"));
    QCOMPARE(visible("\xf0\x9f\x99\x82\xe2\x82"), std::string("\xf0\x9f\x99\x82\\xe2\\x82"));
    QCOMPARE(without_controls("{\n \"a\": \"\xc2\x9b\x7f\"}"), std::string("{\n \"a\": \"\\u009b\\u007f\"}"));
  }

  void the_nearest_names_come_first_and_six_are_enough() {
    QCOMPARE(nearest_names("hed.bias", {"tail.weight", "head.weight", "head.bias"}),
             std::string("head.bias, head.weight, tail.weight"));
    QCOMPARE(nearest_names("a", {"a1", "a2", "a3", "a4", "a5", "a6", "a7"}), std::string("a1, a2, a3, a4, a5, a6, …"));
  }

  void what_is_no_regular_file_is_refused_unopened() {
    QTemporaryDir folder;
    const std::string pipe = folder.filePath("pipe").toStdString();
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    const std::string socket = folder.filePath("socket").toStdString();
    QCOMPARE(mknod(socket.c_str(), S_IFSOCK | 0600, 0), 0);
    for (const std::string& path : {pipe, socket, std::string("/dev/zero"), folder.path().toStdString()}) {
      try {
        refuse_special_file(path, "a data file");
        QFAIL(path.c_str());
      } catch (const Error& error) {
        QCOMPARE(error.kind(), ErrorKind::FileProblem);
        QCOMPARE(error.facts().file, path);
      }
    }
    refuse_special_file(folder.filePath("missing").toStdString(), "a data file");  // is left to opening it
  }

  void a_limit_of_the_system_is_not_the_users_mistake() {
    const auto kind_of = [](int number) {
      try {
        fail_to_open("data.csv", number, "Check the path");
      } catch (const Error& error) {
        return error.kind();
      }
    };
    QCOMPARE(kind_of(EMFILE), ErrorKind::OutOfMemory);
    QCOMPARE(kind_of(ENFILE), ErrorKind::OutOfMemory);
    QCOMPARE(kind_of(ENOMEM), ErrorKind::OutOfMemory);
    QCOMPARE(kind_of(ENOENT), ErrorKind::FileProblem);
    QCOMPARE(kind_of(EACCES), ErrorKind::FileProblem);
  }

  void a_sentence_names_place_value_and_way_out() {
    const Error error(ErrorKind::DataProblem, {"", "concrete.csv", 14, 0, "column age", "'n/a'", "a number",
                                               "Set data.missing = \"drop\" to leave such rows out"});
    QCOMPARE(std::string(error.what()),
             std::string("concrete.csv, line 14, column age: found 'n/a', expected a number. "
                         "Set data.missing = \"drop\" to leave such rows out."));
  }
};

QTEST_GUILESS_MAIN(BaseTests)
#include "base_tests.moc"
