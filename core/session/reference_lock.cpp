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
namespace {

void add(Sha256& hash, const std::string& name, const std::string& dtype, at::IntArrayRef shape, const void* bytes,
         std::size_t size) {
  hash.add(name).add("\n").add(dtype);
  for (const std::int64_t extent : shape) hash.add(" ").add(std::to_string(extent));
  hash.add("\n").add(bytes, size);
}

}  // namespace

std::vector<record::TensorBytes> state_bytes(const model::Network& network) {
  std::vector<record::TensorBytes> tensors;
  for (const model::NamedTensor& named : network.state()) tensors.push_back(train::to_bytes(named.name, named.tensor));
  return tensors;
}

std::string state_sha256(const model::Network& network) {
  Sha256 hash;
  for (const model::NamedTensor& named : network.state()) {
    const at::Tensor whole = named.tensor.detach().to(at::kCPU).contiguous();
    add(hash, named.name, train::dtype_word(whole.scalar_type()), whole.sizes(), whole.const_data_ptr(),
        whole.nbytes());
  }
  return hash.hex();
}

std::string state_sha256(const std::vector<record::TensorBytes>& tensors) {
  Sha256 hash;
  for (const record::TensorBytes& tensor : tensors) {
    add(hash, tensor.name, tensor.dtype, tensor.shape, tensor.bytes.data(), tensor.bytes.size());
  }
  return hash.hex();
}

std::string reference_lock(const Prepared& prepared, const std::string& initial_weights_sha256) {
  const spec::Training& training = prepared.experiment.training;
  const Environment machine = environment();
  const nlohmann::json settings = nlohmann::json::parse(spec::canonical_json(prepared.experiment));
  nlohmann::json lock = {
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
  if (prepared.experiment.model.kind == spec::ModelKind::TorchScript) {
    lock["model_file"] = {{"sha256", sha256_of_file(prepared.experiment.model.path)}};
  }
  return lock.dump();
}

}  // namespace mantissa::session
