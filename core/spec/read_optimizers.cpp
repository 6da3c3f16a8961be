// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <set>

#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

std::set<std::string_view> keys_of(OptimizerKind kind) {
  std::set<std::string_view> keys{"kind", "lr", "parameters", "schedule"};
  if (kind == OptimizerKind::Lbfgs) {
    keys.insert({"max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size", "line_search_fn"});
    return keys;
  }
  keys.insert({"weight_decay", "maximize", "clip_norm"});
  if (kind == OptimizerKind::Sgd) keys.insert({"momentum", "dampening", "nesterov"});
  if (kind == OptimizerKind::RmsProp) keys.insert({"momentum", "alpha", "eps", "centered"});
  if (kind == OptimizerKind::Adam || kind == OptimizerKind::AdamW) keys.insert({"betas", "eps", "amsgrad"});
  if (kind == OptimizerKind::Adam) keys.insert("decoupled_weight_decay");
  return keys;
}

/// PyTorch's defaults where they differ from one kind to the next.
void fill_in_defaults(Optimizer& optimizer) {
  if (optimizer.kind == OptimizerKind::AdamW) optimizer.weight_decay = 0.01;
  if (optimizer.kind == OptimizerKind::RmsProp) optimizer.lr = 1e-2;
  if (optimizer.kind == OptimizerKind::Lbfgs) optimizer.lr = 1.0;
}

void read_betas(const Setting* betas, Optimizer& optimizer) {
  if (betas == nullptr) return;
  if (betas->kind != Setting::Kind::Array || betas->items.size() != 2) {
    refuse(*betas, "two numbers, such as [0.9, 0.999]");
  }
  optimizer.beta1 = number_value(betas->items[0], range::share_below_one);
  optimizer.beta2 = number_value(betas->items[1], range::share_below_one);
}

void read_lbfgs(const TableReader& table, Optimizer& optimizer) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  table.integer("max_iter", optimizer.max_iter, 1, most);
  optimizer.max_eval = optimizer.max_iter * 5 / 4;
  table.integer("max_eval", optimizer.max_eval, 1, most);
  table.number("tolerance_grad", optimizer.tolerance_grad, range::not_negative);
  table.number("tolerance_change", optimizer.tolerance_change, range::not_negative);
  table.integer("history_size", optimizer.history_size, 1, most);
  if (const Setting* const search = table.find("line_search_fn")) {
    if (text_value(*search) != "strong_wolfe") refuse(*search, "strong_wolfe, or no key for no line search");
    optimizer.strong_wolfe = true;
  }
}

void read_schedule(const Setting* setting, Schedule& schedule) {
  if (setting == nullptr) return;
  const TableReader table(setting);
  table.word("kind", schedule.kind);
  const bool has_horizon = schedule.kind == ScheduleKind::Cosine || schedule.kind == ScheduleKind::Linear;
  std::set<std::string_view> allowed{"kind", "warmup", "per"};
  if (schedule.kind == ScheduleKind::Step) allowed.insert({"gamma", "every"});
  if (schedule.kind == ScheduleKind::Exponential) allowed.insert("gamma");
  if (schedule.kind == ScheduleKind::Cosine) allowed.insert("min_lr");
  if (schedule.kind == ScheduleKind::Linear) allowed.insert("end_factor");
  if (has_horizon) allowed.insert("total");
  refuse_keys_of_other_kinds(*setting, allowed, word_of(schedule.kind));

  table.number("gamma", schedule.gamma, range::not_negative);
  table.integer("every", schedule.every, 1);
  table.number("min_lr", schedule.min_lr, range::not_negative);
  table.number("end_factor", schedule.end_factor, range::share);  // as LinearLR: above 1 is refused there, too
  table.integer("warmup", schedule.warmup, 0);
  table.word("per", schedule.per);
  if (const Setting* const total = table.find("total")) {
    schedule.total = integer_value(*total, 1, std::numeric_limits<std::int64_t>::max());
    if (*schedule.total <= schedule.warmup) {
      refuse(*total, "more than the warm-up of " + std::to_string(schedule.warmup),
             "nothing of the horizon is left after the warm-up");
    }
  }
  if (schedule.kind == ScheduleKind::Step && schedule.every == 0) {
    refuse_place(*setting, "a step schedule needs every", "Say after how many counts the rate falls: every = 500");
  }
}

Optimizer read_optimizer(const Setting& setting) {
  const TableReader table(&setting);
  Optimizer optimizer;
  table.word("kind", optimizer.kind);
  refuse_keys_of_other_kinds(setting, keys_of(optimizer.kind), word_of(optimizer.kind));
  fill_in_defaults(optimizer);

  table.number("lr", optimizer.lr, range::not_negative);
  table.number("weight_decay", optimizer.weight_decay, range::not_negative);
  table.boolean("maximize", optimizer.maximize);
  table.number("clip_norm", optimizer.clip_norm, range::positive);
  table.number("momentum", optimizer.momentum, range::not_negative);
  table.number("dampening", optimizer.dampening, range::finite);
  table.boolean("nesterov", optimizer.nesterov);
  if (optimizer.nesterov && (optimizer.momentum <= 0 || optimizer.dampening != 0)) {
    refuse_place(*table.find("nesterov"), "Nesterov's momentum needs momentum above 0 and dampening 0",
                 "Set momentum, or leave nesterov out");
  }
  read_betas(table.find("betas"), optimizer);
  table.number("eps", optimizer.eps, range::not_negative);
  table.boolean("amsgrad", optimizer.amsgrad);
  table.boolean("decoupled_weight_decay", optimizer.decoupled_weight_decay);
  table.number("alpha", optimizer.alpha, range::not_negative);
  table.boolean("centered", optimizer.centered);
  if (optimizer.kind == OptimizerKind::Lbfgs) read_lbfgs(table, optimizer);
  if (const Setting* const own = table.find("schedule")) {
    optimizer.schedule.emplace();
    read_schedule(own, *optimizer.schedule);
  }
  if (const Setting* const parameters = table.find("parameters")) {
    optimizer.parameters = texts_value(*parameters);
    if (optimizer.parameters.empty()) refuse(*parameters, "at least one glob, such as [\"*\"]");
  }
  return optimizer;
}

bool is_lbfgs(const Optimizer& optimizer) { return optimizer.kind == OptimizerKind::Lbfgs; }

/// Its closure evaluates the loss at other weights: gradients of other optimizers would be overwritten, and a clipped
/// gradient would not belong to the loss that a line search compares.
void refuse_what_lbfgs_cannot(const Setting& list, const TableReader& training_table, const Training& training) {
  const auto found = std::find_if(training.optimizers.begin(), training.optimizers.end(), is_lbfgs);
  if (found == training.optimizers.end()) return;
  if (training.optimizers.size() > 1) {
    refuse_place(list.items[static_cast<std::size_t>(found - training.optimizers.begin())],
                 "lbfgs cannot train beside another optimizer: its step evaluates all gradients again",
                 "Give all parameters to lbfgs, or choose another kind");
  }
  if (training.clip_norm) {
    refuse_place(*training_table.find("clip_norm"), "lbfgs does not clip: its step compares losses and true gradients",
                 "Leave clip_norm out, or choose another kind of optimizer");
  }
}

void read_stop_on(const Setting* setting, StopOn& stop_on) {
  if (setting == nullptr) return;
  if (setting->kind != Setting::Kind::Array) refuse(*setting, "a list of loss, gradient, norm");
  for (const Setting& item : setting->items) {
    const std::string word = text_value(item);
    if (word == "loss") {
      stop_on.loss = true;
    } else if (word == "gradient") {
      stop_on.gradient = true;
    } else if (word == "norm") {
      stop_on.norm = true;
    } else {
      refuse(item, "loss | gradient | norm");
    }
  }
}

}  // namespace

void read_stepping(const Setting* training_table, Training& training) {
  const TableReader table(training_table);
  table.number("skip_norm", training.skip_norm, range::positive);
  read_stop_on(table.find("stop_on"), training.stop_on);
  read_schedule(table.find("schedule"), training.schedule);
  const Setting* const list = table.find("optimizer");
  if (list != nullptr) {
    for (const Setting& block : list->items) training.optimizers.push_back(read_optimizer(block));
  }
  if (training.optimizers.empty()) {
    fill_in_defaults(training.optimizers.emplace_back());
  } else {
    refuse_what_lbfgs_cannot(*list, table, training);
  }
}

void refuse_lbfgs_with_scaler(const Setting& trial, const Training& training, const Scaler& scaler) {
  if (!scaler.enabled || !is_lbfgs(training.optimizers.front())) return;
  const Setting* const own = trial.find("scaler");
  refuse_place(own != nullptr ? *own : trial,
               "lbfgs cannot be combined with a loss scaler: its step evaluates the loss again, and gradients of later "
               "evaluations would stay scaled",
               "Set scaler.enabled = false, or train with sgd, adam, adamw or rmsprop");
}

}  // namespace mantissa::spec
