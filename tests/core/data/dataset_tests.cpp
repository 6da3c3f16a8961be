// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include <QTest>

#include <ATen/ATen.h>

#include "core/data/dataset.h"
#include "core/data/preprocess.h"
#include "core/data/split.h"
#include "data_test_files.h"

using namespace mantissa;
using namespace mantissa::data;
using namespace std::string_literals;

namespace {

std::vector<float> numbers(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.contiguous();
  return {plain.const_data_ptr<float>(), plain.const_data_ptr<float>() + plain.numel()};
}

std::vector<std::int64_t> integers(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<std::int64_t>(), tensor.const_data_ptr<std::int64_t>() + tensor.numel()};
}

const spec::TestPart kNoTest = test_share(0.0, 7);

}  // namespace

class DatasetTests : public QObject {
  Q_OBJECT

 private:
  /// A regression on the file, without a test part.
  spec::Experiment of_file(std::string_view bytes) {
    spec::Experiment experiment;
    experiment.file = "e.toml";
    experiment.data.path = files_.write("data.csv", bytes);
    experiment.data.task = spec::Task::Regression;
    experiment.data.test = kNoTest;
    return experiment;
  }
  ErrorFacts refusal(const spec::Experiment& experiment, ErrorKind kind = ErrorKind::DataProblem) {
    return facts_of(kind, [&experiment] { load(experiment); });
  }

  TestFiles files_;

 private Q_SLOTS:
  void a_file_becomes_float32_rows_in_its_own_units() {
    const Dataset set = load(of_file("x,z,y\n1.5,-2.25,0.1\n65505,3,4\n"));
    QVERIFY(set.train.inputs.scalar_type() == at::kFloat);
    QCOMPARE(numbers(set.train.inputs), (std::vector<float>{1.5F, -2.25F, 65505.0F, 3.0F}));
    QCOMPARE(numbers(set.train.targets), (std::vector<float>{0.1F, 4.0F}));
    QCOMPARE(set.train.targets.dim(), 2);
    QCOMPARE(set.test.rows(), 0);
    QCOMPARE(set.test.inputs.size(1), 2);
    QCOMPARE(set.train.ids, (std::vector<std::string>{"1", "2"}));
    QCOMPARE(set.input_names, (std::vector<std::string>{"x", "z"}));
  }

  void the_split_is_pytorchs_permutation() {
    // torch.randperm(10, generator=torch.Generator().manual_seed(7)) = 5 0 3 4 1 7 9 6 8 2
    spec::Experiment experiment;
    const Split split = split_rows(experiment, test_share(0.2, 7), 10);
    QCOMPARE(split.test, (std::vector<std::int64_t>{5, 0}));
    QCOMPARE(split.train, (std::vector<std::int64_t>{3, 4, 1, 7, 9, 6, 8, 2}));
  }

  void halves_of_a_row_round_to_even_as_pythons_do() {
    spec::Experiment experiment;
    QCOMPARE(split_rows(experiment, test_share(0.5, 7), 5).test.size(), std::size_t{2});    // round(2.5)
    QCOMPARE(split_rows(experiment, test_share(0.5, 7), 3).test.size(), std::size_t{2});    // round(1.5)
    QCOMPARE(split_rows(experiment, test_share(0.25, 7), 10).test.size(), std::size_t{2});  // round(2.5)
  }

  void without_a_test_part_the_rows_stay_as_they_stand() {
    spec::Experiment experiment;
    QCOMPARE(split_rows(experiment, kNoTest, 4).train, (std::vector<std::int64_t>{0, 1, 2, 3}));
  }

  void a_fraction_that_leaves_no_training_row_is_refused() {
    spec::Experiment experiment = of_file("x,y\n1,0\n");
    experiment.positions["data.test"] = {5, 1};
    experiment.data.test = test_share(0.9, 7);
    const ErrorFacts facts = refusal(experiment, ErrorKind::InvalidSetting);
    QCOMPARE(facts.subject, "data.test.fraction"s);
    QCOMPARE(facts.line, 5);
    QCOMPARE(facts.found, "0.9"s);
  }

  void a_fraction_outside_its_range_is_refused() {
    for (const double fraction : {-0.1, 1.0, std::nan("")}) {
      spec::Experiment experiment = of_file("x,y\n1,0\n2,0\n");
      experiment.data.test = test_share(fraction, 7);
      QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).expected, "a number from 0 to below 1"s);
    }
  }

  void an_epochs_order_is_pytorchs_permutation_of_seed_plus_epoch() {
    spec::Experiment experiment;  // training.seed = 1
    // torch.randperm(5, generator=torch.Generator().manual_seed(s)): s = 1: 0 4 2 3 1; s = 3: 1 0 3 4 2
    QCOMPARE(integers(epoch_order(experiment, 5, 0)), (std::vector<std::int64_t>{0, 4, 2, 3, 1}));
    QCOMPARE(integers(epoch_order(experiment, 5, 2)), (std::vector<std::int64_t>{1, 0, 3, 4, 2}));
  }

  void file_order_is_the_same_in_every_epoch() {
    spec::Experiment experiment;
    experiment.data.order = spec::Order::File;
    QCOMPARE(integers(epoch_order(experiment, 4, 3)), (std::vector<std::int64_t>{0, 1, 2, 3}));
  }

  void statistics_come_from_the_training_part_only() {
    // seed 3 permutes five rows to 1 0 3 4 2; two are tested, rows 3, 4, 2 of x = 100, 200, 3, 0, 6 train:
    // mean (0 + 6 + 3) / 3 = 3, deviation sqrt((9 + 9 + 0) / 3) = sqrt 6.
    spec::Experiment experiment = of_file("x,y\n100,1\n200,1\n3,1\n0,1\n6,1\n");
    experiment.data.test = test_share(0.4, 3);
    experiment.data.standardize = true;
    const Dataset set = load(experiment);
    const double deviation = std::sqrt(6.0);
    QCOMPARE(numbers(set.train.inputs),
             (std::vector<float>{static_cast<float>(-3.0 / deviation), static_cast<float>(3.0 / deviation), 0.0F}));
    QCOMPARE(numbers(set.test.inputs),
             (std::vector<float>{static_cast<float>(197.0 / deviation), static_cast<float>(97.0 / deviation)}));
    QCOMPARE(set.test.ids, (std::vector<std::string>{"2", "1"}));
  }

  void a_constant_is_divided_by_one_even_where_its_mean_is_rounded() {
    // 0.1 added ten times is 0.9999999999999999, whose tenth is not 0.1.
    const std::vector<double> column(10, 0.1);
    const Statistics statistics = statistics_of(column, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    QCOMPARE(statistics.mean[0], 0.1);
    QCOMPARE(statistics.scale[0], 1.0);
  }

  void a_log10_target_is_the_logarithm() {
    spec::Experiment experiment = of_file("x,y\n1,1000\n2,0.01\n");
    experiment.data.target_transform = spec::TargetTransform::Log10;
    const Dataset set = load(experiment);
    QVERIFY(set.target_log10);
    QCOMPARE(numbers(set.train.targets), (std::vector<float>{3.0F, -2.0F}));
  }

  void a_target_without_a_logarithm_is_refused_with_its_line() {
    spec::Experiment experiment = of_file("x,y\n1,10\n2,0\n");
    experiment.data.target_transform = spec::TargetTransform::Log10;
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.subject, "column y"s);
    QCOMPARE(facts.found, "0"s);
  }

  void a_missing_value_is_refused_with_the_way_out() {
    for (const char* cell : {"", "NA", "n/a", "N/A"}) {
      const ErrorFacts facts = refusal(of_file("x,y\n1,2\n" + std::string(cell) + ",3\n"));
      QCOMPARE(facts.line, 3);
      QCOMPARE(facts.column, 1);
      QCOMPARE(facts.subject, "column x"s);
      QVERIFY(facts.remedy.find("data.missing = \"drop\"") != std::string::npos);
    }
    QCOMPARE(refusal(of_file("x,y\n1,\n")).subject, "column y"s);
  }

  void nan_in_the_data_is_named_as_already_there() {
    const ErrorFacts facts = refusal(of_file("x,y\n1,2\n2,3\nnan,3\n"));
    QCOMPARE(facts.line, 4);
    QVERIFY(facts.problem.find("already in the data") != std::string::npos);
  }

  void dropped_rows_are_counted_and_keep_the_others_numbers() {
    spec::Experiment experiment = of_file("x,y\n1,2\n,3\nNaN,4\n4,NA\n5,6\n");
    experiment.data.missing = spec::Missing::Drop;
    const Dataset set = load(experiment);
    QCOMPARE(set.train.ids, (std::vector<std::string>{"1", "5"}));
    QCOMPARE(numbers(set.train.inputs), (std::vector<float>{1.0F, 5.0F}));
    QCOMPARE(numbers(set.train.targets), (std::vector<float>{2.0F, 6.0F}));
    QCOMPARE(set.notes.size(), std::size_t{1});
    QVERIFY(set.notes[0].rfind("3 rows of ", 0) == 0);
  }

  void a_missing_value_in_a_column_without_a_role_does_not_matter() {
    spec::Experiment experiment = of_file("x,comment,y\n1,,2\n3,NA,4\n");
    experiment.data.columns.inputs = {"x"};
    QCOMPARE(load(experiment).train.rows(), 2);
  }

  void infinity_is_refused_even_where_missing_rows_are_dropped() {
    spec::Experiment experiment = of_file("x,z,y\n1,1,2\n,-inf,3\n");
    experiment.data.missing = spec::Missing::Drop;
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.subject, "column z"s);
    QVERIFY(facts.problem.find("already in the data") != std::string::npos);
    QCOMPARE(refusal(of_file("x,y\n1,inf\n")).line, 2);
  }

  void a_number_beyond_float32_is_refused_with_its_line() {
    QCOMPARE(numbers(load(of_file("x,y\n3.4028235e38,1\n")).train.inputs), std::vector<float>{3.40282347e+38F});
    const ErrorFacts facts = refusal(of_file("x,y\n1,1\n3.5e38,1\n"));
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.subject, "column x"s);
  }

  void a_row_that_is_all_missing_leaves_nothing() {
    spec::Experiment experiment = of_file("x,y\n,1\nNA,2\n");
    experiment.data.missing = spec::Missing::Drop;
    QVERIFY(refusal(experiment).problem.find("every row") != std::string::npos);
  }

  void a_header_without_rows_is_refused() {
    QCOMPARE(refusal(of_file("x,y\n")).problem, "the file has a header but no rows"s);
  }

  void text_in_an_input_column_is_refused_with_line_and_column() {
    const ErrorFacts facts = refusal(of_file("x,town,y\n1,2,3\n1,Ulm,3\n"));
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.subject, "column town"s);
    QCOMPARE(facts.found, "'Ulm'"s);
    QVERIFY(facts.remedy.find("data.columns.inputs") != std::string::npos);
  }

  void columns_take_the_roles_they_are_given() {
    spec::Experiment experiment = of_file("name,y2,x,from,y1,z\nr1,1,2,lab,3,4\nr2,5,6,field,7,8\n");
    experiment.data.columns = {{"z", "x"}, {"y1", "y2"}, "name", "from", {}};
    const Dataset set = load(experiment);
    QCOMPARE(numbers(set.train.inputs), (std::vector<float>{4.0F, 2.0F, 8.0F, 6.0F}));
    QCOMPARE(numbers(set.train.targets), (std::vector<float>{3.0F, 1.0F, 7.0F, 5.0F}));
    QCOMPARE(set.train.ids, (std::vector<std::string>{"r1", "r2"}));
    QCOMPARE(set.train.slices, (std::vector<std::string>{"lab", "field"}));
  }

  void id_and_slice_are_no_inputs_and_no_target() {
    spec::Experiment experiment = of_file("x,y,id\n1,2,a\n");
    experiment.data.columns.id = "id";
    const Dataset set = load(experiment);
    QCOMPARE(set.input_names, std::vector<std::string>{"x"});
    QCOMPARE(set.target_names, std::vector<std::string>{"y"});  // the last column that has no role yet
  }

  void an_unknown_column_is_refused_with_the_known_ones() {
    spec::Experiment experiment = of_file("x,y\n1,2\n");
    experiment.positions["data.columns"] = {7, 1};
    experiment.data.columns.target = {"label"};
    const ErrorFacts facts = refusal(experiment, ErrorKind::InvalidSetting);
    QCOMPARE(facts.subject, "data.columns.target"s);
    QCOMPARE(facts.line, 7);
    QCOMPARE(facts.expected, "one of x, y"s);
  }

  void a_column_with_two_roles_is_refused() {
    spec::Experiment experiment = of_file("x,y\n1,2\n");
    experiment.data.columns.inputs = {"x", "y"};
    experiment.data.columns.target = {"y"};
    QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).problem, "one column in two roles"s);
  }

  void the_last_column_as_an_input_is_refused_without_a_named_target() {
    spec::Experiment experiment = of_file("x1,x2,y,id\n1,2,3,a\n");
    experiment.data.columns.id = "id";
    experiment.data.columns.inputs = {"x1", "y"};
    const ErrorFacts facts = refusal(experiment, ErrorKind::InvalidSetting);
    QCOMPARE(facts.subject, "data.columns.inputs"s);
    QCOMPARE(facts.problem, "the last column is both input and target"s);
    QVERIFY(facts.remedy.find("data.columns.target") != std::string::npos);
    experiment.data.columns.target = {"x2"};
    QCOMPARE(load(experiment).target_names, std::vector<std::string>{"x2"});
  }

  void an_id_that_stands_twice_is_refused_with_its_line() {
    spec::Experiment experiment = of_file("id,x,y\na,1,2\nb,1,2\na,1,2\n");
    experiment.data.columns.id = "id";
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 4);
    QCOMPARE(facts.problem, "an id that line 2 has too"s);
  }

  void a_file_with_one_column_has_no_inputs() {
    QCOMPARE(refusal(of_file("y\n1\n")).problem, "no column is left for the inputs"s);
  }

  void a_file_with_tabs_gets_the_right_advice() {
    QVERIFY(refusal(of_file("x\ty\n1\t2\n")).remedy.find("tabs") != std::string::npos);
  }

  void a_test_file_is_the_test_part_in_its_own_order() {
    spec::Experiment experiment = of_file("x,y\n1,2\n3,6\n");
    experiment.data.standardize = true;
    experiment.data.test = test_file(files_.write("test.csv", "y,x\n9,4\n8,2\n"));
    const Dataset set = load(experiment);
    QCOMPARE(numbers(set.train.inputs), (std::vector<float>{-1.0F, 1.0F}));  // mean 2, deviation 1
    QCOMPARE(numbers(set.test.inputs), (std::vector<float>{2.0F, 0.0F}));    // (4 − 2) / 1, (2 − 2) / 1
    QCOMPARE(numbers(set.test.targets), (std::vector<float>{9.0F, 8.0F}));
  }

  void a_test_file_with_other_columns_is_refused() {
    spec::Experiment experiment = of_file("x,y\n1,2\n");
    experiment.data.test = test_file(files_.write("test.csv", "x,z\n9,4\n"));
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.found, "no column y, and besides z"s);
    QCOMPARE(facts.file, experiment.data.test->path);
  }

  void a_shape_reshapes_a_row() {
    spec::Experiment experiment = of_file("a,b,c,d,y\n1,2,3,4,0\n5,6,7,8,0\n");
    experiment.data.shape = {1, 2, 2};
    const Dataset set = load(experiment);
    QVERIFY(set.train.inputs.sizes() == at::IntArrayRef({2, 1, 2, 2}));
    QCOMPARE(set.train.inputs.select(0, 1).select(0, 0).select(0, 1).select(0, 0).item<float>(), 7.0F);
  }

  void a_shape_that_does_not_hold_a_row_is_refused() {
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{3}, {2, 3}, {-2, -2}, {0}, {1LL << 62, 8}}) {
      spec::Experiment experiment = of_file("a,b,c,d,y\n1,2,3,4,0\n");
      experiment.data.shape = shape;
      QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).subject, "data.shape"s);
    }
  }

  void no_data_at_all_is_refused() {
    QCOMPARE(refusal(spec::Experiment{}, ErrorKind::InvalidSetting).expected,
             "data.source, data.path, or data.inputs and data.targets"s);
  }

  void the_raw_hash_follows_the_data_and_not_the_preprocessing() {
    const spec::Experiment plain = of_file("x,y\n1,2\n3,4\n");
    spec::Experiment standardised = plain;
    standardised.data.standardize = true;
    const Dataset a = load(plain);
    const Dataset b = load(standardised);
    QCOMPARE(a.sha256, b.sha256);
    QVERIFY(a.preprocessing_sha256 != b.preprocessing_sha256);
    const Dataset other = load(of_file("x,y\n1,2\n3,5\n"));
    QVERIFY(other.sha256 != a.sha256);
    QCOMPARE(other.preprocessing_sha256, a.preprocessing_sha256);
  }

  void the_preprocessing_hash_follows_the_split() {
    spec::Experiment experiment = of_file("x,y\n1,2\n3,4\n5,6\n7,8\n9,10\n");
    experiment.data.test = test_share(0.2, 7);
    const Dataset seven = load(experiment);
    experiment.data.test = test_share(0.2, 8);
    const Dataset eight = load(experiment);
    QCOMPARE(seven.sha256, eight.sha256);
    QVERIFY(seven.preprocessing_sha256 != eight.preprocessing_sha256);
  }

  void a_german_locale_changes_nothing() {
    const spec::Experiment experiment = of_file("x,y\n0.098,-2.25\n1e-3,7.5\n");
    const Dataset before = load(experiment);
    const GermanLocale german(files_.folder());
    if (!german.in_force()) QSKIP("no localedef or no German locale source on this system");
    const Dataset after = load(experiment);
    QCOMPARE(numbers(after.train.inputs), (std::vector<float>{0.098F, 1e-3F}));
    QCOMPARE(after.sha256, before.sha256);
    QCOMPARE(after.preprocessing_sha256, before.preprocessing_sha256);
  }

  void columns_of_integers_alone_reach_the_model_as_int64() {
    // tests/cases/16: indices 1, 1, 3.
    spec::Experiment experiment;
    experiment.data.path = MANTISSA_SOURCE_DIR "/tests/cases/16/idx.csv";
    experiment.data.task = spec::Task::Regression;
    experiment.data.test = kNoTest;
    experiment.data.columns.integers = {"i"};
    const Dataset set = load(experiment);
    QVERIFY(set.train.inputs.scalar_type() == at::kLong);
    QCOMPARE(integers(set.train.inputs), (std::vector<std::int64_t>{1, 1, 3}));
    QCOMPARE(set.integer_inputs, std::vector<bool>{true});
  }

  void integers_beyond_float32_are_exact_as_int64() {
    spec::Experiment experiment = of_file("i,y\n9007199254740991,0.5\n-16777217,1\n");
    experiment.data.columns.integers = {"i"};
    QCOMPARE(integers(load(experiment).train.inputs), (std::vector<std::int64_t>{9007199254740991, -16777217}));
  }

  void integers_beside_other_columns_stay_exact_in_float32_or_are_refused() {
    spec::Experiment experiment = of_file("i,x,y\n16777216,0.5,1\n3,0.25,2\n");
    experiment.data.columns.integers = {"i"};
    const Dataset set = load(experiment);
    QCOMPARE(numbers(set.train.inputs), (std::vector<float>{16777216.0F, 0.5F, 3.0F, 0.25F}));
    QCOMPARE(set.integer_inputs, (std::vector<bool>{true, false}));

    // 2^24 + 1 is no FP32 number.
    experiment.data.path = files_.write("large.csv", "i,x,y\n1,0.5,1\n16777217,0.25,2\n");
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.subject, "column i"s);
    QCOMPARE(facts.expected, "a magnitude up to 16777216"s);
  }

  void a_fraction_in_a_column_of_integers_is_refused_with_its_line() {
    spec::Experiment experiment = of_file("i,y\n1,0.5\n2.0,0.5\n2.5,1\n");
    experiment.data.columns.integers = {"i"};
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 4);
    QCOMPARE(facts.column, 1);
    QCOMPARE(facts.found, "'2.5'"s);
  }

  void standardising_leaves_integers_beside_other_columns_alone() {
    spec::Experiment experiment = of_file("i,x,y\n7,1,1\n9,3,2\n");
    experiment.data.columns.integers = {"i"};
    experiment.data.standardize = true;
    QCOMPARE(numbers(load(experiment).train.inputs), (std::vector<float>{7.0F, -1.0F, 9.0F, 1.0F}));
    experiment.data.columns.integers = {"i", "x"};
    QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).subject, "data.standardize"s);
  }

  void an_unknown_column_of_integers_is_refused() {
    spec::Experiment experiment = of_file("i,x,y\n7,1,1\n");
    experiment.data.columns.integers = {"j"};
    QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).subject, "data.columns.integers"s);
  }
};

QTEST_GUILESS_MAIN(DatasetTests)
#include "dataset_tests.moc"
