// SPDX-License-Identifier: Apache-2.0
// The rules of the shipped experiments accept the sound trial and reject it as soon as a fault is planted.
#include <QTest>

#include <ATen/ATen.h>

#include "core/judge/judge.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/spec/parse.h"
#include "core/train/paired_run.h"
#include "tests/core/session/planted/faults.h"

using namespace mantissa;

namespace {

enum class Fault {
  None,
  CoarseForward,  ///< the forward pass is off by 1/32: an operator in too low a precision
  StaleWeights,   ///< updates go into a copy that the forward pass never sees
  SilentSkips,    ///< every fourth update is dropped
};

/// A network whose outputs are 1/32 too large in magnitude.
class Coarse : public model::Network {
 public:
  explicit Coarse(model::Network& sound) : sound_(sound) {}
  at::Tensor forward(const at::Tensor& inputs) override { return sound_.forward(inputs) * (1.0 + 1.0 / 32.0); }
  void set_training(bool training) override { sound_.set_training(training); }
  std::unique_ptr<Network> clone() const override { return sound_.clone(); }
  bool may_use_randomness() const override { return sound_.may_use_randomness(); }

 private:
  model::Network& sound_;
};

record::Verdict verdict_with(const std::string& file, const std::string& trial_name, Fault fault) {
  const spec::Experiment asked = spec::read_experiment(std::string(MANTISSA_SOURCE_DIR) + "/experiments/" + file);
  session::Prepared prepared = session::prepare(asked);
  const session::FrozenCases cases = session::freeze_cases(prepared.experiment, prepared.dataset);
  const auto is_named = [&](const spec::Trial& candidate) { return candidate.name == trial_name; };
  const spec::Trial& trial = *std::find_if(asked.trials.begin(), asked.trials.end(), is_named);

  train::BatchPlan plan(prepared.experiment, prepared.dataset.train);
  train::Arm reference("reference", prepared.network->clone(), prepared.experiment, nullptr);
  train::Arm arm(trial.name, prepared.network->clone(), prepared.experiment, &trial);
  while (const train::Window* window = plan.next()) {
    for (train::Arm* each : {&reference, &arm}) {
      train::Attempt attempt;
      train::run_stages(train::gradient_stages(), *each, *window, attempt, {});
      const bool drop = fault == Fault::SilentSkips && each == &arm && arm.tally.counts.attempted % 4 == 0;
      if (drop && arm.scaler) arm.scaler->update();
      if (!drop) train::run_stages(train::update_stages(), *each, *window, attempt, {});
    }
  }

  judge::Evidence evidence;
  evidence.autocast = spec::to_text(trial.autocast);
  evidence.counts = arm.tally.counts;
  evidence.decision = prepared.decision;
  evidence.task = prepared.dataset.task;
  evidence.unit = {prepared.dataset.target_scale, prepared.dataset.target_offset, prepared.dataset.target_log10};
  evidence.cases = cases.rows;
  Coarse coarse(*reference.network);
  model::Network& same_network = fault == Fault::CoarseForward ? coarse : *reference.network;
  model::Network& trained_network = fault == Fault::StaleWeights ? *prepared.network : *arm.network;
  const auto expected = session::evaluate(*reference.network, reference.policy, cases);
  const auto same_weights = session::evaluate(same_network, arm.policy, cases);
  const auto trained = session::evaluate(trained_network, arm.policy, cases);
  for (std::size_t i = 0; i < evidence.cases.size(); ++i) {
    evidence.cases[i].output = trained.of_case(static_cast<std::int64_t>(i));
    evidence.cases[i].output_reference = expected.of_case(static_cast<std::int64_t>(i));
    evidence.cases[i].output_same_weights = same_weights.of_case(static_cast<std::int64_t>(i));
  }
  judge::compare(evidence.cases, evidence.decision);
  return judge::judge(asked.rules, "", evidence);
}

}  // namespace

class PlantedFaultTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rules_accept_the_sound_trial_and_reject_a_faulty_one_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("trial");
    QTest::addRow("digits-mlp") << "digits-mlp.toml"
                                << "bf16";
    QTest::addRow("amp-step") << "amp-step.toml"
                              << "fp16";
  }

  void rules_accept_the_sound_trial_and_reject_a_faulty_one() {
    QFETCH(QString, file);
    QFETCH(QString, trial);
    const auto word = [&](Fault fault) { return verdict_with(file.toStdString(), trial.toStdString(), fault).word; };
    QCOMPARE(word(Fault::None), record::VerdictWord::Accepted);
    QCOMPARE(word(Fault::CoarseForward), record::VerdictWord::Rejected);
    QCOMPARE(word(Fault::StaleWeights), record::VerdictWord::Rejected);
    QCOMPARE(word(Fault::SilentSkips), record::VerdictWord::Rejected);
  }

  /// One seed of the table that mantissa_planted_faults_bench prints over ten.
  void every_planted_fault_changes_bits_and_is_rejected_data() {
    QTest::addColumn<QString>("experiment");
    for (const std::string& name : planted::experiments()) {
      QTest::addRow("%s", name.c_str()) << QString::fromStdString(name);
    }
  }
  void every_planted_fault_changes_bits_and_is_rejected() {
    QFETCH(QString, experiment);
    constexpr std::uint64_t kSeed = 31;
    for (const auto& [fault, outcome] : planted::judge_faults(experiment.toStdString(), kSeed, ".")) {
      const bool is_sound = fault->name == "sound";
      std::string reasons = fault->name;
      for (const std::string& reason : outcome.verdict.reasons) reasons += "; " + reason;
      const auto wanted = is_sound ? record::VerdictWord::Accepted : record::VerdictWord::Rejected;
      QVERIFY2(outcome.verdict.word == wanted, reasons.c_str());
      QVERIFY2(outcome.bits_differ != is_sound, fault->name.c_str());
    }
  }

  void there_are_faults_of_every_part_of_a_trial() {
    QVERIFY(planted::faults().size() - planted::experiments().size() >= 30);
  }
};

QTEST_GUILESS_MAIN(PlantedFaultTests)
#include "planted_fault_tests.moc"
