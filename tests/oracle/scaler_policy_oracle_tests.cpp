// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <QTest>

#include <ATen/ATen.h>

#include "core/base/number_text.h"
#include "core/precision/policy.h"
#include "core/spec/scaler_settings.h"
#include "tests/oracle/recorded_lines.h"

using namespace mantissa;

namespace {

/// The preset with the keys of the line over it, as an experiment file would have it.
spec::Trial trial_of(const std::vector<std::string>& words) {
  spec::Trial trial;
  spec::Scaler& scaler = trial.scaler;
  scaler = spec::scaler_preset(words.at(0)).value();
  scaler.enabled = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    const std::string value = words[i].substr(equals + 1);
    const auto number = [&] { return number_from_text(value).value(); };
    const auto count = [&] { return integer_from_text(value).value(); };
    if (key == "init_scale") scaler.init_scale = number();
    if (key == "growth_factor") scaler.growth_factor = number();
    if (key == "backoff_factor") scaler.backoff_factor = number();
    if (key == "floor") scaler.floor = number();
    if (key == "ceiling") scaler.ceiling = number();
    if (key == "growth_interval") scaler.growth_interval = count();
    if (key == "hysteresis") scaler.hysteresis = count();
    if (key == "growth_delay") scaler.growth_delay = count();
    if (key == "hysteresis_refill") scaler.hysteresis_refill = spec::hysteresis_refill_from_text(value).value();
    if (key == "at_floor") spec::set_at_floor(value, scaler);
  }
  return trial;
}

/// One parameter whose gradient the test chooses.
class OneParameter final : public precision::ScaledOptimizer {
 public:
  OneParameter() : parameter_(at::zeros({}).requires_grad_()), gradient_(at::zeros({})) {
    parameter_.mutable_grad() = gradient_;
  }
  at::ArrayRef<at::Tensor> parameters(std::size_t) override { return parameter_; }
  void step() override {}
  void overflow(bool happens) { gradient_.fill_(happens ? std::numeric_limits<float>::infinity() : 0.0F); }

 private:
  at::Tensor parameter_, gradient_;
};

}  // namespace

/// LossScaler against emulations of DeepSpeed's and Megatron's scalers, and of its own documented rules
/// (make_scaler_policies.py; README.md has the file's format).
class ScalerPolicyOracleTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void two_thousand_patterns_of_each_family_go_as_emulated() {
    std::map<std::string, int> sequences;
    for (const std::string& line : oracle::recorded_lines("scaler_policies.txt.gz")) {
      if (line.empty()) continue;
      const std::vector<std::string> parts = oracle::split(line, '|');
      const std::vector<std::string> words = oracle::split(parts.at(0), ' ');
      ++sequences[words.at(0)];
      const precision::Policy policy = precision::policy_of(trial_of(words));
      precision::LossScaler scaler(policy.scaler, policy.scaler_rules);
      scaler.scale(at::ones({}));
      std::map<std::size_t, double> changes;
      for (const std::string& change : oracle::split(parts.at(2), ' ')) {
        const std::size_t colon = change.find(':');
        changes[std::stoul(change.substr(0, colon))] = number_from_text(change.substr(colon + 1)).value();
      }
      OneParameter optimizer;
      double expected = 0.0;
      bool at_floor = false;
      for (std::size_t step = 1; step <= parts.at(1).size(); ++step) {
        const bool overflow = parts[1][step - 1] == '1';
        optimizer.overflow(overflow);
        QCOMPARE(scaler.step(optimizer), !overflow);
        at_floor = scaler.update() == precision::ScaleUpdate::AtFloor;
        const bool stops = at_floor && policy.at_floor == spec::AtFloor::Stop;
        if (changes.count(step) != 0) expected = changes[step];
        QVERIFY2(scaler.get_scale() == expected,
                 QByteArray::fromStdString(line + ": after step " + std::to_string(step) + " " +
                                           to_text(scaler.get_scale()) + " instead of " + to_text(expected)));
        QVERIFY2(stops == (step == parts[1].size() && parts.at(3) == "1"), QByteArray::fromStdString(line));
      }
    }
    for (const char* const family : {"deepspeed", "megatron", "pytorch"}) QVERIFY(sequences[family] >= 2000);
  }
};

QTEST_GUILESS_MAIN(ScalerPolicyOracleTests)
#include "scaler_policy_oracle_tests.moc"
