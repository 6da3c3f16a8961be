// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "core/spec/table_reader.h"

namespace mantissa::spec {

void refuse_keys_of_other_kinds(const Setting& table, const std::set<std::string_view>& allowed,
                                const std::string& kind) {
  for (const Setting& member : table.members) {
    if (allowed.count(member.key) == 0) {
      refuse_place(member, "the kind \"" + kind + "\" does not take it", "Leave it out or choose another kind");
    }
  }
}

namespace {

/// A number as LibTorch takes it: no leading zero, and an index is one signed byte.
bool is_device_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 3;
  constexpr int kLargest = 127;
  if (text.empty() || text.size() > kMostDigits || (text.size() > 1 && text.front() == '0')) return false;
  int number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    number = 10 * number + (digit - '0');
  }
  return number <= kLargest;
}

void read_device(const Setting* setting, std::string& device) {
  if (setting == nullptr) return;
  device = text_value(*setting);
  constexpr std::string_view prefix = "cuda:";
  const bool numbered =
      device.compare(0, prefix.size(), prefix) == 0 && is_device_number(std::string_view(device).substr(prefix.size()));
  if (device != "cpu" && device != "cuda" && !numbered) refuse(*setting, "cpu | cuda | cuda:N with N from 0 to 127");
}

void read_length(const TableReader& table, Training& training) {
  const Setting* const steps = table.find("steps");
  const Setting* const epochs = table.find("epochs");
  if (steps != nullptr && epochs != nullptr) {
    const bool brought_by_override = !steps->override_text.empty();
    refuse_place(brought_by_override ? *steps : *epochs, "steps and epochs exclude each other",
                 "Leave one of them out");
  }
  table.integer("steps", training.steps, 0);
  table.integer("epochs", training.epochs, 0);
  if (!training.steps && !training.epochs) training.steps = 1000;
}

void refuse_loss_of_another_task(const Setting* setting, const Experiment& experiment) {
  if (setting == nullptr || !experiment.data.task) return;
  const Loss loss = *experiment.training.loss;
  const bool by_class = loss == Loss::CrossEntropy || loss == Loss::Nll;
  const bool by_value = loss == Loss::Mse || loss == Loss::L1 || loss == Loss::Huber;
  const bool regression = *experiment.data.task == Task::Regression;
  if (regression && by_class) refuse(*setting, "mse, l1 or huber with data.task = \"regression\"");
  if (*experiment.data.task == Task::LanguageModel) {
    if (!by_class) refuse(*setting, "cross_entropy or nll with data.task = \"language-model\"");
    return;
  }
  if (!regression && by_value) refuse(*setting, "cross_entropy or nll with data.task = \"classification\"");
}

void refuse_model_without_blocks(const Setting& setting, ModelKind kind) {
  const auto because = [&](const std::string& problem) {
    refuse(setting, "off with model.kind = \"" + word_of(kind) + '"', problem,
           "Take \"off\"; a smaller training.batch with as much more training.accumulate needs less memory, too");
  };
  switch (kind) {
    case ModelKind::Linear:
      return because("a linear model is one layer, which keeps no activations that could be computed again");
    case ModelKind::Lstm:
      return because("an LSTM is one operator, which cannot be taken apart into blocks");
    case ModelKind::TorchScript:
      return because("the code of a model from a file cannot be taken apart into blocks");
    default:
      return;
  }
}

}  // namespace

void read_model(const Setting* setting, const std::string& folder, Experiment& experiment) {
  Model& model = experiment.model;
  Setting missing;
  missing.label = "model";
  const Setting& place = setting == nullptr ? missing : *setting;
  const TableReader table(setting);
  if (!table.has("kind")) refuse_place(place, "no kind", "Say which model: kind = \"mlp\"", choices<ModelKind>());
  table.word("kind", model.kind);
  std::set<std::string_view> allowed{"kind", "prediction", "weights"};
  if (model.kind == ModelKind::TorchScript) allowed.insert({"path", "inputs", "loss", "stored_dtype"});
  allowed.merge(size_keys(model.kind));
  refuse_keys_of_other_kinds(place, allowed, word_of(model.kind));

  read_sizes(place, model);
  if (model.kind == ModelKind::TorchScript) {
    table.text("path", model.path_as_written);
    model.path = resolved(folder, model.path_as_written);
  }
  read_model_files(setting, folder, model);
  if (model.kind == ModelKind::TorchScript && !table.has("path")) {
    refuse_place(place, "a torchscript model needs path", "Name its file: path = \"model.pt\"");
  }
}

void read_training(const Setting* setting, Experiment& experiment) {
  Training& training = experiment.training;
  const TableReader table(setting);
  read_device(table.find("device"), training.device);
  table.integer("threads", training.threads, 0, 4096);
  table.integer("seed", training.seed, 0);
  read_length(table, training);
  table.integer("batch", training.batch, 1);
  table.integer("accumulate", training.accumulate, 1);
  table.boolean("drop_last", training.drop_last);
  table.word("loss", training.loss);
  refuse_loss_of_another_task(table.find("loss"), experiment);
  if (training.loss == Loss::Output && experiment.model.kind != ModelKind::TorchScript) {
    refuse(*table.find("loss"), "another loss: only a torchscript model can return its own");
  }
  table.word("reduction", training.reduction);
  table.integer("ignore_index", training.ignore_index, std::numeric_limits<std::int64_t>::min());
  table.number("clip_norm", training.clip_norm, range::positive);
  table.word("on_non_finite", training.on_non_finite);
  table.integer("evaluate_every", training.evaluate_every, 1);
  const TableReader checkpoint(table.find("checkpoint"));
  checkpoint.integer("every", training.checkpoint.every, 1);
  checkpoint.integer("keep", training.checkpoint.keep, 1);
  table.text("float32_matmul", training.float32_matmul);
  table.boolean("tf32", training.tf32);
  table.word("activation_checkpointing", training.activation_checkpointing);
  if (training.activation_checkpointing != ActivationCheckpointing::Off) {
    refuse_model_without_blocks(*table.find("activation_checkpointing"), experiment.model.kind);
  }
  if (training.tf32) {
    experiment.warnings.emplace_back(
        "training.tf32 = true: FP32 products on a GPU are rounded to TF32's 10 bits, in the reference too");
  }
  if (training.float32_matmul != "highest") {
    experiment.warnings.push_back("training.float32_matmul = \"" + training.float32_matmul +
                                  "\": products of FP32 matrices may be rounded to fewer bits, in the reference too");
  }

  read_stepping(setting, training);
}

}  // namespace mantissa::spec
