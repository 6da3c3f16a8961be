// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

/// Five lines, more of [model] goes below from line 6.
std::string experiment_of(const std::string& kind, const std::string& more = {}) {
  return "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"" + kind + "\"\n" + more;
}

struct Refused {
  const char* name;
  const char* kind;
  const char* more;
  int line;
  const char* subject;
  const char* piece;  ///< of the sentence
};

const Refused refused[] = {
    {"no_stage", "cnn", "channels = []", 6, "model.channels", "at least one stage"},
    {"no_list", "cnn", "channels = 16", 6, "model.channels", "found 16, expected a list of"},
    {"channels_0", "cnn", "channels = [16, 0]", 6, "model.channels[1]", "found 0, expected an integer"},
    {"even_kernel", "cnn", "kernel = 4", 6, "model.kernel", "found 4, expected an odd size"},
    {"kernel_0", "cnn", "kernel = 0", 6, "model.kernel", "found 0"},
    {"depth_18", "resnet", "depth = 18", 6, "model.depth", "found 18, expected 6n + 2"},
    {"depth_18_names_its_neighbours", "resnet", "depth = 18", 6, "model.depth", "such as 14 or 20"},
    {"depth_2", "resnet", "depth = 2", 6, "model.depth", "found 2, expected an integer"},
    {"width_0", "resnet", "width = 0", 6, "model.width", "found 0"},
    {"dropout_of_a_resnet", "resnet", "dropout = 0.1", 6, "model.dropout", "the kind \"resnet\" does not take it"},
    {"heads_of_three", "transformer", "heads = 3", 6, "model.heads", "3 heads do not divide a width of 128"},
    {"odd_width", "transformer", "width = 130", 6, "model.width", "4 heads do not divide a width of 130"},
    {"heads_0", "transformer", "heads = 0", 6, "model.heads", "found 0"},
    {"layers_0", "transformer", "layers = 0", 6, "model.layers", "found 0"},
    {"other_attention", "transformer", "attention = \"flash\"", 6, "model.attention",
     "found \"flash\", expected own | sdpa"},
    {"cells_0", "lstm", "cells = 0", 6, "model.cells", "found 0"},
    {"cells_of_a_fraction", "lstm", "cells = 1.5", 6, "model.cells", "found 1.5, expected an integer"},
    {"bidirectional_2", "lstm", "bidirectional = 2", 6, "model.bidirectional", "expected true or false"},
    {"dropout_in_one_layer", "lstm", "dropout = 0.1", 6, "model.dropout", "drops between its layers, and it has one"},
    {"hidden_of_an_lstm", "lstm", "hidden = [3]", 6, "model.hidden", "the kind \"lstm\" does not take it"},
    {"cells_of_an_mlp", "mlp", "cells = 3", 6, "model.cells", "the kind \"mlp\" does not take it"},
};

}  // namespace

class ModelSizesTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void defaults_are_those_of_the_kind() {
    const Model cnn = parse(experiment_of("cnn")).model;
    QCOMPARE(cnn.channels, (std::vector<std::int64_t>{16, 32}));
    QCOMPARE(cnn.kernel, 3);
    QCOMPARE(cnn.dropout, 0.0);
    const Model resnet = parse(experiment_of("resnet")).model;
    QCOMPARE(resnet.depth, 20);
    QCOMPARE(resnet.width, 16);
    const Model transformer = parse(experiment_of("transformer")).model;
    QCOMPARE(transformer.width, 128);
    QCOMPARE(transformer.layers, 4);
    QCOMPARE(transformer.heads, 4);
    QVERIFY(transformer.attention == Attention::Sdpa);
    const Model lstm = parse(experiment_of("lstm")).model;
    QCOMPARE(lstm.cells, 64);
    QCOMPARE(lstm.layers, 1);
    QCOMPARE(lstm.bidirectional, false);
  }

  void sizes_are_read_and_every_one_stands_in_the_hash() {
    const auto differs = [](const char* kind, const char* more) {
      return canonical_json_to_hash(parse(experiment_of(kind, more))) !=
             canonical_json_to_hash(parse(experiment_of(kind)));
    };
    QVERIFY(differs("cnn", "channels = [8]"));
    QVERIFY(differs("cnn", "kernel = 5"));
    QVERIFY(differs("cnn", "dropout = 0.5"));
    QVERIFY(differs("resnet", "depth = 8"));
    QVERIFY(differs("resnet", "width = 8"));
    QVERIFY(differs("transformer", "width = 64"));
    QVERIFY(differs("transformer", "layers = 1"));
    QVERIFY(differs("transformer", "heads = 8"));
    QVERIFY(differs("transformer", "attention = \"own\""));
    QVERIFY(differs("transformer", "dropout = 0.1"));
    QVERIFY(differs("lstm", "cells = 8"));
    QVERIFY(differs("lstm", "layers = 2"));
    QVERIFY(differs("lstm", "layers = 2\ndropout = 0.1"));
    QVERIFY(differs("lstm", "bidirectional = true"));
    QCOMPARE(parse(experiment_of("lstm"), {"model.cells=9"}).model.cells, 9);
  }

  void wrong_sizes_are_refused_in_words_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(refused); ++i) QTest::newRow(refused[i].name) << static_cast<int>(i);
  }
  void wrong_sizes_are_refused_in_words() {
    QFETCH(int, index);
    const Refused& row = refused[index];
    VERIFY_REFUSED(experiment_of(row.kind, row.more), InvalidSetting, row.line, row.subject, row.piece);
  }
};

QTEST_APPLESS_MAIN(ModelSizesTests)
#include "model_sizes_tests.moc"
