// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <ATen/ATen.h>

#include "core/data/dataset.h"
#include "core/data/idx.h"
#include "core/data/pair.h"
#include "data_test_files.h"
#include "gzip_text.h"

using namespace mantissa;
using namespace mantissa::data;

namespace {

std::string in_case(const char* path) { return std::string(MANTISSA_SOURCE_DIR "/tests/cases/") + path; }

spec::Experiment of_pair(const std::string& inputs, const std::string& targets) {
  spec::Experiment experiment;
  experiment.data.inputs = inputs;
  experiment.data.targets = targets;
  experiment.data.test = test_share(0.0, 7);
  return experiment;
}

ErrorFacts refused(const std::string& path) {
  return facts_of(ErrorKind::DataProblem, [&] { read_idx(path); });
}

bool names(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text.push_back(static_cast<char>(value));
  return text;
}

}  // namespace

// The numbers of the first tests are those of tests/cases/46/expected.txt and 47/expected.txt.
class IdxTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void good_images_and_labels_are_read_in_order() {
    const IdxArray images = read_idx(in_case("46/good-images-idx3-ubyte"));
    QCOMPARE(images.shape, (std::vector<std::int64_t>{3, 2, 2}));
    QCOMPARE(images.type, std::string("uint8"));
    for (int i = 0; i < 12; ++i) QCOMPARE(images.values[static_cast<std::size_t>(i)], double(i));
    const IdxArray labels = read_idx(in_case("46/good-labels-idx1-ubyte"));
    QCOMPARE(labels.values, (std::vector<double>{0, 2, 1}));
  }

  void a_gzip_file_under_a_plain_name_is_unpacked() {
    QCOMPARE(read_idx(in_case("46/still-gzipped-idx3-ubyte")).values,
             read_idx(in_case("46/good-images-idx3-ubyte")).values);
  }

  void a_file_packed_twice_is_named_as_gzip() {
    const TestFiles files;
    QFile good(QString::fromStdString(in_case("46/good-images-idx3-ubyte")));
    QVERIFY(good.open(QIODevice::ReadOnly));
    const ErrorFacts facts = refused(files.write("twice-idx3-ubyte.gz", gzip(gzip(good.readAll().toStdString()))));
    QVERIFY2(names(facts.found, "529205248"), facts.found.c_str());  // 0x1f8b0800
    QVERIFY2(names(facts.remedy, "gzip"), facts.remedy.c_str());
  }

  void a_truncated_file_is_refused_with_both_sizes() {
    const ErrorFacts facts = refused(in_case("46/truncated-idx3-ubyte"));
    QCOMPARE(facts.found, std::string("8 bytes"));
    QVERIFY2(names(facts.expected, "12 bytes"), facts.expected.c_str());
    QVERIFY2(names(facts.expected, "3 × 2 × 2"), facts.expected.c_str());
  }

  void two_labels_for_three_images_are_refused_with_both_counts() {
    const auto load_both = [] {
      load(of_pair(in_case("46/good-images-idx3-ubyte"), in_case("46/labels2-idx1-ubyte")));
    };
    const ErrorFacts facts = facts_of(ErrorKind::DataProblem, load_both);
    QCOMPARE(facts.found, std::string("2 targets"));
    QVERIFY2(names(facts.expected, "3, one for every row"), facts.expected.c_str());
    QVERIFY(names(facts.file, "labels2"));
  }

  void a_little_endian_file_is_recognised() {
    const ErrorFacts facts = refused(in_case("46/little-endian-idx3-ubyte"));
    QVERIFY2(names(facts.found, "50855936"), facts.found.c_str());  // 0x03080000
    QVERIFY2(names(facts.expected, "2051"), facts.expected.c_str());
    QVERIFY2(names(facts.remedy, "big-endian"), facts.remedy.c_str());
  }

  void a_header_of_huge_sizes_is_refused() {
    const ErrorFacts facts = refused(in_case("46/hugedims-idx3-ubyte"));
    QCOMPARE(facts.found, std::string("4294967295 × 4294967295 × 4294967295"));
  }

  void a_header_that_promises_much_allocates_nothing() {
    // 2^31 rows of one byte are promised, three bytes are there.
    const TestFiles files;
    const ErrorFacts facts = refused(files.write("a.idx", bytes({0, 0, 8, 2, 0x80, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3})));
    QCOMPARE(facts.found, std::string("3 bytes"));
    QVERIFY2(names(facts.expected, "2147483648 bytes"), facts.expected.c_str());
  }

  void a_file_that_ends_within_its_header_is_refused() {
    const ErrorFacts facts = refused(in_case("46/headeronly"));
    QCOMPARE(facts.found, std::string("3 bytes"));
    const TestFiles files;
    const ErrorFacts sizes = refused(files.write("b.idx", bytes({0, 0, 8, 3, 0, 0, 0, 3, 0, 0})));
    QCOMPARE(sizes.found, std::string("10 bytes"));
    QVERIFY2(names(sizes.expected, "16 bytes for 3 dimensions"), sizes.expected.c_str());
  }

  void an_empty_file_and_a_byte_too_many_are_refused() {
    const TestFiles files;
    QCOMPARE(refused(files.write("empty.idx", "")).problem, std::string("the file is empty"));
    const ErrorFacts facts = refused(files.write("long.idx", bytes({0, 0, 8, 1, 0, 0, 0, 2, 1, 2, 3})));
    QCOMPARE(facts.problem, std::string("the file goes on after its last element"));
    QVERIFY(names(refused(files.write("none.idx", bytes({0, 0, 8, 1, 0, 0, 0, 0}))).problem, "no elements"));
  }

  void a_folder_and_a_cut_gzip_stream_are_refused_as_files() {
    const TestFiles files;
    QVERIFY(names(facts_of(ErrorKind::FileProblem, [&] { read_idx(files.folder()); }).problem, "folder"));
    const std::string packed = gzip(std::string(4096, 'x'));
    const std::string cut = files.write("cut.idx", packed.substr(0, packed.size() / 2));
    QVERIFY(names(facts_of(ErrorKind::FileProblem, [&] { read_idx(cut); }).problem, "cut short"));
  }

  void every_element_type_is_read_big_endian_with_its_sign() {
    const TestFiles files;
    const auto read = [&files](std::initializer_list<int> content) {
      return read_idx(files.write("t.idx", bytes(content))).values;
    };
    QCOMPARE(read({0, 0, 0x09, 1, 0, 0, 0, 2, 0xFF, 0x7F}), (std::vector<double>{-1, 127}));
    QCOMPARE(read({0, 0, 0x0B, 1, 0, 0, 0, 2, 0x80, 0, 1, 2}), (std::vector<double>{-32768, 258}));
    QCOMPARE(read({0, 0, 0x0C, 1, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE}), (std::vector<double>{-2}));
    QCOMPARE(read({0, 0, 0x0D, 1, 0, 0, 0, 1, 0x3F, 0xC0, 0, 0}), (std::vector<double>{1.5}));  // IEEE 754
    QCOMPARE(read({0, 0, 0x0E, 1, 0, 0, 0, 1, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0}), (std::vector<double>{-1}));
  }

  void a_number_that_is_not_finite_is_named_by_row_and_element() {
    const TestFiles files;
    const std::string inputs =  // [[1, 1], [1, NaN]]
        files.write("x.idx", bytes({0, 0, 0x0D, 2,    0, 0, 0,    2,    0, 0, 0,    2,    0x3F, 0x80,
                                    0, 0, 0x3F, 0x80, 0, 0, 0x3F, 0x80, 0, 0, 0x7F, 0xC0, 0,    0}));
    const std::string targets = files.write("y.idx", bytes({0, 0, 8, 1, 0, 0, 0, 2, 0, 1}));
    const ErrorFacts facts = facts_of(ErrorKind::DataProblem, [&] { load(of_pair(inputs, targets)); });
    QCOMPARE(facts.subject, std::string("row 2, element 2"));
  }

  void labels_of_any_width_are_class_indices_data() {
    QTest::addColumn<QString>("targets");
    QTest::newRow("bytes") << "47/labels-idx1-ubyte";
    QTest::newRow("32-bit integers") << "47/labels-idx1-int32";
    QTest::newRow("floats in a CSV file") << "47/labels-float.csv";
  }
  void labels_of_any_width_are_class_indices() {
    QFETCH(QString, targets);
    spec::Experiment experiment = of_pair(in_case("47/images-idx3-ubyte"), in_case(targets.toStdString().c_str()));
    if (targets.endsWith("csv")) experiment.data.columns.target = {"label"};
    const Dataset set = load(experiment);
    QVERIFY(set.train.targets.equal(at::tensor({0, 2, 1}, at::TensorOptions(at::kLong))));
    QCOMPARE(set.classes, 3);
    QVERIFY(set.train.inputs.equal(at::arange(12, at::TensorOptions(at::kFloat)).view({3, 2, 2})));
    // An all-zero logit gives every class the same probability: ln 3.
    const at::Tensor loss = at::cross_entropy_loss(at::zeros({3, 3}), set.train.targets);
    QCOMPARE(loss.item<float>(), 1.0986123F);
  }

  void bad_labels_beside_images_are_named_by_line() {
    const TestFiles files;
    spec::Experiment experiment = of_pair(files.write("x.idx", bytes({0, 0, 8, 2, 0, 0, 0, 4, 0, 0, 0, 1, 1, 2, 3, 4})),
                                          in_case("47/labels-bad.csv"));
    experiment.data.columns.target = {"label"};
    experiment.data.classes = 3;
    const ErrorFacts facts = facts_of(ErrorKind::DataProblem, [&] { load(experiment); });
    QVERIFY(names(facts.file, "labels-bad.csv"));
    QCOMPARE(facts.found, std::string("'3' in line 3, '-1' in line 4, '1.5' in line 5"));
  }

  void a_bad_label_of_an_idx_file_is_named_by_row() {
    const TestFiles files;
    spec::Experiment experiment = of_pair(in_case("46/good-images-idx3-ubyte"), in_case("46/good-labels-idx1-ubyte"));
    experiment.data.classes = 2;
    const ErrorFacts facts = facts_of(ErrorKind::DataProblem, [&] { load(experiment); });
    QCOMPARE(facts.found, std::string("'2' in row 2"));
    QCOMPARE(facts.line, 0);
  }

  void a_shape_of_the_experiment_replaces_that_of_the_file() {
    spec::Experiment experiment = of_pair(in_case("46/good-images-idx3-ubyte"), in_case("46/good-labels-idx1-ubyte"));
    experiment.data.shape = {1, 2, 2};
    QCOMPARE(load(experiment).train.inputs.sizes().vec(), (std::vector<std::int64_t>{3, 1, 2, 2}));
  }

  void test_images_of_another_shape_are_refused() {
    const TestFiles files;
    spec::Experiment experiment = of_pair(in_case("46/good-images-idx3-ubyte"), in_case("46/good-labels-idx1-ubyte"));
    experiment.data.test = spec::TestPart{};
    experiment.data.test->inputs = files.write("t.idx", bytes({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2}));
    experiment.data.test->targets = files.write("u.idx", bytes({0, 0, 8, 1, 0, 0, 0, 1, 0}));
    const ErrorFacts facts = facts_of(ErrorKind::DataProblem, [&] { load(experiment); });
    QCOMPARE(facts.found, std::string("1 × 2"));
    QCOMPARE(facts.expected, std::string("2 × 2"));
  }

  void one_idx_file_as_the_whole_data_is_refused_with_the_way_out() {
    spec::Experiment experiment;
    experiment.data.path = in_case("46/good-images-idx3-ubyte");
    const ErrorFacts facts = facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); });
    QCOMPARE(facts.subject, std::string("data.path"));
    QVERIFY(names(facts.expected, "data.inputs and data.targets"));
  }

  void a_pair_of_csv_files_is_joined_row_by_row() {
    const TestFiles files;
    const Dataset set = load(of_pair(files.write("x.csv", "a,b\n1,2\n3,4\n"), files.write("y.csv", "y\n0.5\n1.5\n")));
    QVERIFY(set.train.inputs.equal(at::tensor({1.F, 2.F, 3.F, 4.F}).view({2, 2})));
    QVERIFY(set.train.targets.equal(at::tensor({0.5F, 1.5F}).view({2, 1})));
  }

  void a_target_file_of_several_columns_needs_a_name() {
    const TestFiles files;
    const auto both = of_pair(files.write("x.csv", "a\n1\n3\n"), files.write("y.csv", "y,z\n0.5,1\n1.5,2\n"));
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(both); }).subject, std::string("data.targets"));
  }

  void rows_are_not_dropped_out_of_one_of_two_files() {
    spec::Experiment experiment = of_pair(in_case("46/good-images-idx3-ubyte"), in_case("46/good-labels-idx1-ubyte"));
    experiment.data.missing = spec::Missing::Drop;
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); }).subject, std::string("data.missing"));
  }
};

QTEST_GUILESS_MAIN(IdxTests)
#include "idx_tests.moc"
