// SPDX-License-Identifier: Apache-2.0
#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

constexpr std::int64_t most_units = std::int64_t{1} << 20;  // of a layer: a typing error rather than a model beyond it
constexpr std::int64_t most_layers = 10'000;
constexpr std::int64_t most_kernel = 1'023;

void read_widths(const Setting* list, const char* expected, std::vector<std::int64_t>& widths) {
  if (list == nullptr) return;
  if (list->kind != Setting::Kind::Array) refuse(*list, expected);
  widths.clear();
  for (const Setting& width : list->items) widths.push_back(integer_value(width, 1, most_units));
}

void read_cnn(const TableReader& table, Model& model) {
  read_widths(table.find("channels"), "a list of channels, such as [16, 32]", model.channels);
  if (model.channels.empty()) refuse(*table.find("channels"), "at least one stage, such as [16, 32]");
  table.integer("kernel", model.kernel, 1, most_kernel);
  if (model.kernel % 2 == 0) {
    refuse(*table.find("kernel"), "an odd size: an even kernel has no middle and would shift the image");
  }
}

void read_resnet(const TableReader& table, Model& model) {
  table.integer("depth", model.depth, 8, most_layers);
  if (model.depth % 6 != 2) {
    const std::int64_t below = (model.depth - 2) / 6 * 6 + 2;
    refuse(*table.find("depth"), "6n + 2 (three stages of n blocks of two layers), such as " + std::to_string(below) +
                                     " or " + std::to_string(below + 6));
  }
  table.integer("width", model.width, 1, most_units);
}

void read_transformer(const Setting& place, const TableReader& table, Model& model) {
  model.width = 128;
  model.layers = 4;
  table.integer("width", model.width, 1, most_units);
  table.integer("layers", model.layers, 1, most_layers);
  table.integer("heads", model.heads, 1, most_units);
  table.word("attention", model.attention);
  if (model.width % model.heads != 0) {
    refuse_place(table.has("heads")   ? *table.find("heads")
                 : table.has("width") ? *table.find("width")
                                      : place,
                 std::to_string(model.heads) + " heads do not divide a width of " + std::to_string(model.width),
                 "Make width a multiple of heads");
  }
}

void read_lstm(const TableReader& table, Model& model) {
  table.integer("cells", model.cells, 1, most_units);
  table.integer("layers", model.layers, 1, most_layers);
  table.boolean("bidirectional", model.bidirectional);
  if (model.dropout > 0 && model.layers == 1) {
    refuse_place(*table.find("dropout"), "an lstm drops between its layers, and it has one",
                 "Set layers = 2 or more, or leave dropout out");
  }
}

}  // namespace

std::set<std::string_view> size_keys(ModelKind kind) {
  switch (kind) {
    case ModelKind::Linear:
      return {"bias"};
    case ModelKind::Mlp:
      return {"hidden", "activation", "dropout", "bias"};
    case ModelKind::Cnn:
      return {"channels", "kernel", "dropout"};
    case ModelKind::Resnet:
      return {"depth", "width"};
    case ModelKind::Transformer:
      return {"width", "layers", "heads", "attention", "dropout"};
    case ModelKind::Lstm:
      return {"cells", "layers", "bidirectional", "dropout"};
    case ModelKind::TorchScript:
      return {};
  }
  return {};
}

void read_sizes(const Setting& place, Model& model) {
  const TableReader table(&place);
  read_widths(table.find("hidden"), "a list of widths, such as [256, 256]", model.hidden);
  table.word("activation", model.activation);
  table.number("dropout", model.dropout, range::share_below_one);
  table.boolean("bias", model.bias);
  if (model.kind == ModelKind::Cnn) read_cnn(table, model);
  if (model.kind == ModelKind::Resnet) read_resnet(table, model);
  if (model.kind == ModelKind::Transformer) read_transformer(place, table, model);
  if (model.kind == ModelKind::Lstm) read_lstm(table, model);
}

}  // namespace mantissa::spec
