// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_ledger_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cli/calibration_words.h"
#include "core/base/number_text.h"
#include "core/memory/ledger.h"
#include "core/memory/outside_table.h"
#include "core/report/json_documents.h"
#include "core/report/plain_words.h"
#include "core/report/table_writer.h"
#include "core/report/tables.h"

namespace mantissa::cli {
namespace {

using Json = nlohmann::ordered_json;
using report::bytes_words;
using report::count_words;
using report::Table;

constexpr std::size_t kModulesShown = 12;
constexpr std::size_t kPlansShown = 16;

/// In the order of record::MemoryCategory.
constexpr std::array<const char*, record::kMemoryCategories> kCategories = {
    "parameters", "buffers",           "optimizer state", "gradients",
    "inputs",     "saved activations", "cast copies",     "temporaries"};
constexpr std::array<const char*, record::kMemoryCategories> kCategoryKeys = {
    "parameters", "buffers",           "optimizer_state", "gradients",
    "inputs",     "saved_activations", "cast_copies",     "temporaries"};

const char* part_words(record::StepPart part) {
  switch (part) {
    case record::StepPart::BeforeForward:
      return "before forward";
    case record::StepPart::Forward:
      return "forward";
    case record::StepPart::Backward:
      return "backward";
    case record::StepPart::Unscale:
      return "unscaling";
    case record::StepPart::FiniteCheck:
      return "finite check";
    case record::StepPart::Clip:
      return "clipping";
    case record::StepPart::Update:
      return "update";
  }
  return "";
}

std::vector<const ArmLedger*> arms_with_figures(const ExperimentLedger& ledger) {
  std::vector<const ArmLedger*> arms;
  for (const ArmLedger& arm : ledger.arms) {
    if (!arm.ledgers.empty()) arms.push_back(&arm);
  }
  return arms;
}

std::string peak_words(const memory::ModelLedger& ledger) {
  std::string words = part_words(ledger.peak_part);
  if (!ledger.peak_module.empty()) words += " of " + ledger.peak_module;
  return words;
}

std::string headroom_words(const memory::ModelLedger& ledger) {
  if (!ledger.fits) return "over by " + bytes_words(-ledger.headroom_bytes);
  return bytes_words(ledger.headroom_bytes) + (ledger.fits_by_release ? " (*)" : "");
}

/// What every arm needs at one of the microbatches.
std::string need_table(const ExperimentLedger& ledger, std::size_t place) {
  const std::vector<const ArmLedger*> arms = arms_with_figures(ledger);
  std::vector<Table::Column> columns = {{"live at the peak"}};
  for (const ArmLedger* const arm : arms) {
    columns.push_back({arm->arm + (arm->arm == arm->policy ? "" : ", " + arm->policy), Table::Align::Right});
  }
  Table table(columns);
  const auto add = [&](const std::string& name, const auto& words) {
    std::vector<std::string> cells = {name};
    for (const ArmLedger* const arm : arms) cells.push_back(words(*arm, arm->ledgers[place]));
    table.add_row(std::move(cells));
  };
  using memory::ModelLedger;
  for (std::size_t i = 0; i < kCategories.size(); ++i) {
    add(kCategories[i],
        [i](const ArmLedger&, const ModelLedger& each) { return bytes_words(each.peak.by_category[i]); });
  }
  add("all", [](const ArmLedger&, const ModelLedger& each) { return bytes_words(each.peak.bytes); });
  add("reached in", [](const ArmLedger&, const ModelLedger& each) { return peak_words(each); });
  add("reserved by the allocator",
      [](const ArmLedger&, const ModelLedger& each) { return bytes_words(each.replay.peak.reserved); });
  add(ledger.outside_is_from_table ? "not in the trace (from a table)" : "outside of the allocator",
      [](const ArmLedger&, const ModelLedger& each) {
        return each.outside_bytes ? bytes_words(*each.outside_bytes) : std::string("not known");
      });
  if (!ledger.device) return table.text();
  add("needed", [](const ArmLedger&, const ModelLedger& each) { return bytes_words(each.needed_bytes); });
  add("usable", [](const ArmLedger&, const ModelLedger& each) { return bytes_words(each.usable_bytes); });
  add("headroom", [](const ArmLedger&, const ModelLedger& each) { return headroom_words(each); });
  add("largest microbatch that fits", [](const ArmLedger& arm, const ModelLedger&) {
    return arm.largest_microbatch ? count_words(*arm.largest_microbatch) : std::string("none fits");
  });
  return table.text();
}

std::string module_table(const ExperimentLedger& ledger) {
  const std::vector<const ArmLedger*> arms = arms_with_figures(ledger);
  std::vector<std::string> modules;  // in the order of forward
  for (const ArmLedger* const arm : arms) {
    for (const memory::ModuleBytes& module : arm->ledgers[0].by_module) {
      if (std::find(modules.begin(), modules.end(), module.module) == modules.end()) modules.push_back(module.module);
    }
  }
  const auto bytes_of = [](const ArmLedger& arm, const std::string& module) {
    for (const memory::ModuleBytes& each : arm.ledgers[0].by_module) {
      if (each.module == module) return each.bytes;
    }
    return std::int64_t{0};
  };
  const auto most_of = [&](const std::string& module) {
    std::int64_t most = 0;
    for (const ArmLedger* const arm : arms) most = std::max(most, bytes_of(*arm, module));
    return most;
  };
  std::vector<std::string> largest = modules;
  std::stable_sort(largest.begin(), largest.end(),
                   [&](const std::string& a, const std::string& b) { return most_of(a) > most_of(b); });
  if (largest.size() > kModulesShown) largest.resize(kModulesShown);
  std::vector<Table::Column> columns = {{"module"}};
  for (const ArmLedger* const arm : arms) columns.push_back({arm->arm, Table::Align::Right});
  Table table(columns);
  std::size_t others = 0;
  for (const std::string& module : modules) {
    if (std::find(largest.begin(), largest.end(), module) == largest.end()) {
      ++others;
      continue;
    }
    std::vector<std::string> cells = {module.empty() ? "(outside of the model)" : module};
    for (const ArmLedger* const arm : arms) cells.push_back(bytes_words(bytes_of(*arm, module)));
    table.add_row(std::move(cells));
  }
  std::string text = table.text();
  if (others > 0)
    text += "and " + count_words(static_cast<std::int64_t>(others)) + " smaller ones (--format csv has all)\n";
  return text;
}

std::string seconds_words(const std::optional<double>& seconds) {
  return seconds ? report::duration_words(*seconds) : std::string("–");
}

std::string deadline_words(const memory::Plan& plan) {
  if (!plan.fits) return "not run: does not fit";
  if (!plan.spare_seconds) return "–";
  return *plan.spare_seconds >= 0 ? "✓ met, " + report::duration_words(*plan.spare_seconds) + " spare"
                                  : "! missed by " + report::duration_words(-*plan.spare_seconds);
}

std::string plan_table(const ExperimentLedger& ledger) {
  Table table({{""},
               {"arm"},
               {"policy"},
               {"microbatch", Table::Align::Right},
               {"× accum.", Table::Align::Right},
               {"checkpointing"},
               {"needed", Table::Align::Right},
               {"headroom", Table::Align::Right},
               {"fits"},
               {"an update", Table::Align::Right},
               {"finish", Table::Align::Right},
               {"deadline"},
               {"cost", Table::Align::Right}});
  const std::vector<memory::Plan>& plans = ledger.plans.plans;
  for (std::size_t i = 0; i < std::min(plans.size(), kPlansShown); ++i) {
    const memory::Plan& plan = plans[i];
    const memory::PlanOption& option = ledger.question.options[plan.option];
    const std::string about = plan.timed ? "" : "~";
    table.add_row({ledger.plans.best == i ? "★" : "", ledger.option_arms[plan.option], option.policy,
                   count_words(plan.microbatch), count_words(plan.accumulation),
                   option.activation_checkpointing ? "on" : "off", bytes_words(plan.peak_bytes),
                   plan.headroom_bytes < 0 ? "−" + bytes_words(-plan.headroom_bytes) : bytes_words(plan.headroom_bytes),
                   plan.fits ? "✓ fits" : "✕ over",
                   plan.fits && plan.update_seconds ? about + seconds_words(plan.update_seconds) : std::string("–"),
                   plan.fits ? seconds_words(plan.finish_seconds) : std::string("–"), deadline_words(plan),
                   plan.fits && plan.cost ? report::number_words(*plan.cost) : std::string("–")});
  }
  std::string text = table.text();
  if (plans.size() > kPlansShown) {
    text +=
        "and " + count_words(static_cast<std::int64_t>(plans.size() - kPlansShown)) + " more (--format csv has all)\n";
  }
  return text;
}

std::string list_words(const std::vector<std::int64_t>& counts) {
  std::string words;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) words += i + 1 == counts.size() ? " and " : ", ";
    words += count_words(counts[i]);
  }
  return words;
}

/// What the table adds, figure by figure.
std::string outside_sentences(std::int64_t sum) {
  std::string text = bytes_words(sum) +
                     " that no trace on a CPU shows are from a table, not measured; --outside takes what the device's "
                     "own tool shows:\n";
  for (const memory::OutsideFigure& figure : memory::outside_figures()) {
    text += "  " + std::string(figure.what) + ", " + bytes_words(figure.bytes) + ": " + std::string(figure.applies) +
            ". " + std::string(figure.source) + '\n';
  }
  return text;
}

Json outside_table_json() {
  Json table = Json::array();
  for (const memory::OutsideFigure& figure : memory::outside_figures()) {
    table.push_back({{"what", std::string(figure.what)},
                     {"bytes", figure.bytes},
                     {"applies", std::string(figure.applies)},
                     {"source", std::string(figure.source)}});
  }
  return table;
}

Json calibration_json(const std::optional<memory::Calibration>& calibration) {
  if (!calibration) return nullptr;
  return {{"trials", calibration->trials},
          {"settings", calibration->settings},
          {"median", report::json_number(calibration->median)},
          {"within_95", report::json_number(calibration->within_95)},
          {"worst", report::json_number(calibration->worst)},
          {"next_within", calibration->next_within ? report::json_number(*calibration->next_within) : Json(nullptr)}};
}

/// How far to trust the figures.
std::string trust_sentences(const ExperimentLedger& ledger) {
  std::string text = "Worked out from steps traced on the CPU at microbatches " + list_words(ledger.traced) +
                     "; kernels of a GPU may hold other temporaries.\n";
  for (const ArmLedger& arm : ledger.arms) {
    if (arm.failure.empty() && !arm.joined) {
      text += arm.arm +
              ": its steps allocate in another order at other microbatches, so its figures are scaled from the "
              "nearest trace.\n";
    }
  }
  if (ledger.calibration) text += calibration_words(*ledger.calibration, ledger.archive);
  if (!ledger.device) {
    return text + "No device was named: give --device, or budget.device_memory in the file, to see what fits.\n";
  }
  if (ledger.outside_is_from_table) text += outside_sentences(*ledger.device->outside_bytes);
  if (!ledger.device->outside_bytes) {
    text +=
        "What lies outside of the allocator (context, workspaces of libraries) is not known and not counted: give "
        "--outside, as the device's own tool shows it.\n";
  }
  const bool any_release = std::any_of(ledger.arms.begin(), ledger.arms.end(), [](const ArmLedger& arm) {
    return std::any_of(arm.ledgers.begin(), arm.ledgers.end(), [](const auto& each) { return each.fits_by_release; });
  });
  if (any_release) text += "(*) only because the allocator gives cached memory back each step, which costs time.\n";
  if (ledger.plans.best && ledger.times_are_measured) {
    text += "Times were measured here, on the CPU; ~ is worked out from them. For another device give --seconds.\n";
  }
  return text;
}

/// What a time is that nobody measured, and the soonest one that somebody did.
std::string certainty_words(const ExperimentLedger& ledger, const memory::Plan& best) {
  if (best.timed) return "";
  std::string words = best.assumed ? ", which assumes the same time for each sample" : ", worked out from other sizes";
  for (const memory::Plan& plan : ledger.plans.plans) {
    if (!plan.fits || !plan.timed) continue;
    return words + "; the soonest that was timed is " + ledger.option_arms[plan.option] +
           (ledger.question.options[plan.option].activation_checkpointing ? ", checkpointed," : "") + " at " +
           count_words(plan.microbatch) + " × " + count_words(plan.accumulation) + ", " +
           seconds_words(plan.update_seconds);
  }
  return words;
}

std::string answer_sentence(const ExperimentLedger& ledger) {
  if (!ledger.plans.best) {
    const bool any = std::any_of(ledger.plans.plans.begin(), ledger.plans.plans.end(),
                                 [](const memory::Plan& plan) { return plan.fits; });
    return any ? "Which plan is the soonest is not known without times: give --seconds.\n"
               : "No plan fits this device.\n";
  }
  const memory::Plan& plan = ledger.plans.plans[*ledger.plans.best];
  return "★ The soonest plan that fits: " + ledger.option_arms[plan.option] + " (" +
         ledger.question.options[plan.option].policy + ") at " + count_words(plan.microbatch) + " × " +
         count_words(plan.accumulation) + ", " + bytes_words(plan.peak_bytes) + ", " + (plan.timed ? "" : "~") +
         seconds_words(plan.update_seconds) + " an update" + certainty_words(ledger, plan) +
         (plan.spare_seconds && *plan.spare_seconds < 0 ? "; no plan meets the deadline" : "") + ".\n";
}

Json or_null(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }
Json or_null(const std::optional<double>& value) { return value ? report::json_number(*value) : Json(nullptr); }

Json ledger_json(const memory::ModelLedger& each, bool has_device) {
  Json categories = Json::object();
  for (std::size_t i = 0; i < kCategoryKeys.size(); ++i) categories[kCategoryKeys[i]] = each.peak.by_category[i];
  Json modules = Json::array();
  for (const memory::ModuleBytes& module : each.by_module) {
    modules.push_back({{"module", module.module}, {"bytes", module.bytes}});
  }
  Json object = {{"microbatch", each.microbatch},
                 {"accumulation", each.accumulation},
                 {"peak_bytes", each.peak.bytes},
                 {"peak_part", part_words(each.peak_part)},
                 {"peak_module", each.peak_module},
                 {"categories", categories},
                 {"saved_activations", modules},
                 {"allocated_bytes", each.replay.peak.allocated},
                 {"reserved_bytes", each.replay.peak.reserved},
                 {"fragmentation", report::json_number(each.replay.fragmentation())},
                 {"outside_bytes", or_null(each.outside_bytes)},
                 {"needed_bytes", each.needed_bytes}};
  object["headroom_bytes"] = has_device ? Json(each.headroom_bytes) : Json(nullptr);
  object["fits"] = has_device ? Json(each.fits) : Json(nullptr);
  object["fits_by_release"] = each.fits_by_release;
  return object;
}

Json plan_json(const ExperimentLedger& ledger, const memory::Plan& plan) {
  const memory::PlanOption& option = ledger.question.options[plan.option];
  return {{"arm", ledger.option_arms[plan.option]},
          {"policy", option.policy},
          {"microbatch", plan.microbatch},
          {"accumulation", plan.accumulation},
          {"activation_checkpointing", option.activation_checkpointing},
          {"needed_bytes", plan.peak_bytes},
          {"headroom_bytes", plan.headroom_bytes},
          {"fits", plan.fits},
          {"update_seconds", or_null(plan.update_seconds)},
          {"timed", plan.timed},
          {"finish_seconds", or_null(plan.finish_seconds)},
          {"spare_seconds", or_null(plan.spare_seconds)},
          {"cost", or_null(plan.cost)}};
}

}  // namespace

bool ExperimentLedger::fits() const {
  return std::all_of(arms.begin(), arms.end(), [this](const ArmLedger& arm) {
    const auto fits_device = [](const memory::ModelLedger& each) { return each.fits; };
    return arm.failure.empty() && (!device || std::all_of(arm.ledgers.begin(), arm.ledgers.end(), fits_device));
  });
}

std::string experiment_ledger_page(const ExperimentLedger& ledger) {
  std::string text;
  const bool any = !arms_with_figures(ledger).empty();
  for (std::size_t i = 0; any && i < ledger.microbatches.size(); ++i) {
    text += "What one step needs at microbatch " + count_words(ledger.microbatches[i]) + ", accumulated " +
            count_words(ledger.accumulation) + (ledger.accumulation == 1 ? " time\n" : " times\n") +
            need_table(ledger, i) + '\n';
  }
  if (any) {
    text += "Saved activations by module, at microbatch " + count_words(ledger.microbatches[0]) + '\n' +
            module_table(ledger) + '\n';
  }
  if (!ledger.plans.plans.empty()) {
    text += "Plans for an effective batch of " + count_words(ledger.question.effective_batch) +
            (ledger.question.updates > 0 ? " and " + count_words(ledger.question.updates) + " updates" : "") + '\n' +
            plan_table(ledger) + '\n' + answer_sentence(ledger);
  }
  for (const ArmLedger& arm : ledger.arms) {
    if (!arm.failure.empty()) text += arm.arm + " has no ledger: " + arm.failure + '\n';
  }
  return text + trust_sentences(ledger);
}

std::string experiment_ledger_csv(const ExperimentLedger& ledger) {
  std::string text;
  report::TableWriter out(report::TableFormat::Csv,
                          {"kind", "arm", "policy", "microbatch", "accumulation", "name", "value", "unit"},
                          [&text](std::string_view bytes) { text += bytes; });
  const auto add = [&](std::string_view kind, const std::string& arm, const std::string& policy,
                       std::int64_t microbatch, std::int64_t accumulation, std::string_view name, const auto& value,
                       std::string_view unit) {
    out.text(kind);
    out.text(arm);
    out.text(policy);
    out.integer(microbatch);
    out.integer(accumulation);
    out.text(name);
    if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
      out.integer(value);
    } else {
      out.number(value);
    }
    out.text(unit);
    out.end_row();
  };
  for (const ArmLedger& arm : ledger.arms) {
    for (const memory::ModelLedger& each : arm.ledgers) {
      const auto figure = [&](std::string_view kind, std::string_view name, std::int64_t bytes) {
        add(kind, arm.arm, arm.policy, each.microbatch, each.accumulation, name, bytes, "B");
      };
      for (std::size_t i = 0; i < kCategoryKeys.size(); ++i) {
        figure("category", kCategoryKeys[i], each.peak.by_category[i]);
      }
      for (const memory::ModuleBytes& module : each.by_module) figure("saved_activations", module.module, module.bytes);
      figure("figure", "peak", each.peak.bytes);
      figure("figure", "allocated", each.replay.peak.allocated);
      figure("figure", "reserved", each.replay.peak.reserved);
      figure("figure", "needed", each.needed_bytes);
      if (ledger.device) figure("figure", "headroom", each.headroom_bytes);
    }
  }
  for (const memory::Plan& plan : ledger.plans.plans) {
    const memory::PlanOption& option = ledger.question.options[plan.option];
    const std::string kind = option.activation_checkpointing ? "plan_checkpointed" : "plan";
    const auto figure = [&](std::string_view name, const auto& value, std::string_view unit) {
      add(kind, ledger.option_arms[plan.option], option.policy, plan.microbatch, plan.accumulation, name, value, unit);
    };
    figure("needed", plan.peak_bytes, "B");
    figure("headroom", plan.headroom_bytes, "B");
    if (plan.update_seconds) figure("update", *plan.update_seconds, "s");
    if (plan.finish_seconds) figure("finish", *plan.finish_seconds, "s");
    if (plan.cost) figure("cost", *plan.cost, "");
  }
  out.finish();
  return text;
}

std::string experiment_ledger_document(const ExperimentLedger& ledger) {
  Json arms = Json::array();
  for (const ArmLedger& arm : ledger.arms) {
    Json ledgers = Json::array();
    for (const memory::ModelLedger& each : arm.ledgers) ledgers.push_back(ledger_json(each, ledger.device.has_value()));
    arms.push_back({{"arm", arm.arm},
                    {"policy", arm.policy},
                    {"failure", arm.failure.empty() ? Json(nullptr) : Json(arm.failure)},
                    {"joined", arm.joined},
                    {"largest_microbatch", or_null(arm.largest_microbatch)},
                    {"ledgers", ledgers}});
  }
  Json plans = Json::array();
  for (const memory::Plan& plan : ledger.plans.plans) plans.push_back(plan_json(ledger, plan));
  Json device = nullptr;
  if (ledger.device) {
    const std::int64_t reserve = memory::reserve_of(ledger.device->capacity_bytes, ledger.device->reserve_parts);
    device = {{"capacity_bytes", ledger.device->capacity_bytes},
              {"reserve_bytes", reserve},
              {"usable_bytes", ledger.device->capacity_bytes - reserve},
              {"outside_bytes", or_null(ledger.device->outside_bytes)},
              {"outside_table", ledger.outside_is_from_table ? outside_table_json() : Json::array()},
              {"expandable_segments", ledger.device->allocator.expandable_segments}};
  }
  return report::document_text({{"file", ledger.file},
                                {"fits", ledger.device ? Json(ledger.fits()) : Json(nullptr)},
                                {"device", device},
                                {"traced_microbatches", ledger.traced},
                                {"arms", arms},
                                {"effective_batch", ledger.question.effective_batch},
                                {"updates", ledger.question.updates},
                                {"plans", plans},
                                {"calibration", calibration_json(ledger.calibration)},
                                {"best_plan", ledger.plans.best ? Json(*ledger.plans.best) : Json(nullptr)}});
}

}  // namespace mantissa::cli
