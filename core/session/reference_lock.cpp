// SPDX-License-Identifier: Apache-2.0
#include "core/session/reference_lock.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/session/doctor.h"
#include "core/spec/parse.h"
#include "core/train/tensor_bytes.h"

namespace mantissa::session {
std::vector<record::TensorBytes> state_bytes(const model::Network& network) {
  std::vector<record::TensorBytes> tensors;
  for (const model::NamedTensor& named : network.state()) tensors.push_back(train::to_bytes(named.name, named.tensor));
  return tensors;
}

std::string state_sha256(const model::Network& network) { return state_sha256(state_bytes(network)); }

std::string state_sha256(const std::vector<record::TensorBytes>& tensors) {
  Sha256 hash;
  for (const record::TensorBytes& tensor : tensors) {
    hash.add(tensor.name).add("\n").add(tensor.dtype);
    for (const std::int64_t size : tensor.shape) hash.add(" ").add(std::to_string(size));
    hash.add("\n").add(tensor.bytes);
  }
  return hash.hex();
}

std::string reference_lock(const Prepared& prepared, const std::string& initial_weights_sha256) {
  const spec::Training& training = prepared.experiment.training;
  const Environment machine = environment();
  const nlohmann::json settings = nlohmann::json::parse(spec::canonical_json(prepared.experiment));
  const nlohmann::json lock = {
      {"model", settings["model"]},
      {"training", settings["training"]},
      {"order", settings["data"]["order"]},
      {"data", {{"name", prepared.dataset.name}, {"sha256", prepared.dataset.sha256}}},
      {"preprocessing_sha256", prepared.dataset.preprocessing_sha256},
      {"initial_weights_sha256", initial_weights_sha256},
      {"mode", "train"},
      {"seeds", {{"training", training.seed}, {"data", prepared.experiment.data.seed}}},
      {"software",
       {{"mantissa", machine.mantissa_version}, {"libtorch", machine.torch_version}, {"build", machine.torch_build}}},
      {"hardware",
       {{"device", training.device},
        {"cpu", machine.cpu_model},
        {"capability", machine.cpu_capability},
        {"gpu", machine.gpu},
        {"cores", machine.cores}}},
      {"threads", training.threads},
      {"flags",
       {{"float32_matmul", training.float32_matmul},
        {"mkldnn", at::globalContext().userEnabledMkldnn()},
        {"deterministic_algorithms", at::globalContext().deterministicAlgorithms()}}}};
  return lock.dump();
}

}  // namespace mantissa::session
