// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <QTest>

#include <ATen/ATen.h>

#include "core/data/dataset.h"
#include "data_test_files.h"

using namespace mantissa;
using namespace mantissa::data;
using namespace std::string_literals;
using spec::Loss;
using spec::Task;

namespace {

std::vector<std::int64_t> labels(const Dataset& set) {
  const at::Tensor& targets = set.train.targets;
  if (targets.scalar_type() != at::kLong || targets.dim() != 1) return {-1000};
  return {targets.const_data_ptr<std::int64_t>(), targets.const_data_ptr<std::int64_t>() + targets.numel()};
}

std::vector<float> numbers(const Dataset& set) {
  const at::Tensor& targets = set.train.targets;
  if (targets.scalar_type() != at::kFloat || targets.dim() != 2) return {-1000.0F};
  return {targets.const_data_ptr<float>(), targets.const_data_ptr<float>() + targets.numel()};
}

}  // namespace

class TargetTests : public QObject {
  Q_OBJECT

 private:
  spec::Experiment of_file(std::string_view bytes) {
    spec::Experiment experiment;
    experiment.data.path = files_.write("data.csv", bytes);
    experiment.data.test = test_share(0.0, 7);
    return experiment;
  }
  ErrorFacts refusal(const spec::Experiment& experiment, ErrorKind kind = ErrorKind::DataProblem) {
    return facts_of(kind, [&experiment] { load(experiment); });
  }

  TestFiles files_;

 private Q_SLOTS:
  void integer_targets_are_classes() {
    const Dataset set = load(of_file("x,y\n1,0\n2,2\n3,0\n"));
    QVERIFY(set.task == Task::Classification);
    QCOMPARE(labels(set), (std::vector<std::int64_t>{0, 2, 0}));
    QCOMPARE(set.classes, 3);  // the largest index + 1, whether or not 1 occurs
    QVERIFY(set.class_names.empty());
  }

  void float_targets_are_a_regression() {
    const Dataset set = load(of_file("x,y\n1,0.5\n2,2\n"));
    QVERIFY(set.task == Task::Regression);
    QCOMPARE(numbers(set), (std::vector<float>{0.5F, 2.0F}));
    QCOMPARE(set.classes, 0);
  }

  void whole_floats_that_are_no_labels_are_a_regression() {
    QVERIFY(load(of_file("x,y\n1,151.0\n2,75.0\n")).task == Task::Regression);
  }

  void labels_written_as_floats_are_classes() {
    // shared case "label types": 0.0, 2.0, 1.0 are three classes.
    const Dataset set = load(of_file("x,label\n1,0.0\n2,2.0\n3,1.0\n"));
    QVERIFY(set.task == Task::Classification);
    QCOMPARE(labels(set), (std::vector<std::int64_t>{0, 2, 1}));
    QCOMPARE(set.classes, 3);
    QCOMPARE(set.notes.size(), std::size_t{1});
  }

  void a_loss_decides_the_task() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,1\n");
    for (const Loss loss : {Loss::Mse, Loss::L1, Loss::Huber}) {
      experiment.training.loss = loss;
      const Dataset set = load(experiment);
      QVERIFY(set.task == Task::Regression);
      QCOMPARE(numbers(set), (std::vector<float>{0.0F, 1.0F}));
    }
    experiment.training.loss = Loss::Nll;
    QCOMPARE(labels(load(experiment)), (std::vector<std::int64_t>{0, 1}));
  }

  void binary_losses_take_floats_of_zero_and_one() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,1\n3,1.0\n");
    for (const Loss loss : {Loss::Bce, Loss::BceWithLogits}) {
      experiment.training.loss = loss;
      const Dataset set = load(experiment);
      QVERIFY(set.task == Task::Classification);
      QCOMPARE(numbers(set), (std::vector<float>{0.0F, 1.0F, 1.0F}));
      QCOMPARE(set.classes, 2);
    }
  }

  void binary_losses_take_several_yes_or_no_columns() {
    spec::Experiment experiment = of_file("x,a,b\n1,0,1\n2,1,1\n");
    experiment.training.loss = Loss::BceWithLogits;
    experiment.data.columns.target = {"a", "b"};
    QCOMPARE(numbers(load(experiment)), (std::vector<float>{0.0F, 1.0F, 1.0F, 1.0F}));
  }

  void a_third_class_does_not_fit_a_binary_loss() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,1\n3,2\n");
    experiment.training.loss = Loss::Bce;
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 4);
    QCOMPARE(facts.expected, "whole numbers from 0 to 1"s);
    spec::Experiment named = of_file("x,y\n1,a\n2,b\n3,c\n");
    named.training.loss = Loss::Bce;
    QCOMPARE(refusal(named, ErrorKind::InvalidSetting).found, "3 labels"s);
  }

  void bad_labels_are_refused_with_their_lines() {
    // shared case "label types": 3 and −1 are out of range of three classes, 1.5 is none.
    spec::Experiment experiment = of_file("x,label\n1,0\n2,3\n3,-1\n4,1.5\n");
    experiment.data.classes = 3;
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.subject, "column label"s);
    QCOMPARE(facts.found, "'3' in line 3, '-1' in line 4, '1.5' in line 5"s);
    QCOMPARE(facts.expected, "whole numbers from 0 to 2"s);
  }

  void more_than_five_bad_labels_are_counted() {
    spec::Experiment experiment = of_file("x,y\n1,-1\n1,-1\n1,-1\n1,-1\n1,-1\n1,-1\n1,-1\n1,0\n");
    QVERIFY(refusal(experiment).found.find("'-1' in line 6 and 2 more") != std::string::npos);
  }

  void text_labels_are_sorted_by_bytes() {
    const Dataset set = load(of_file("x,y\n1,dog\n2,cat\n3,Ärger\n4,Zebra\n5,cat\n"));
    QCOMPARE(set.class_names, (std::vector<std::string>{"Zebra", "cat", "dog", "Ärger"}));
    QCOMPARE(labels(set), (std::vector<std::int64_t>{2, 1, 3, 0, 1}));
    QCOMPARE(set.classes, 4);
  }

  void a_text_among_index_labels_is_refused_with_its_line() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,O\n3,1\n");
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.found, "'O' in line 3"s);
    QVERIFY(facts.remedy.find("data.labels = \"map\"") != std::string::npos);
  }

  void an_ignored_label_is_no_class() {
    // x,y with y = 0, 1, 2, -100: three classes, and PyTorch's cross_entropy leaves the rows with -100 out.
    for (const Loss loss : {Loss::CrossEntropy, Loss::Nll}) {
      spec::Experiment experiment = of_file("x,y\n1,0\n2,-100\n3,2\n4,-100\n5,1\n6,-100\n");
      experiment.training.loss = loss;
      const Dataset set = load(experiment);
      QCOMPARE(set.classes, 3);
      QCOMPARE(labels(set), (std::vector<std::int64_t>{0, -100, 2, -100, 1, -100}));
      QCOMPARE(set.notes, std::vector<std::string>{"3 rows carry the ignored label -100"});
    }
  }

  void an_ignored_label_above_the_classes_adds_none() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,255\n3,1\n");
    experiment.training.ignore_index = 255;
    const Dataset set = load(experiment);
    QCOMPARE(set.classes, 2);
    QCOMPARE(set.notes, std::vector<std::string>{"1 row carries the ignored label 255"});
  }

  void a_binary_loss_ignores_no_label() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,-100\n3,1\n");
    experiment.training.loss = Loss::BceWithLogits;
    QCOMPARE(refusal(experiment).found, "'-100' in line 3"s);
  }

  void labels_that_are_all_ignored_are_refused() {
    const ErrorFacts facts = refusal(of_file("x,y\n1,-100\n2,-100\n"), ErrorKind::InvalidSetting);
    QCOMPARE(facts.subject, "training.ignore_index"s);
    QCOMPARE(facts.problem, "every row carries the ignored label -100"s);
  }

  void mapped_numbers_are_sorted_by_value() {
    spec::Experiment experiment = of_file("x,y\n1,10\n2,9\n3,-2.5\n4,9.0\n");
    experiment.data.labels = spec::Labels::Map;
    const Dataset set = load(experiment);
    QCOMPARE(set.class_names, (std::vector<std::string>{"-2.5", "9", "10"}));
    QCOMPARE(labels(set), (std::vector<std::int64_t>{2, 1, 0, 1}));
  }

  void fewer_classes_than_labels_are_refused() {
    spec::Experiment experiment = of_file("x,y\n1,a\n2,b\n3,c\n");
    experiment.data.classes = 2;
    const ErrorFacts facts = refusal(experiment, ErrorKind::InvalidSetting);
    QCOMPARE(facts.subject, "data.classes"s);
    QCOMPARE(facts.expected, "3 or more"s);
  }

  void classes_and_labels_are_settled_over_all_parts() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,1\n");
    experiment.data.test = test_file(files_.write("test.csv", "x,y\n1,4\n"));
    QCOMPARE(load(experiment).classes, 5);
    experiment = of_file("x,y\n1,b\n2,d\n");
    experiment.data.test = test_file(files_.write("test.csv", "x,y\n1,a\n"));
    const Dataset set = load(experiment);
    QCOMPARE(set.class_names, (std::vector<std::string>{"a", "b", "d"}));
    QCOMPARE(labels(set), (std::vector<std::int64_t>{1, 2}));
  }

  void a_label_far_above_the_rows_is_taken_for_a_code() {
    const ErrorFacts facts = refusal(of_file("x,y\n1,0\n2,89073000\n"));
    QCOMPARE(facts.line, 3);
    QVERIFY(facts.remedy.find("map") != std::string::npos);
  }

  void a_task_and_a_loss_that_exclude_each_other_are_refused() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,1\n");
    experiment.data.task = Task::Classification;
    experiment.training.loss = Loss::Mse;
    QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).subject, "training.loss"s);
    experiment.data.task = Task::Regression;
    experiment.training.loss = Loss::CrossEntropy;
    QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).subject, "training.loss"s);
  }

  void class_labels_have_no_transform() {
    spec::Experiment experiment = of_file("x,y\n1,0\n2,1\n");
    experiment.data.target_transform = spec::TargetTransform::Log10;
    QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).subject, "data.target_transform"s);
  }

  void text_in_a_regression_target_is_refused_with_its_line() {
    spec::Experiment experiment = of_file("x,y\n1,0.5\n2,high\n");
    experiment.data.task = Task::Regression;
    const ErrorFacts facts = refusal(experiment);
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.found, "'high' in line 3"s);
  }

  void two_label_columns_need_a_binary_loss() {
    spec::Experiment experiment = of_file("x,a,b\n1,0,1\n2,1,1\n");
    experiment.data.columns.target = {"a", "b"};
    QCOMPARE(refusal(experiment, ErrorKind::InvalidSetting).subject, "data.columns.target"s);
  }
};

QTEST_GUILESS_MAIN(TargetTests)
#include "target_tests.moc"
