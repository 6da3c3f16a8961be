// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

/// Refuses keys of `table` that only other kinds take: ignoring them would hide a mistake.
void refuse_keys_of_other_kinds(const Setting& table, const std::set<std::string_view>& allowed,
                                const std::string& kind) {
  for (const Setting& member : table.members) {
    if (allowed.count(member.key) == 0) {
      refuse_place(member, "the kind \"" + kind + "\" does not take it", "Leave it out or choose another kind");
    }
  }
}

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

void read_sgd(const TableReader& table, Optimizer& optimizer) {
  table.number("momentum", optimizer.momentum, range::not_negative);
  table.number("dampening", optimizer.dampening, range::finite);
  table.boolean("nesterov", optimizer.nesterov);
  if (optimizer.nesterov && (optimizer.momentum <= 0 || optimizer.dampening != 0)) {
    refuse_place(*table.find("nesterov"), "Nesterov's momentum needs momentum above 0 and dampening 0",
                 "Set momentum, or leave nesterov out");
  }
}

void read_adam(const TableReader& table, Optimizer& optimizer) {
  if (const Setting* const betas = table.find("betas")) {
    if (betas->kind != Setting::Kind::Array || betas->items.size() != 2) {
      refuse(*betas, "two numbers, such as [0.9, 0.999]");
    }
    optimizer.beta1 = number_value(betas->items[0], range::share_below_one);
    optimizer.beta2 = number_value(betas->items[1], range::share_below_one);
  }
  table.number("eps", optimizer.eps, range::not_negative);
  table.boolean("amsgrad", optimizer.amsgrad);
}

Optimizer read_optimizer(const Setting& setting) {
  const TableReader table(&setting);
  Optimizer optimizer;
  table.word("kind", optimizer.kind);
  std::set<std::string_view> allowed{"kind", "lr", "weight_decay", "maximize", "clip_norm", "parameters"};
  if (optimizer.kind == OptimizerKind::Sgd) {
    allowed.insert({"momentum", "dampening", "nesterov"});
  } else {
    allowed.insert({"betas", "eps", "amsgrad"});
    if (optimizer.kind == OptimizerKind::Adam) allowed.insert("decoupled_weight_decay");  // only as false
  }
  refuse_keys_of_other_kinds(setting, allowed, word_of(optimizer.kind));

  table.number("lr", optimizer.lr, range::not_negative);
  if (optimizer.kind == OptimizerKind::AdamW) optimizer.weight_decay = 0.01;
  table.number("weight_decay", optimizer.weight_decay, range::not_negative);
  table.boolean("maximize", optimizer.maximize);
  table.number("clip_norm", optimizer.clip_norm, range::positive);
  if (optimizer.kind == OptimizerKind::Sgd) {
    read_sgd(table, optimizer);
  } else {
    read_adam(table, optimizer);
  }
  if (const Setting* const parameters = table.find("parameters")) {
    optimizer.parameters = texts_value(*parameters);
    if (optimizer.parameters.empty()) refuse(*parameters, "at least one glob, such as [\"*\"]");
  }
  return optimizer;
}

void read_schedule(const Setting* setting, Schedule& schedule) {
  if (setting == nullptr) return;
  const TableReader table(setting);
  table.word("kind", schedule.kind);
  std::set<std::string_view> allowed{"kind", "warmup", "per"};
  if (schedule.kind == ScheduleKind::Step) allowed.insert({"gamma", "every"});
  refuse_keys_of_other_kinds(*setting, allowed, word_of(schedule.kind));
  table.number("gamma", schedule.gamma, range::not_negative);
  table.integer("every", schedule.every, 1);
  if (schedule.kind == ScheduleKind::Step && schedule.every == 0) {
    refuse_place(*setting, "a step schedule needs every",
                 "Say after how many applied updates the rate falls: every = 500");
  }
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
  if (!regression && by_value) refuse(*setting, "cross_entropy or nll with data.task = \"classification\"");
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
  std::set<std::string_view> allowed{"kind", "prediction"};
  if (model.kind == ModelKind::TorchScript) allowed.insert("path");
  allowed.merge(size_keys(model.kind));
  refuse_keys_of_other_kinds(place, allowed, word_of(model.kind));

  read_sizes(place, model);
  if (model.kind == ModelKind::TorchScript) {
    if (!table.has("path")) refuse_place(place, "a torchscript model needs path", "Name its file: path = \"model.pt\"");
    table.text("path", model.path_as_written);
    model.path = resolved(folder, model.path_as_written);
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
  table.word("reduction", training.reduction);
  table.integer("ignore_index", training.ignore_index, std::numeric_limits<std::int64_t>::min());
  table.number("clip_norm", training.clip_norm, range::positive);
  table.word("on_non_finite", training.on_non_finite);
  table.text("float32_matmul", training.float32_matmul);
  if (training.float32_matmul != "highest") {
    experiment.warnings.push_back("training.float32_matmul = \"" + training.float32_matmul +
                                  "\": products of FP32 matrices may be rounded to fewer bits, in the reference too");
  }

  if (const Setting* const list = table.find("optimizer")) {
    if (list->items.size() > 1) {
      refuse_for_now(list->items[1], "several optimizers", "Keep one [[training.optimizer]] block");
    }
    for (const Setting& block : list->items) training.optimizers.push_back(read_optimizer(block));
  }
  if (training.optimizers.empty()) {
    Optimizer standard;
    standard.weight_decay = 0.01;  // PyTorch's default of AdamW
    training.optimizers.push_back(standard);
  }
  read_schedule(table.find("schedule"), training.schedule);
}

}  // namespace mantissa::spec
