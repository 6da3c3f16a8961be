// SPDX-License-Identifier: Apache-2.0
#include "core/spec/output_selector.h"
#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

constexpr const char* input_words = "\"x\", \"targets\", a column, a list of columns, a number, true or false";

ModelInput read_input(const Setting& item) {
  switch (item.kind) {
    case Setting::Kind::Text:
      if (item.text.empty()) refuse(item, input_words);
      return item.text;
    case Setting::Kind::Array: {
      std::vector<std::string> columns = texts_value(item);
      if (columns.empty()) refuse(item, "at least one column");
      return columns;
    }
    case Setting::Kind::Integer:
      return item.integer;
    case Setting::Kind::Number:
      return number_value(item, range::finite);
    case Setting::Kind::Boolean:
      return item.boolean;
    default:
      refuse(item, input_words);
  }
}

void read_selector(const Setting* setting, std::string& out) {
  if (setting == nullptr) return;
  out = text_value(*setting);
  if (!parse_output_selector(out)) refuse(*setting, output_selector_words);
}

}  // namespace

void read_model_files(const Setting* setting, const std::string& folder, Model& model) {
  const TableReader table(setting);
  if (const Setting* const inputs = table.find("inputs")) {
    if (inputs->kind != Setting::Kind::Array || inputs->items.empty()) {
      refuse(*inputs, "a list of what forward is given, such as [\"x\", 16000]");
    }
    for (const Setting& item : inputs->items) model.inputs.push_back(read_input(item));
  }
  read_selector(table.find("prediction"), model.prediction);
  if (model.kind != ModelKind::TorchScript && model.prediction != "output") {
    refuse(*table.find("prediction"), "output: a built-in model has one output");
  }
  read_selector(table.find("loss"), model.loss);
  table.word("stored_dtype", model.stored_dtype);
  if (!table.has("weights")) return;
  table.text("weights", model.weights_as_written);
  if (model.weights_as_written.empty()) refuse(*table.find("weights"), "the path of a file");
  model.weights = resolved(folder, model.weights_as_written);
}

}  // namespace mantissa::spec
