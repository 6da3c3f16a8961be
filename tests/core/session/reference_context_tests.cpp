// SPDX-License-Identifier: Apache-2.0
// What stands beside a verdict: trivial predictors beside scikit-learn (make_trivial.py) and hand arithmetic, written
// rules, and the inputs of the frozen set.
#include <cmath>
#include <limits>
#include <optional>

#include <ATen/ATen.h>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "core/base/error.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/session/reference_context.h"
#include "core/session/trivial_models.h"
#include "core/spec/parse.h"
#include "tests/core/data/data_test_files.h"

using namespace mantissa;

namespace {

QJsonObject expected() {
  QFile file(QStringLiteral(MANTISSA_SOURCE_DIR "/tests/core/session/trivial.json"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("trivial.json cannot be read");
  return QJsonDocument::fromJson(file.readAll()).object();
}

at::Tensor matrix(const QJsonValue& list) {
  std::vector<double> values;
  for (const auto& row : list.toArray()) {
    if (!row.isArray()) values.push_back(row.toDouble());
    for (const auto& one : row.toArray()) values.push_back(one.toDouble());
  }
  return at::tensor(values, at::TensorOptions(at::kDouble)).reshape({list.toArray().size(), -1});
}

bool close(const at::Tensor& found, const at::Tensor& wanted, double tolerance) {
  const double far = (found - wanted).abs().max().item<double>();
  if (!(far <= tolerance)) qWarning("off by %g", far);
  return far <= tolerance;
}

constexpr const char* kTrain = "x,z,label\n1,5,cat\n3,5,dog\n1,5,cat\n3,5,dog\n1,5,cat\n";
constexpr const char* kTest = "x,z,label\n1,5,cat\n2,5,dog\n3,6,cat\n4,5,dog\n";

}  // namespace

class ReferenceContextTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    m_files = std::make_unique<data::TestFiles>();
    m_files->write("train.csv", kTrain);
    m_files->write("test.csv", kTest);
  }

  void least_squares_predict_as_scikit_learns() {
    for (const auto& one : expected()["regression"].toArray()) {
      data::Dataset dataset;
      dataset.task = spec::Task::Regression;
      dataset.train.inputs = matrix(one.toObject()["x"]).to(at::kFloat);
      dataset.train.targets = matrix(one.toObject()["y"]).to(at::kFloat);
      const auto found = session::linear_outputs(dataset, {}, matrix(one.toObject()["new"]));
      QVERIFY(found.outputs.defined());
      QVERIFY(close(found.outputs, matrix(one.toObject()["output"]), 1e-8));
    }
  }

  void logistic_regression_predicts_as_scikit_learns() {
    for (const auto& one : expected()["classes"].toArray()) {
      data::Dataset dataset;
      dataset.train.inputs = matrix(one.toObject()["x"]).to(at::kFloat);
      dataset.train.targets = matrix(one.toObject()["y"]).flatten().to(at::kLong);
      const at::Tensor wanted = matrix(one.toObject()["probability"]);
      dataset.classes = wanted.size(1);
      judge::DecisionRule decision;
      decision.kind = judge::DecisionKind::ArgMax;
      const auto found = session::linear_outputs(dataset, decision, matrix(one.toObject()["new"]));
      QVERIFY(found.outputs.defined());
      QVERIFY(close(at::softmax(found.outputs, 1), wanted, 1e-6));
    }
  }

  void trivial_predictors_are_scored_on_the_frozen_cases() {
    const record::ReferenceContext context = contextOf("[context]\nrule = \"x > 2 and not (z == 6)\"");
    QCOMPARE(context.scores.size(), std::size_t{3});
    QCOMPARE(QString::fromStdString(context.scores[0].predictor), QStringLiteral("constant"));
    QCOMPARE(context.scores[0].value.value(), 0.5);  // cat, 3 of 5, is right in 2 of 4
    // Fitted on x = 1: cat, x = 3: dog, the border is near 2: cases 1 and 4 are right, 3 is wrong, 2 lies at the
    // border.
    QVERIFY(context.scores[1].value.value() >= 0.5);
    QCOMPARE(QString::fromStdString(context.scores[2].predictor), QStringLiteral("written-rule"));
    QCOMPARE(context.scores[2].value.value(), 0.75);  // 1 cat, 2 cat (wrong), 3 cat because z = 6, 4 dog
  }

  void inputs_outside_the_training_range_and_constant_columns_are_named() {
    const record::InputQuality inputs = contextOf("").inputs;
    QCOMPARE(inputs.cases, std::int64_t{4});
    QCOMPARE(inputs.columns, std::int64_t{2});
    // Training: x from 1 to 3, z always 5. Case 3 has z = 6, case 4 has x = 4.
    QCOMPARE(inputs.of_cases.size(), std::size_t{2});
    QCOMPARE(inputs.of_cases[0].id, std::string("3"));
    QCOMPARE(inputs.of_cases[0].columns, std::string("z"));
    QCOMPARE(inputs.of_cases[1].columns, std::string("x"));
    QCOMPARE(inputs.noted.size(), std::size_t{2});
    QVERIFY(!inputs.noted[1].constant);
  }

  void non_finite_inputs_are_counted_and_never_taken_for_outside() {
    session::Prepared prepared = session::prepare(experimentOf(""));
    session::FrozenCases cases = session::freeze_cases(prepared.experiment, prepared.dataset);
    cases.inputs = cases.inputs.clone();
    cases.inputs[0][0] = std::numeric_limits<float>::quiet_NaN();
    cases.inputs[1][0] = std::numeric_limits<float>::infinity();
    const record::InputQuality inputs = session::reference_context(prepared.experiment, prepared, cases).inputs;
    QCOMPARE(inputs.noted[0].non_finite, std::int64_t{2});
    QCOMPARE(inputs.noted[0].outside, std::int64_t{1});  // x = 4, as before
    QCOMPARE(inputs.of_cases.size(), std::size_t{4});
  }

  void classes_that_never_occur_in_training_have_no_chance_with_the_constant_one() {
    data::Dataset dataset;
    dataset.classes = 3;
    dataset.train.inputs = at::zeros({3, 1});
    dataset.train.targets = at::zeros({3}, at::TensorOptions(at::kLong));
    judge::DecisionRule decision;
    decision.kind = judge::DecisionKind::ArgMax;
    const auto constant = session::constant_outputs(dataset, decision, 1);
    QCOMPARE(at::softmax(constant.outputs, 1)[0][2].item<double>(), 0.0);
    QVERIFY(constant.note.find("2 of 3 classes never occur") != std::string::npos);
    const auto linear = session::linear_outputs(dataset, decision, at::zeros({1, 1}));
    QVERIFY(!linear.outputs.defined());
    QVERIFY(linear.note.find("one class only") != std::string::npos);
  }

  void a_rule_with_an_unknown_column_is_refused_with_its_line() {
    try {
      session::prepare(experimentOf("[context]\nrule = \"y > 2\""));
      QFAIL("not refused");
    } catch (const Error& error) {
      QCOMPARE(error.facts().subject, std::string("context.rule"));
      QCOMPARE(error.facts().found, std::string("'y'"));
      QVERIFY(error.facts().line > 0);
      QVERIFY(error.facts().expected.find("an input column") != std::string::npos);
    }
  }

  void a_rule_that_sees_the_target_is_refused() {
    QVERIFY_EXCEPTION_THROWN(session::prepare(experimentOf("[context]\nrule = \"label == 'dog'\"")), Error);
  }

 private:
  spec::Experiment experimentOf(const std::string& more) const {
    const std::string text =
        "mantissa = 1\n[data]\npath = \"train.csv\"\nlabels = \"map\"\ntest = { path = \"test.csv\" }\n[data.columns]\n"
        "target = \"label\"\n[model]\nkind = \"linear\"\n[training]\nsteps = 1\n" +
        more + "\n";
    return spec::read_experiment(m_files->write("context.toml", text));
  }

  record::ReferenceContext contextOf(const std::string& more) const {
    const session::Prepared prepared = session::prepare(experimentOf(more));
    const session::FrozenCases cases = session::freeze_cases(prepared.experiment, prepared.dataset);
    return session::reference_context(prepared.experiment, prepared, cases);
  }

  std::unique_ptr<data::TestFiles> m_files;
};

QTEST_APPLESS_MAIN(ReferenceContextTests)
#include "reference_context_tests.moc"
