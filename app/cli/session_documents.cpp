// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session_documents.h"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/report/json_documents.h"
#include "core/report/plain_words.h"
#include "core/report/tables.h"
#include "core/spec/parse.h"
#include "core/spec/scaler_settings.h"

namespace mantissa::cli {
namespace {

using Json = nlohmann::ordered_json;
using report::json_number;
using report::Table;

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string shape_words(const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : " × ") + std::to_string(size);
  return text;
}

std::int64_t elements(const session::InspectedParameter& parameter) {
  return std::accumulate(parameter.shape.begin(), parameter.shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string lines(const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  std::string text = '\n' + title + '\n';
  for (const std::string& sentence : sentences) text += "  " + sentence + '\n';
  return text;
}

Json tensors_of(const std::vector<session::InspectedParameter>& tensors) {
  Json list = Json::array();
  for (const session::InspectedParameter& tensor : tensors) {
    list.push_back({{"name", tensor.name},
                    {"dtype", tensor.dtype},
                    {"shape", Json(tensor.shape)},
                    {"trainable", tensor.trainable}});
  }
  return list;
}

Json trial_names(const spec::Experiment& experiment) {
  Json names = Json::array();
  for (const spec::Trial& trial : experiment.trials) names.push_back(trial.name);
  return names;
}

std::string length_words(const spec::Training& training) {
  if (training.steps) return report::count_words(*training.steps) + (*training.steps == 1 ? " step" : " steps");
  if (training.epochs) return report::count_words(*training.epochs) + (*training.epochs == 1 ? " epoch" : " epochs");
  return "1,000 steps";
}

}  // namespace

namespace {

std::string dtypes_of(const cuda::DeviceFacts& device) {
  std::string text = "float32";
  if (device.float16) text += ", float16";
  if (device.bfloat16) text += ", bfloat16";
  if (device.tensor_float32) text += ", tf32";
  if (device.float8) text += ", float8";
  return text;
}

void add_devices(Table& facts, const cuda::DeviceReport& found) {
  if (!found.toolkit.empty()) {
    facts.add_row({found.backend + " toolkit, runtime, driver",
                   found.toolkit + ", " + (found.runtime.empty() ? "none" : found.runtime) + ", " +
                       (found.driver.empty() ? "none" : found.driver)});
  }
  if (found.devices.empty()) facts.add_row({"GPU", "none: " + found.problem});
  for (const cuda::DeviceFacts& device : found.devices) {
    facts.add_row(
        {"cuda:" + std::to_string(device.index), device.name + ", compute capability " + device.capability + ", " +
                                                     report::count_words(device.total_bytes / 1'000'000) + " MB (" +
                                                     report::count_words(device.free_bytes / 1'000'000) +
                                                     " MB free), matrix units for " + dtypes_of(device)});
  }
}

Json devices_document(const cuda::DeviceReport& found) {
  Json list = Json::array();
  for (const cuda::DeviceFacts& device : found.devices) {
    list.push_back({{"index", device.index},
                    {"name", device.name},
                    {"capability", device.capability},
                    {"total_bytes", device.total_bytes},
                    {"free_bytes", device.free_bytes},
                    {"multiprocessors", device.multiprocessors},
                    {"float16", device.float16},
                    {"bfloat16", device.bfloat16},
                    {"tf32", device.tensor_float32},
                    {"float8", device.float8}});
  }
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {{"toolkit", text_or_null(found.toolkit)},
          {"runtime", text_or_null(found.runtime)},
          {"driver", text_or_null(found.driver)},
          {"problem", text_or_null(found.problem)},
          {"list", list}};
}

}  // namespace

std::string scaler_csv(const std::vector<session::SimulatedStep>& steps, bool indexed) {
  const std::size_t optimizers = steps.empty() ? 0 : steps.front().skipped_of.size();
  const std::size_t columns = indexed ? optimizers : 0;
  std::string text = "step,scale_before,scale_after,growth_tracker,skipped";
  for (std::size_t i = 0; i < columns; ++i) text += ",skipped[" + std::to_string(i) + "]";
  text += ",applied_updates";
  for (std::size_t i = 0; i < columns; ++i) text += ",applied_updates[" + std::to_string(i) + "]";
  text += '\n';
  for (const session::SimulatedStep& step : steps) {
    text += std::to_string(step.step) + ',' + to_text(step.scale_before) + ',' + to_text(step.scale_after) + ',' +
            std::to_string(step.growth_tracker) + ',' + (step.skipped ? '1' : '0');
    for (std::size_t i = 0; i < columns; ++i) text += step.skipped_of[i] ? ",1" : ",0";
    text += ',' + std::to_string(step.applied_updates);
    for (std::size_t i = 0; i < columns; ++i) text += ',' + std::to_string(step.applied_updates_of[i]);
    text += '\n';
  }
  return text;
}

std::string scaler_document(const spec::Scaler& settings, const std::vector<session::SimulatedStep>& steps) {
  Json rows = Json::array();
  for (const session::SimulatedStep& step : steps) {
    Json skipped_of = Json::array();
    for (const bool skipped : step.skipped_of) skipped_of.push_back(skipped);
    rows.push_back({{"step", step.step},
                    {"scale_before", json_number(step.scale_before)},
                    {"scale_after", json_number(step.scale_after)},
                    {"growth_tracker", step.growth_tracker},
                    {"skipped", step.skipped},
                    {"skipped_of", skipped_of},
                    {"tolerated", step.tolerated},
                    {"at_floor", step.at_floor},
                    {"applied_updates", step.applied_updates},
                    {"applied_updates_of", Json(step.applied_updates_of)}});
  }
  return report::document_text({{"settings",
                                 {{"init_scale", json_number(settings.init_scale)},
                                  {"growth_factor", json_number(settings.growth_factor)},
                                  {"backoff_factor", json_number(settings.backoff_factor)},
                                  {"growth_interval", settings.growth_interval},
                                  {"hysteresis", settings.hysteresis},
                                  {"hysteresis_refill", spec::to_text(settings.hysteresis_refill)},
                                  {"growth_delay", settings.growth_delay},
                                  {"floor", json_number(settings.floor)},
                                  {"ceiling", json_number(settings.ceiling)},
                                  {"at_floor", spec::at_floor_text(settings)}}},
                                {"steps", rows}});
}

std::string doctor_page(const session::Environment& environment,
                        const std::vector<session::OperatorSupport>& operators) {
  Table facts({{"what"}, {"found"}});
  facts.add_row({"Mantissa", environment.mantissa_version});
  facts.add_row({"LibTorch", environment.torch_version});
  facts.add_row({"SQLite", environment.sqlite_version});
  facts.add_row({"operating system", environment.operating_system});
  facts.add_row({"backend", environment.backend});
  add_devices(facts, environment.devices);
  facts.add_row({"CPU", environment.cpu_model});
  facts.add_row({"cores", std::to_string(environment.cores)});
  facts.add_row({"instruction set in use", environment.cpu_capability});
  std::string features;
  for (const std::string& feature : environment.cpu_features) features += (features.empty() ? "" : " ") + feature;
  facts.add_row({"CPU features", features});

  Table table({{"operator"}, {"device"}, {"dtype"}, {"forward"}, {"backward"}, {"problem"}});
  for (const session::OperatorSupport& support : operators) {
    table.add_row({support.operator_name, support.device, support.dtype, yes_no(support.forward),
                   yes_no(support.backward), support.problem.substr(0, support.problem.find('\n'))});
  }
  return facts.text() + "\nOperators, each tried forward and backward\n" + table.text();
}

std::string doctor_document(const session::Environment& environment,
                            const std::vector<session::OperatorSupport>& operators) {
  Json list = Json::array();
  for (const session::OperatorSupport& support : operators) {
    list.push_back({{"operator", support.operator_name},
                    {"device", support.device},
                    {"dtype", support.dtype},
                    {"forward", support.forward},
                    {"backward", support.backward},
                    {"problem", support.problem.empty() ? Json(nullptr) : Json(support.problem)}});
  }
  return report::document_text({{"environment",
                                 {{"mantissa_version", environment.mantissa_version},
                                  {"torch_version", environment.torch_version},
                                  {"torch_build", environment.torch_build},
                                  {"sqlite_version", environment.sqlite_version},
                                  {"operating_system", environment.operating_system},
                                  {"backend", environment.backend},
                                  {"gpu", environment.gpu.empty() ? Json(nullptr) : Json(environment.gpu)},
                                  {"devices", devices_document(environment.devices)},
                                  {"cpu_model", environment.cpu_model},
                                  {"cpu_capability", environment.cpu_capability},
                                  {"cpu_features", Json(environment.cpu_features)},
                                  {"cores", environment.cores}}},
                                {"operators", list}});
}

namespace {

/// What stands above the table: how much there is.
std::string data_headline(const std::string& path, const session::InspectedData& data) {
  std::string sizes;
  for (const std::int64_t size : data.shape) sizes += (sizes.empty() ? "" : " × ") + report::count_words(size);
  if (data.format == "idx") return path + ": IDX, " + sizes + ' ' + data.columns.front().name + "\n\n";
  if (data.format == "text") {
    return path + ": a text of " + sizes + " characters in " + report::count_words(data.rows) +
           (data.rows == 1 ? " line" : " lines") + ", " + report::count_words(data.columns.front().distinct) +
           " different\n\n";
  }
  return path + ": " + report::count_words(data.rows) + (data.rows == 1 ? " row, " : " rows, ") +
         std::to_string(data.columns.size()) + (data.columns.size() == 1 ? " column" : " columns") +
         (data.header ? ", with a header\n\n" : ", without a header\n\n");
}

}  // namespace

std::string data_page(const std::string& path, const session::InspectedData& data) {
  const std::string text = data_headline(path, data);
  if (data.format == "text") return text + lines("Problems", data.problems);
  Table table({{"column"},
               {"kind"},
               {"minimum", Table::Align::Right},
               {"maximum", Table::Align::Right},
               {"missing", Table::Align::Right},
               {"non-finite", Table::Align::Right},
               {"distinct", Table::Align::Right},
               {"beyond FP16"}});
  for (const session::InspectedColumn& column : data.columns) {
    const bool is_text = column.kind == "text";
    table.add_row({column.name, column.kind, is_text ? "–" : to_text(column.minimum),
                   is_text ? "–" : to_text(column.maximum), report::count_words(column.missing),
                   report::count_words(column.non_finite), report::count_words(column.distinct),
                   column.beyond_float16 ? "yes" : ""});
  }
  return text + table.text() + lines("Problems", data.problems);
}

std::string data_document(const std::string& path, const session::InspectedData& data) {
  Json columns = Json::array();
  for (const session::InspectedColumn& column : data.columns) {
    const bool is_text = column.kind == "text";
    columns.push_back({{"name", column.name},
                       {"kind", column.kind},
                       {"minimum", is_text ? Json(nullptr) : json_number(column.minimum)},
                       {"maximum", is_text ? Json(nullptr) : json_number(column.maximum)},
                       {"missing", column.missing},
                       {"non_finite", column.non_finite},
                       {"distinct", column.distinct},
                       {"beyond_float16", column.beyond_float16}});
  }
  return report::document_text({{"file", path},
                                {"kind", "data"},
                                {"format", data.format},
                                {"shape", Json(data.shape)},
                                {"rows", data.rows},
                                {"header", data.header},
                                {"columns", columns},
                                {"problems", Json(data.problems)}});
}

std::string model_page(const std::string& path, const session::InspectedModel& model) {
  std::int64_t trainable = 0;
  for (const session::InspectedParameter& parameter : model.parameters) {
    if (parameter.trainable) trainable += elements(parameter);
  }
  Table table({{"tensor"}, {"kind"}, {"dtype"}, {"shape"}, {"trainable"}});
  const std::string kind = model.weights_only ? "stored" : "parameter";
  for (const session::InspectedParameter& parameter : model.parameters) {
    table.add_row({parameter.name, kind, parameter.dtype, shape_words(parameter.shape), yes_no(parameter.trainable)});
  }
  for (const session::InspectedParameter& buffer : model.buffers) {
    table.add_row({buffer.name, "buffer", buffer.dtype, shape_words(buffer.shape), "no"});
  }
  if (model.weights_only) {
    return path + ": weights, " + report::count_words(static_cast<std::int64_t>(model.parameters.size())) +
           " tensors\n\n" + table.text();
  }
  const std::string forward =
      model.inputs.empty() ? "" : "Forward takes " + model.inputs + " and gives " + model.outputs + "\n";
  return path + ": a TorchScript model with " + report::count_words(trainable) + " trainable values in " +
         report::count_words(static_cast<std::int64_t>(model.parameters.size())) + " parameters\n" + forward + "\n" +
         table.text() + lines("Modules", model.modules) + lines("Operators", model.operators) +
         lines("Problems", model.problems);
}

std::string model_document(const std::string& path, const session::InspectedModel& model) {
  return report::document_text({{"file", path},
                                {"kind", model.weights_only ? "weights" : "torchscript"},
                                {"inputs", model.inputs},
                                {"outputs", model.outputs},
                                {"modules", Json(model.modules)},
                                {"parameters", tensors_of(model.parameters)},
                                {"buffers", tensors_of(model.buffers)},
                                {"operators", Json(model.operators)},
                                {"problems", Json(model.problems)}});
}

std::string experiment_page(const spec::Experiment& experiment) {
  Table table({{"what"}, {"value"}});
  table.add_row({"name", experiment.name});
  if (!experiment.description.empty()) table.add_row({"description", experiment.description});
  table.add_row({"data", experiment.data.source.empty() ? experiment.data.path : experiment.data.source});
  table.add_row({"model", spec::to_text(experiment.model.kind) +
                              (experiment.model.path.empty() ? "" : " " + experiment.model.path)});
  table.add_row({"length", length_words(experiment.training)});
  if (experiment.training.batch) table.add_row({"batch", report::count_words(*experiment.training.batch)});
  table.add_row({"device", experiment.training.device});
  std::string optimizers;
  for (const spec::Optimizer& optimizer : experiment.training.optimizers) {
    optimizers +=
        (optimizers.empty() ? "" : ", ") + spec::to_text(optimizer.kind) + " at " + report::number_words(optimizer.lr);
  }
  table.add_row({"optimizer", optimizers});
  for (const spec::Trial& trial : experiment.trials) {
    table.add_row(
        {"trial " + trial.name,
         "autocast " + spec::to_text(trial.autocast) +
             (trial.scaler.enabled ? ", scaler from " + report::scale_words(trial.scaler.init_scale) : ", no scaler")});
  }
  if (experiment.trials.empty()) table.add_row({"trials", "none: only the reference runs"});
  table.add_row({"rules", experiment.rules ? "yes" : "none: a clean trial stays undecided"});
  return experiment.file + ": an experiment\n\n" + table.text() + lines("Warnings", experiment.warnings);
}

std::string experiment_document(const spec::Experiment& experiment) {
  return report::document_text({{"file", experiment.file},
                                {"kind", "experiment"},
                                {"name", experiment.name},
                                {"trials", trial_names(experiment)},
                                {"settings", Json::parse(spec::canonical_json(experiment), nullptr, false)},
                                {"problems", Json(experiment.warnings)}});
}

std::string check_document(const spec::Experiment& experiment, const std::vector<std::string>& notes) {
  return report::document_text({{"file", experiment.file},
                                {"experiment", experiment.name},
                                {"trials", trial_names(experiment)},
                                {"warnings", Json(experiment.warnings)},
                                {"notes", Json(notes)}});
}

}  // namespace mantissa::cli
