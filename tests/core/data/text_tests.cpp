// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <ATen/ATen.h>

#include "core/data/dataset.h"
#include "core/data/text.h"
#include "data_test_files.h"

using namespace mantissa;
using namespace mantissa::data;

namespace {

spec::Experiment of_text(const std::string& path, std::int64_t context, double fraction = 0.0) {
  spec::Experiment experiment;
  experiment.data.path = path;
  experiment.data.path_as_written = "play.txt";
  experiment.data.context = context;
  experiment.data.test = test_share(fraction, 7);
  return experiment;
}

at::Tensor rows(std::initializer_list<std::int64_t> values, std::int64_t width) {
  return at::tensor(at::ArrayRef<std::int64_t>(values)).view({-1, width});
}

}  // namespace

class TextTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void windows_start_every_context_characters_and_targets_follow_by_one() {
    const TestFiles files;
    // Vocabulary: newline, a, b, c = 0, 1, 2, 3. The text: 2 1 3 1 2 0 1, of which the last character starts no window.
    const Dataset set = load(of_text(files.write("t.txt", "bacab\na"), 3));
    QVERIFY(set.task == spec::Task::LanguageModel);
    QCOMPARE(set.classes, 4);
    QCOMPARE(set.class_names, (std::vector<std::string>{"\n", "a", "b", "c"}));
    QVERIFY(set.train.inputs.equal(rows({2, 1, 3, 1, 2, 0}, 3)));
    QVERIFY(set.train.targets.equal(rows({1, 3, 1, 2, 0, 1}, 3)));
    QVERIFY(set.train.inputs.scalar_type() == at::kLong);
    QCOMPARE(set.train.ids, (std::vector<std::string>{"1", "2"}));
    QCOMPARE(set.test.rows(), 0);
  }

  void the_test_part_is_the_last_fraction_of_the_text() {
    const TestFiles files;
    // round(0.4 · 10) = 4 characters, ghij: one window of three. The first six, abcdef, hold one as well.
    const Dataset set = load(of_text(files.write("t.txt", "abcdefghij"), 3, 0.4));
    QVERIFY(set.train.inputs.equal(rows({0, 1, 2}, 3)));
    QVERIFY(set.test.inputs.equal(rows({6, 7, 8}, 3)));
    QVERIFY(set.test.targets.equal(rows({7, 8, 9}, 3)));
    QCOMPARE(set.test.ids.front(), std::string("2"));
  }

  void the_vocabulary_is_sorted_by_code_point() {
    const TestFiles files;
    // z (7A) < é (E9) < € (20AC) < 😀 (1F600); by bytes of UTF-16 the last two would change places with U+FFxx.
    const Text text = read_text(files.write("t.txt", "\xF0\x9F\x98\x80z\xE2\x82\xAC\xEF\xBD\x81\xC3\xA9z"));
    QVERIFY(vocabulary_of(text) == U"z\u00E9\u20AC\uFF41\U0001F600");
    QCOMPARE(text.characters.size(), std::size_t{6});
  }

  void a_bad_byte_is_refused_with_its_offset_and_line_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("found");
    QTest::addColumn<int>("line");
    QTest::newRow("Latin-1") << QByteArray(
                                    "ab\nc\xE9"
                                    "d")
                             << "the byte 0xE9 at byte 4" << 2;
    QTest::newRow("overlong form") << QByteArray("a\xC0\x80") << "the byte 0xC0 at byte 1" << 1;
    QTest::newRow("surrogate") << QByteArray("\n\n\xED\xA0\x80") << "the byte 0xED at byte 2" << 3;
    QTest::newRow("cut short") << QByteArray("abc\xE2\x82") << "the byte 0xE2 at byte 3" << 1;
    QTest::newRow("UTF-16") << QByteArray(
                                   "\xFF\xFE"
                                   "a\0b\0",
                                   6)
                            << "the byte 0xFF at byte 0" << 1;
    QTest::newRow("NUL") << QByteArray("a\nb\0c", 5) << "a NUL byte at byte 3" << 2;
  }
  void a_bad_byte_is_refused_with_its_offset_and_line() {
    QFETCH(QByteArray, content);
    QFETCH(QString, found);
    QFETCH(int, line);
    const TestFiles files;
    const std::string path = files.write("t.txt", content.toStdString());
    const ErrorFacts facts = facts_of(ErrorKind::DataProblem, [&] { read_text(path); });
    QCOMPARE(QString::fromStdString(facts.found), found);
    QCOMPARE(facts.line, line);
  }

  void line_ends_and_byte_order_mark_are_read_as_python_reads_them() {
    const TestFiles files;
    const Text text = read_text(files.write("t.txt",
                                            "\xEF\xBB\xBF"
                                            "a\r\nb\rc\n"));
    QVERIFY(text.characters == U"a\nb\nc\n");  // open(path, encoding="utf-8-sig").read()
    QCOMPARE(text.notes.size(), std::size_t{1});
    QVERIFY(read_text(files.write("u.txt", "a\nb")).notes.empty());
  }

  void characters_that_only_the_test_file_has_are_named() {
    const TestFiles files;
    spec::Experiment experiment = of_text(files.write("t.txt", "abcabcabc\n"), 3);
    experiment.data.test = test_file(files.write("u.txt", "abc\nab\xC3\xA9 abcz\n"));
    const ErrorFacts facts = facts_of(ErrorKind::DataProblem, [&] { load(experiment); });
    QCOMPARE(QString::fromStdString(facts.found), QString::fromUtf8("U+00E9 'é', U+0020, U+007A 'z'"));
    QCOMPARE(facts.line, 2);
    QVERIFY(facts.file.find("u.txt") != std::string::npos);
  }

  void a_test_file_of_its_own_leaves_the_whole_text_for_training() {
    const TestFiles files;
    spec::Experiment experiment = of_text(files.write("t.txt", "abcabca"), 3);
    experiment.data.test = test_file(files.write("u.txt", "cabc"));
    const Dataset set = load(experiment);
    QCOMPARE(set.train.rows(), 2);
    QVERIFY(set.test.inputs.equal(rows({2, 0, 1}, 3)));
    QCOMPARE(set.test.ids.front(), std::string("3"));
  }

  void a_text_shorter_than_a_window_is_refused() {
    const TestFiles files;
    const std::string path = files.write("t.txt", "abcd");
    QCOMPARE(load(of_text(path, 3)).train.rows(), 1);  // three characters and the one after them
    const ErrorFacts facts = facts_of(ErrorKind::InvalidSetting, [&] { load(of_text(path, 4)); });
    QCOMPARE(facts.subject, std::string("data.context"));
    QCOMPARE(facts.found, std::string("4 characters"));
    const ErrorFacts test = facts_of(ErrorKind::InvalidSetting, [&] { load(of_text(path, 2, 0.25)); });
    QCOMPARE(test.subject, std::string("data.test"));
  }

  void an_empty_file_and_a_folder_are_refused() {
    const TestFiles files;
    const std::string empty = files.write("t.txt", "");
    QCOMPARE(facts_of(ErrorKind::DataProblem, [&] { read_text(empty); }).problem, std::string("the file is empty"));
    QVERIFY(!facts_of(ErrorKind::FileProblem, [&] { read_text(files.folder()); }).problem.empty());
  }

  void more_classes_than_characters_are_allowed_and_fewer_refused() {
    const TestFiles files;
    spec::Experiment experiment = of_text(files.write("t.txt", "abcabc"), 2);
    experiment.data.classes = 96;
    QCOMPARE(load(experiment).classes, 96);
    experiment.data.classes = 2;
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); }).subject, std::string("data.classes"));
  }

  void a_set_of_numbers_is_no_text() {
    spec::Experiment experiment;
    experiment.data.source = "wine";
    experiment.data.task = spec::Task::LanguageModel;
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); }).subject, std::string("data.source"));
  }

  void keys_of_tables_are_refused_for_a_text() {
    const TestFiles files;
    spec::Experiment experiment = of_text(files.write("t.txt", "abcabc"), 2);
    experiment.data.shape = {2};
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); }).subject, std::string("data.shape"));
  }
};

QTEST_GUILESS_MAIN(TextTests)
#include "text_tests.moc"
