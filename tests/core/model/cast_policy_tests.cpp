// SPDX-License-Identifier: Apache-2.0
// Which dtype each operator of a model really runs in: measured by a cast map under the policies of a trial.
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <QTest>

#include "core/model/network.h"
#include "core/model/torchscript.h"
#include "core/precision/cast_map.h"
#include "core/precision/forward_scope.h"

using namespace mantissa;
using precision::CastRecord;

namespace {

precision::Policy policy(c10::ScalarType dtype, const std::string& casts, std::vector<spec::Float32Region> kept = {}) {
  precision::Policy policy;
  policy.autocast = dtype;
  policy.cast_policy = casts;
  if (!kept.empty()) policy.float32_regions = std::make_shared<precision::Float32Regions>(std::move(kept));
  return policy;
}

std::vector<CastRecord> casts_of(model::Network& network, const at::Tensor& inputs, const precision::Policy& policy) {
  const at::NoGradGuard no_grad;
  precision::CastMap map;
  const precision::ForwardScope scope(policy, c10::DeviceType::CPU);
  const precision::OperatorInterceptor watched(map);
  network.forward(inputs);
  return map.records();
}

bool lies_in(const std::string& module, const std::string& path) {
  return path == module || path.rfind(module + ".", 0) == 0;
}

/// Whether every operator of `kept` ran in FP32 and some product outside of it in BF16.
void check_region(model::Network& network, const at::Tensor& inputs, const std::string& kept) {
  bool any_inside = false;
  bool any_reduced_outside = false;
  for (const CastRecord& record : casts_of(network, inputs, policy(at::kBFloat16, "device", {{kept, ""}}))) {
    if (lies_in(kept, record.module)) {
      any_inside = true;
      QVERIFY2(!record.ran_in() || record.ran_in() == at::kFloat, (record.module + " " + record.name).c_str());
    } else {
      any_reduced_outside = any_reduced_outside || record.ran_in() == at::kBFloat16;
    }
  }
  QVERIFY2(any_inside, kept.c_str());
  QVERIFY2(any_reduced_outside, kept.c_str());
}

}  // namespace

class CastPolicyTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_region_of_a_built_in_model_keeps_its_module_and_spares_the_others() {
    spec::Model mlp;
    mlp.hidden = {4};
    check_region(*model::build(mlp, {3}, 2, 1), at::ones({2, 3}), "2");

    spec::Model cnn;
    cnn.kind = spec::ModelKind::Cnn;
    cnn.channels = {2, 3};
    check_region(*model::build(cnn, {1, 8, 8}, 2, 1), at::ones({2, 1, 8, 8}), "features.0");
    check_region(*model::build(cnn, {1, 8, 8}, 2, 1), at::ones({2, 1, 8, 8}), "head");
  }

  void a_region_of_a_transformer_keeps_one_attention_own_or_sdpa() {
    for (const spec::Attention attention : {spec::Attention::Own, spec::Attention::Sdpa}) {
      spec::Model transformer;
      transformer.kind = spec::ModelKind::Transformer;
      transformer.width = 8;
      transformer.heads = 2;
      transformer.layers = 2;
      transformer.attention = attention;
      const at::Tensor characters = at::arange(5).remainder(3).reshape({1, 5});
      check_region(*model::build(transformer, {5}, 3, 1, at::kLong), characters, "blocks.1.attn");
      check_region(*model::build(transformer, {5}, 3, 1, at::kLong), characters, "blocks.0");
    }
  }

  // tests/cases/21/expected.txt: float32 under TorchScript's pass, float16 and bfloat16 without it. CUDA's list holds
  // pow and exp as FP32 and leaves mul to its inputs.
  void case_21_an_operator_runs_in_the_dtype_of_its_cast_policy_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("casts");
    QTest::addColumn<int>("expected_of_half");
    QTest::addColumn<int>("expected_of_brain");
    const auto add = [](const char* model, const char* name, const char* casts, bool in_float32) {
      QTest::addRow("%s %s", name, casts)
          << model << name << casts << static_cast<int>(in_float32 ? at::kFloat : at::kHalf)
          << static_cast<int>(in_float32 ? at::kFloat : at::kBFloat16);
    };
    for (const char* casts : {"device", "jit", "cuda"}) {
      const bool device = std::string(casts) == "device";
      add("model.pt", "pow", casts, !device);
      add("model_exp.pt", "exp", casts, !device);
      add("model_log.pt", "log", casts, !device);
      add("model_mul.pt", "mul", casts, std::string(casts) == "jit");
      add("model_rms.pt", "rsqrt", casts, !device);
    }
  }

  void case_21_an_operator_runs_in_the_dtype_of_its_cast_policy() {
    QFETCH(QString, model);
    QFETCH(QString, name);
    QFETCH(QString, casts);
    QFETCH(int, expected_of_half);
    QFETCH(int, expected_of_brain);
    const auto network = model::load_torchscript(MANTISSA_SOURCE_DIR "/tests/cases/21/" + model.toStdString());
    for (const c10::ScalarType dtype : {at::kHalf, at::kBFloat16}) {
      const int expected = dtype == at::kHalf ? expected_of_half : expected_of_brain;
      int found = 0;
      for (const CastRecord& record : casts_of(*network, at::full({1, 2}, 3.0), policy(dtype, casts.toStdString()))) {
        if (record.name == "linear") QVERIFY(record.ran_in() == dtype);
        if (record.name != name.toStdString()) continue;
        ++found;
        QVERIFY2(record.ran_in() == static_cast<c10::ScalarType>(expected), c10::toString(*record.ran_in()));
      }
      QCOMPARE(found, 1);
    }
  }
};

QTEST_GUILESS_MAIN(CastPolicyTests)
#include "cast_policy_tests.moc"
