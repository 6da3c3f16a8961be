// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <QTest>

#include "core/spec/key_catalogue.h"
#include "core/spec/words.h"
#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

/// The catalogue file of the contract: what of it waits for a later feature, one key or word a row.
struct Row {
  const char* table;
  const char* setting;
  const char* subject;
};

const Row waiting[] = {
    {"data", "path = \"a.npy\"", "data.path"},
    {"data", "path = \"a.npz\"", "data.path"},
    {"data", "path = \"a.SAFETENSORS\"", "data.path"},
    {"data", "path = \"a.pt\"", "data.path"},
    {"data", "path = \"a.csv\"\ntest = { path = \"t.npy\" }", "data.test.path"},
    {"data", "inputs = \"x.npy\"\ntargets = \"y.idx\"", "data.inputs"},
    {"data", "inputs = \"x.idx\"\ntargets = \"y.npy\"", "data.targets"},
    {"[trial]", "mode = \"replay\"", "trial[0].mode"},
    {"rules", "triggers = [\"non_finite\"]", "rules.triggers"},
    {"cost", "anything = 1", "cost"},
    {"[risk]", "anything = 1", "risk"},
};

template <class Enum>
void add_words(std::map<std::string, std::set<std::string>>& words, const std::string& path) {
  for (const auto& [word, value] : Words<Enum>::list) words[path].insert(std::string(word));
}

}  // namespace

class SpecAvailabilityTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void setting_of_a_later_feature_is_refused_by_name_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("subject");
    for (const Row& row : waiting) {
      const std::string table = row.table;
      std::string text = "mantissa = 1\n";
      if (table != "data") text += "[data]\nsource = \"digits\"\n";
      if (table != "model") text += "[model]\nkind = \"mlp\"\n";
      text += '[' + table + "]\n" + row.setting + '\n';
      QTest::newRow(qPrintable(QString(row.table) + ' ' + QString(row.setting).replace('\n', "; ")))
          << QString::fromStdString(text) << QString(row.subject);
    }
  }
  void setting_of_a_later_feature_is_refused_by_name() {
    QFETCH(QString, text);
    QFETCH(QString, subject);
    const auto error = refusal(text.toStdString());
    QVERIFY2(error.has_value(), "was not refused");
    const std::string what = sentence(error->facts());
    QVERIFY2(error->kind() == ErrorKind::NotYetAvailable, what.c_str());
    QCOMPARE(QString::fromStdString(error->facts().subject), subject);
    QVERIFY2(error->facts().line > 1, what.c_str());
    QVERIFY2(error->facts().problem.find("not yet available: ") == 0, what.c_str());
    QVERIFY2(!error->facts().remedy.empty(), what.c_str());
  }

  void every_key_that_waits_in_the_catalogue_is_tried_above() {
    std::set<std::string> tried;
    for (const Row& row : waiting) {
      std::string path = row.subject;
      for (std::size_t at; (at = path.find('[')) != std::string::npos;) path.erase(at, path.find(']') - at + 1);
      tried.insert(path);
    }
    for (const KeyEntry& entry : key_catalogue()) {
      if (entry.available.empty() && entry.later_words.empty()) continue;
      QVERIFY2(tried.count(entry.path) == 1, entry.path.c_str());
    }
  }

  void off_values_of_the_catalogue_are_accepted() {
    for (const KeyEntry& entry : key_catalogue()) {
      if (entry.off.empty()) continue;
      const std::size_t dot = entry.path.rfind('.');
      std::string table = entry.path.substr(0, dot);
      const bool word = entry.off.find_first_of("0123456789[") == std::string::npos && entry.off != "false";
      std::string text = "mantissa = 1\n";
      if (table.find("trial") == 0) text += "[[trial]]\nname = \"t\"\nautocast = \"off\"\n";
      if (table == "trial.scaler") text += "[trial.scaler]\n";
      if (table == "training.optimizer") text += "[[training.optimizer]]\nkind = \"adam\"\n";
      if (table == "rules.output") text += "[rules.output]\nmax = 1\n";
      if (table == "data" || table == "data.columns") text += "[data]\nsource = \"digits\"\n";
      if (table == "data.columns") text += "[data.columns]\n";
      if (table == "model") text += "[model]\nkind = \"mlp\"\n";
      const bool opened = table.find("trial") == 0 || table == "training.optimizer" || table == "rules.output" ||
                          table.find("data") == 0 || table == "model";
      if (!opened) text += '[' + table + "]\n";
      text += entry.path.substr(dot + 1) + " = " + (word ? '"' + entry.off + '"' : entry.off) + '\n';
      if (table.find("data") != 0) text += "[data]\nsource = \"digits\"\n";
      if (table != "model") text += "[model]\nkind = \"mlp\"\n";
      const auto error = refusal(text);
      QVERIFY2(!error.has_value(), error ? sentence(error->facts()).c_str() : "");
    }
  }

  void words_of_the_catalogue_are_those_that_are_read() {
    std::map<std::string, std::set<std::string>> read;
    add_words<Task>(read, "data.task");
    add_words<Labels>(read, "data.labels");
    add_words<TargetTransform>(read, "data.target_transform");
    add_words<Order>(read, "data.order");
    add_words<Missing>(read, "data.missing");
    add_words<ModelKind>(read, "model.kind");
    add_words<Activation>(read, "model.activation");
    add_words<Attention>(read, "model.attention");
    add_words<Loss>(read, "training.loss");
    add_words<Reduction>(read, "training.reduction");
    add_words<OnNonFinite>(read, "training.on_non_finite");
    add_words<ActivationCheckpointing>(read, "training.activation_checkpointing");
    add_words<OptimizerKind>(read, "training.optimizer.kind");
    for (const std::string schedule : {"training.schedule", "training.optimizer.schedule"}) {
      add_words<ScheduleKind>(read, schedule + ".kind");
      add_words<SchedulePer>(read, schedule + ".per");
    }
    add_words<Autocast>(read, "trial.autocast");
    add_words<HysteresisRefill>(read, "trial.scaler.hysteresis_refill");
    add_words<Of>(read, "rules.output.of");
    add_words<Of>(read, "rules.flips.of");
    add_words<Of>(read, "rules.quality.of");
    add_words<Reduce>(read, "rules.output.reduce");
    for (const KeyEntry& entry : key_catalogue()) {
      const auto found = read.find(entry.path);
      if (found == read.end()) continue;
      QVERIFY2(found->second == std::set<std::string>(entry.words.begin(), entry.words.end()), entry.path.c_str());
      read.erase(found);
    }
    QVERIFY2(read.empty(), read.empty() ? "" : read.begin()->first.c_str());
  }

  void catalogue_names_each_key_once_below_its_table() {
    std::set<std::string> paths;
    for (const KeyEntry& entry : key_catalogue()) {
      QVERIFY2(paths.insert(entry.path).second, entry.path.c_str());
      QVERIFY2(!entry.type.empty() && !entry.description.empty(), entry.path.c_str());
      const std::size_t dot = entry.path.rfind('.');
      QVERIFY2(dot == std::string::npos || paths.count(entry.path.substr(0, dot)) == 1, entry.path.c_str());
    }
  }

  void help_names_every_key_within_100_columns() {
    const QStringList lines = QString::fromStdString(help_text()).split('\n');
    for (const QString& line : lines) QVERIFY2(line.size() <= 100, qPrintable(line));
    for (const KeyEntry& entry : key_catalogue()) {
      const QString name = QString::fromStdString(entry.path.substr(entry.path.rfind('.') + 1));
      const auto names_it = [&](const QString& line) { return line.contains(name); };
      QVERIFY2(std::any_of(lines.begin(), lines.end(), names_it), entry.path.c_str());
    }
  }

  void help_says_what_file_order_is_after_a_split() {
    const QString help = QString::fromStdString(help_text()).simplified();
    QVERIFY(help.contains("(with a test fraction: the order the split left)"));
  }

  void help_says_default_and_availability_of_a_key() {
    const QString help = QString::fromStdString(help_text());
    QVERIFY(
        help.contains("\n  batch                     rows of a microbatch\n"
                      "                            integer; default: min(64, rows)\n"));
    QVERIFY(help.contains("Not yet available: triggers; only [] is accepted.\n"));
  }
};

QTEST_APPLESS_MAIN(SpecAvailabilityTests)
#include "availability_tests.moc"
