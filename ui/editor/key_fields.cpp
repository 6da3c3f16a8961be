// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/key_fields.h"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>

#include "core/base/number_text.h"
#include "core/spec/key_catalogue.h"
#include "core/spec/scaler_settings.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

QString say(const char* text) { return QCoreApplication::translate("Keys", text); }

struct Words {
  const char* key;
  const char* words;
};

/// Tables of the file that are pages of their own.
constexpr Words kPages[] = {
    {"", QT_TRANSLATE_NOOP("Keys", "Experiment")},
    {"data", QT_TRANSLATE_NOOP("Keys", "Data")},
    {"model", QT_TRANSLATE_NOOP("Keys", "Model")},
    {"training", QT_TRANSLATE_NOOP("Keys", "Training")},
    {"training.optimizer", QT_TRANSLATE_NOOP("Keys", "Optimizer")},
    {"training.schedule", QT_TRANSLATE_NOOP("Keys", "Schedule")},
    {"reference", QT_TRANSLATE_NOOP("Keys", "Reference")},
    {"trial", QT_TRANSLATE_NOOP("Keys", "Trial")},
    {"cases", QT_TRANSLATE_NOOP("Keys", "Frozen cases")},
    {"rules", QT_TRANSLATE_NOOP("Keys", "Rules")},
    {"rules.output", QT_TRANSLATE_NOOP("Keys", "Output rule")},
    {"rules.quality", QT_TRANSLATE_NOOP("Keys", "Quality rule")},
    {"utility", QT_TRANSLATE_NOOP("Keys", "Utility")},
    {"budget", QT_TRANSLATE_NOOP("Keys", "Budget")},
    {"*", QT_TRANSLATE_NOOP("Keys", "More")},
};

/// Keys whose name alone says too little. The others are their names with blanks.
constexpr Words kLabels[] = {
    {"mantissa", QT_TRANSLATE_NOOP("Keys", "Format version")},
    {"data.path", QT_TRANSLATE_NOOP("Keys", "Data file")},
    {"data.features", QT_TRANSLATE_NOOP("Keys", "Input columns")},
    {"data.outputs", QT_TRANSLATE_NOOP("Keys", "Target columns")},
    {"data.inputs", QT_TRANSLATE_NOOP("Keys", "Inputs file")},
    {"data.targets", QT_TRANSLATE_NOOP("Keys", "Targets file")},
    {"data.columns.id", QT_TRANSLATE_NOOP("Keys", "Case name")},
    {"data.missing", QT_TRANSLATE_NOOP("Keys", "Missing values")},
    {"data.context", QT_TRANSLATE_NOOP("Keys", "Window")},
    {"data.test.fraction", QT_TRANSLATE_NOOP("Keys", "Share of the rows")},
    {"data.test.path", QT_TRANSLATE_NOOP("Keys", "Test file")},
    {"data.test.inputs", QT_TRANSLATE_NOOP("Keys", "Test inputs file")},
    {"data.test.targets", QT_TRANSLATE_NOOP("Keys", "Test targets file")},
    {"model.path", QT_TRANSLATE_NOOP("Keys", "Model file")},
    {"model.hidden", QT_TRANSLATE_NOOP("Keys", "Hidden layers")},
    {"model.weights", QT_TRANSLATE_NOOP("Keys", "Initial weights")},
    {"training.batch", QT_TRANSLATE_NOOP("Keys", "Microbatch")},
    {"training.drop_last", QT_TRANSLATE_NOOP("Keys", "Drop last batch")},
    {"training.tf32", QT_TRANSLATE_NOOP("Keys", "TF32")},
    {"training.on_non_finite", QT_TRANSLATE_NOOP("Keys", "Non-finite gradient")},
    {"rules.non_finite", QT_TRANSLATE_NOOP("Keys", "Non-finite values")},
    {"training.float32_matmul", QT_TRANSLATE_NOOP("Keys", "FP32 matrix products")},
    {"training.optimizer.lr", QT_TRANSLATE_NOOP("Keys", "Learning rate")},
    {"training.optimizer.eps", QT_TRANSLATE_NOOP("Keys", "Epsilon")},
    {"training.optimizer.max_iter", QT_TRANSLATE_NOOP("Keys", "Directions")},
    {"training.optimizer.max_eval", QT_TRANSLATE_NOOP("Keys", "Evaluations")},
    {"training.optimizer.line_search_fn", QT_TRANSLATE_NOOP("Keys", "Line search")},
    {"training.schedule.min_lr", QT_TRANSLATE_NOOP("Keys", "Least rate")},
    {"training.schedule.per", QT_TRANSLATE_NOOP("Keys", "Counts")},
    {"training.optimizer.schedule.min_lr", QT_TRANSLATE_NOOP("Keys", "Least rate")},
    {"training.optimizer.schedule.per", QT_TRANSLATE_NOOP("Keys", "Counts")},
    {"reference.float64", QT_TRANSLATE_NOOP("Keys", "FP64 reference")},
    {"trial.autocast", QT_TRANSLATE_NOOP("Keys", "Autocast to")},
    {"trial.float32_regions", QT_TRANSLATE_NOOP("Keys", "Kept in FP32")},
    {"trial.scaler.init_scale", QT_TRANSLATE_NOOP("Keys", "First scale")},
    {"cases.edge", QT_TRANSLATE_NOOP("Keys", "Edge cases")},
    {"cases.boundary", QT_TRANSLATE_NOOP("Keys", "Boundary cases")},
    {"cases.golden", QT_TRANSLATE_NOOP("Keys", "Golden cases")},
    {"cases.latency_batches", QT_TRANSLATE_NOOP("Keys", "Timed batch sizes")},
    {"cases.path", QT_TRANSLATE_NOOP("Keys", "Case file")},
    {"rules.output.of", QT_TRANSLATE_NOOP("Keys", "Judged weights")},
    {"rules.output.q", QT_TRANSLATE_NOOP("Keys", "Quantile")},
    {"rules.output.max", QT_TRANSLATE_NOOP("Keys", "Limit")},
    {"rules.output.max.float16", QT_TRANSLATE_NOOP("Keys", "Limit of FP16")},
    {"rules.output.max.bfloat16", QT_TRANSLATE_NOOP("Keys", "Limit of BF16")},
    {"rules.output.max.off", QT_TRANSLATE_NOOP("Keys", "Limit without autocast")},
    {"rules.output.max_rounding", QT_TRANSLATE_NOOP("Keys", "Limit × rounding floor")},
    {"rules.output.max_spread", QT_TRANSLATE_NOOP("Keys", "Limit × run-to-run spread")},
    {"rules.flips.of", QT_TRANSLATE_NOOP("Keys", "Judged weights")},
    {"rules.flips.k", QT_TRANSLATE_NOOP("Keys", "Size of the set")},
    {"rules.flips.tie_within", QT_TRANSLATE_NOOP("Keys", "Equal within")},
    {"rules.flips.max", QT_TRANSLATE_NOOP("Keys", "Most flips")},
    {"rules.flips.ordinary.max", QT_TRANSLATE_NOOP("Keys", "Of ordinary cases")},
    {"rules.flips.edge.max", QT_TRANSLATE_NOOP("Keys", "Of edge cases")},
    {"rules.flips.boundary.max", QT_TRANSLATE_NOOP("Keys", "Of boundary cases")},
    {"rules.flips.right_to_wrong.max", QT_TRANSLATE_NOOP("Keys", "From right to wrong")},
    {"rules.flips.wrong_to_right.max", QT_TRANSLATE_NOOP("Keys", "From wrong to right")},
    {"rules.flips.neutral.max", QT_TRANSLATE_NOOP("Keys", "From wrong to wrong")},
    {"rules.output.output", QT_TRANSLATE_NOOP("Keys", "Judged output")},
    {"rules.output.preset", QT_TRANSLATE_NOOP("Keys", "Preset per operator")},
    {"rules.output.rtol", QT_TRANSLATE_NOOP("Keys", "Relative tolerance")},
    {"rules.output.atol", QT_TRANSLATE_NOOP("Keys", "Absolute tolerance")},
    {"rules.quality.non_inferior.margin", QT_TRANSLATE_NOOP("Keys", "Not worse by more than")},
    {"rules.quality.non_inferior.seeds", QT_TRANSLATE_NOOP("Keys", "Seeds at least")},
    {"rules.quality.of", QT_TRANSLATE_NOOP("Keys", "Judged weights")},
    {"rules.quality.min", QT_TRANSLATE_NOOP("Keys", "Least value")},
    {"rules.quality.max", QT_TRANSLATE_NOOP("Keys", "Largest value")},
    {"rules.quality.max_drop", QT_TRANSLATE_NOOP("Keys", "Largest drop")},
    {"rules.quality.max_drop_relative", QT_TRANSLATE_NOOP("Keys", "Largest relative drop")},
    {"rules.progress.min_applied_fraction", QT_TRANSLATE_NOOP("Keys", "Least applied share")},
    {"rules.progress.max_consecutive_skips", QT_TRANSLATE_NOOP("Keys", "Most skips in a row")},
    {"rules.distribution.of", QT_TRANSLATE_NOOP("Keys", "Judged weights")},
    {"rules.distribution.max", QT_TRANSLATE_NOOP("Keys", "Limit")},
    {"context.rule", QT_TRANSLATE_NOOP("Keys", "Written rule")},
    {"rules.utility.of", QT_TRANSLATE_NOOP("Keys", "Judged weights")},
    {"rules.utility.min", QT_TRANSLATE_NOOP("Keys", "Least sum")},
    {"rules.utility.max_drop", QT_TRANSLATE_NOOP("Keys", "Largest drop")},
    {"utility.matrix", QT_TRANSLATE_NOOP("Keys", "Gains and losses")},
    {"utility.no_decision", QT_TRANSLATE_NOOP("Keys", "Without a decision")},
    {"rules.cost.min_speedup", QT_TRANSLATE_NOOP("Keys", "Least speed-up")},
    {"rules.cost.max_memory_ratio", QT_TRANSLATE_NOOP("Keys", "Most memory")},
    {"rules.cost.max_cost_per_sample_ratio", QT_TRANSLATE_NOOP("Keys", "Most cost a sample")},
    {"rules.cost.max_latency_p95_ratio", QT_TRANSLATE_NOOP("Keys", "Most latency, p95")},
    {"rules.cost.latency_batch", QT_TRANSLATE_NOOP("Keys", "Batch size of it")},
    {"expect", QT_TRANSLATE_NOOP("Keys", "Expected verdicts")},
};

/// Defaults whose number alone says too little.
constexpr Words kDefaults[] = {
    {"training.threads", QT_TRANSLATE_NOOP("Keys", "0: all cores but one")},
};

constexpr Words kUnits[] = {
    {"data.rows", QT_TRANSLATE_NOOP("Keys", "rows")},
    {"data.context", QT_TRANSLATE_NOOP("Keys", "characters")},
    {"data.prefetch", QT_TRANSLATE_NOOP("Keys", "steps")},
    {"training.threads", QT_TRANSLATE_NOOP("Keys", "threads")},
    {"training.steps", QT_TRANSLATE_NOOP("Keys", "steps")},
    {"training.epochs", QT_TRANSLATE_NOOP("Keys", "epochs")},
    {"training.batch", QT_TRANSLATE_NOOP("Keys", "samples")},
    {"training.accumulate", QT_TRANSLATE_NOOP("Keys", "microbatches")},
    {"training.evaluate_every", QT_TRANSLATE_NOOP("Keys", "steps")},
    {"training.checkpoint.every", QT_TRANSLATE_NOOP("Keys", "steps")},
    {"training.checkpoint.keep", QT_TRANSLATE_NOOP("Keys", "checkpoints")},
    {"training.schedule.every", QT_TRANSLATE_NOOP("Keys", "counts")},
    {"training.schedule.warmup", QT_TRANSLATE_NOOP("Keys", "counts")},
    {"training.schedule.total", QT_TRANSLATE_NOOP("Keys", "counts")},
    {"training.optimizer.schedule.every", QT_TRANSLATE_NOOP("Keys", "counts")},
    {"training.optimizer.schedule.warmup", QT_TRANSLATE_NOOP("Keys", "counts")},
    {"training.optimizer.schedule.total", QT_TRANSLATE_NOOP("Keys", "counts")},
    {"reference.rounding_repeats", QT_TRANSLATE_NOOP("Keys", "repeats")},
    {"reference.repeats", QT_TRANSLATE_NOOP("Keys", "repeats")},
    {"trial.shadow_every", QT_TRANSLATE_NOOP("Keys", "steps")},
    {"trial.scaler.growth_interval", QT_TRANSLATE_NOOP("Keys", "clean steps")},
    {"trial.scaler.growth_delay", QT_TRANSLATE_NOOP("Keys", "clean steps")},
    {"trial.scaler.hysteresis", QT_TRANSLATE_NOOP("Keys", "overflows")},
    {"cases.holdout", QT_TRANSLATE_NOOP("Keys", "cases")},
    {"cases.boundary", QT_TRANSLATE_NOOP("Keys", "cases")},
    {"cases.golden", QT_TRANSLATE_NOOP("Keys", "cases")},
    {"rules.progress.max_consecutive_skips", QT_TRANSLATE_NOOP("Keys", "steps")},
    {"rules.cost.min_speedup", QT_TRANSLATE_NOOP("Keys", "×")},
    {"rules.cost.max_memory_ratio", QT_TRANSLATE_NOOP("Keys", "× reference")},
    {"rules.cost.max_cost_per_sample_ratio", QT_TRANSLATE_NOOP("Keys", "× reference")},
    {"rules.cost.max_latency_p95_ratio", QT_TRANSLATE_NOOP("Keys", "× reference")},
    {"rules.cost.latency_batch", QT_TRANSLATE_NOOP("Keys", "cases")},
    {"rules.flips.max", QT_TRANSLATE_NOOP("Keys", "flips")},
    {"rules.flips.ordinary.max", QT_TRANSLATE_NOOP("Keys", "flips")},
    {"rules.flips.edge.max", QT_TRANSLATE_NOOP("Keys", "flips")},
    {"rules.flips.boundary.max", QT_TRANSLATE_NOOP("Keys", "flips")},
    {"rules.flips.right_to_wrong.max", QT_TRANSLATE_NOOP("Keys", "flips")},
    {"rules.quality.non_inferior.seeds", QT_TRANSLATE_NOOP("Keys", "seeds")},
    {"rules.flips.wrong_to_right.max", QT_TRANSLATE_NOOP("Keys", "flips")},
    {"rules.flips.neutral.max", QT_TRANSLATE_NOOP("Keys", "flips")},
};

template <std::size_t N>
const char* wordsOf(const Words (&list)[N], const QString& key) {
  for (const Words& one : list) {
    if (key == QLatin1String(one.key)) return one.words;
  }
  return nullptr;
}

QString labelOf(const QString& key) {
  if (const char* const words = wordsOf(kLabels, key)) return say(words);
  QString name = lastName(key).replace(QLatin1Char('_'), QLatin1Char(' '));
  name[0] = name[0].toUpper();
  return say(name.toUtf8().constData());
}

/// The page that a key stands on: the longest one above it.
QString pageOf(const QString& key) {
  const char* page = key.contains(QLatin1Char('.')) ? nullptr : "";
  for (const Words& one : kPages) {
    const QString table = QString::fromLatin1(one.key);
    if (!table.isEmpty() && key.startsWith(table + QLatin1Char('.'))) page = one.key;
  }
  return page == nullptr ? QStringLiteral("*") : QString::fromLatin1(page);
}

/// Words of a type that lists them: "text: off | blocks", "list of: seed, order".
QStringList wordsOfType(const QString& type, const QString& opening, const QString& separator) {
  QStringList words;
  if (!type.startsWith(opening)) return words;
  for (const QString& word : type.mid(opening.size()).split(separator)) words << word.trimmed();
  return words;
}

void chooseKind(const spec::KeyEntry& entry, FieldSpec& spec) {
  const QString type = QString::fromStdString(entry.type);
  static const QHash<QString, FieldKind> kinds = {
      {QStringLiteral("true or false"), FieldKind::Switch},
      {QStringLiteral("integer"), FieldKind::Number},
      {QStringLiteral("number"), FieldKind::Number},
      {QStringLiteral("number or table"), FieldKind::Number},
      {QStringLiteral("file"), FieldKind::File},
      {QStringLiteral("list of text"), FieldKind::TextList},
      {QStringLiteral("text or list of text"), FieldKind::TextOrList},
      {QStringLiteral("list of integers"), FieldKind::NumberList},
      {QStringLiteral("two numbers"), FieldKind::NumberList},
      {QStringLiteral("list"), FieldKind::AnyValue},
  };
  spec.isWhole = type.contains(QLatin1String("integer"));
  if (type == QLatin1String("two numbers")) spec.count = 2;
  for (const std::string& word : entry.words) spec.words << QString::fromStdString(word);
  for (const spec::LaterWord& later : entry.later_words) spec.wordsThatWait << QString::fromStdString(later.word);
  if (!spec.words.isEmpty()) {
    spec.kind = FieldKind::Choice;
  } else if (kinds.contains(type)) {
    spec.kind = kinds[type];
  } else if (type == QLatin1String("text: auto, or true or false")) {
    spec.kind = FieldKind::Choice;
    spec.words = QStringList{QStringLiteral("auto"), QStringLiteral("true"), QStringLiteral("false")};
  } else if (const QStringList several = wordsOfType(type, QStringLiteral("list of: "), QStringLiteral(","));
             !several.isEmpty()) {
    spec.kind = FieldKind::SeveralWords;
    spec.words = several;
  } else if (const QStringList words = wordsOfType(type, QStringLiteral("text: "), QStringLiteral("|"));
             !words.isEmpty()) {
    // A word with a capital stands for what a person fills in: switch:TRIAL, cuda:N.
    spec.kind = FieldKind::Choice;
    for (const QString& word : words) {
      if (word == word.toLower()) {
        spec.words << word;
      } else {
        spec.kind = FieldKind::OpenChoice;
      }
    }
  } else if (type.contains(QLatin1String("table"))) {
    spec.kind = FieldKind::InTextOnly;
  }
}

FieldSpec fieldOf(const spec::KeyEntry& entry) {
  FieldSpec spec;
  spec.key = QString::fromStdString(entry.path);
  spec.label = labelOf(spec.key);
  if (const char* const unit = wordsOf(kUnits, spec.key)) spec.unit = say(unit);
  // Options of the command line are not the window's words.
  static const QRegularExpression option(QStringLiteral(" \\(packaging/run\\.sh --[^)]*\\)"));
  spec.help = say(entry.description.c_str()).remove(option);
  if (!spec.help.isEmpty()) spec.help[0] = spec.help[0].toUpper();
  spec.standard = QString::fromStdString(entry.default_text);
  spec.waitsFor = say(entry.available.c_str());
  chooseKind(entry, spec);
  // A word of the file is no word of a language.
  spec.standardWords = spec.words.contains(spec.standard) ? spec.standard : say(entry.default_text.c_str());
  for (const Words& one : kDefaults) {
    if (spec.key == QLatin1String(one.key)) spec.standardWords = say(one.words);
  }
  return spec;
}

/// The kinds that a key is for, as the help says them first: "mlp, cnn, lstm (between its layers): share of …".
QStringList kindsInHelp(const spec::KeyEntry& entry) {
  const QString help = QString::fromStdString(entry.description);
  QString first = help.section(QStringLiteral(": "), 0, 0);
  if (first == help) return {};
  first.remove(QRegularExpression(QStringLiteral(" \\([^)]*\\)")));
  QStringList kinds;
  for (const QString& part : first.split(QStringLiteral(", "))) kinds << part.section(QLatin1Char(' '), 0, 0);
  return kinds;
}

/// Finds the key beside it whose words are those kinds.
void chooseSelector(FieldSpec& spec, const QStringList& kinds, const QVector<FieldSpec>& fields) {
  if (kinds.isEmpty()) return;
  for (const FieldSpec& other : fields) {
    if (other.key == spec.key || parentPath(other.key) != parentPath(spec.key) || other.kind != FieldKind::Choice)
      continue;
    const bool isKnown =
        std::all_of(kinds.begin(), kinds.end(), [&](const QString& kind) { return other.words.contains(kind); });
    if (!isKnown) continue;
    spec.selector = other.key;
    spec.selectedBy = kinds;
    return;
  }
}

bool isTableOnly(const spec::KeyEntry& entry) {
  if (entry.shape == spec::KeyShape::Table || entry.shape == spec::KeyShape::Tables ||
      entry.shape == spec::KeyShape::TableOrTables) {
    return true;
  }
  return false;
}

QVector<SectionSpec> allSections() {
  QVector<SectionSpec> sections;
  QHash<QString, QStringList> kinds;
  for (const Words& page : kPages) {
    SectionSpec section;
    section.table = QString::fromLatin1(page.key);
    section.title = say(page.words);
    for (const spec::KeyEntry& entry : spec::key_catalogue()) {
      const QString key = QString::fromStdString(entry.path);
      if (key == section.table) section.help = say(entry.description.c_str());
      if (isTableOnly(entry)) continue;
      FieldSpec field = fieldOf(entry);
      const bool isTable = field.kind == FieldKind::InTextOnly && !key.contains(QLatin1Char('.'));
      if ((isTable ? QStringLiteral("*") : pageOf(key)) != section.table) continue;
      kinds[key] = kindsInHelp(entry);
      section.fields << field;
    }
    if (!section.help.isEmpty()) section.help[0] = section.help[0].toUpper();
    for (FieldSpec& field : section.fields) chooseSelector(field, kinds[field.key], section.fields);
    sections << section;
  }
  return sections;
}

QString wordAt(const TomlText& toml, const QString& path) { return wordOf(toml.value(path)); }

/// A number as a person reads a default: 65536, 0.5.
QString plain(double value) { return QString::fromStdString(mantissa::to_text(value)); }

}  // namespace

const QVector<SectionSpec>& sectionSpecs() {
  static const QVector<SectionSpec> sections = allSections();
  return sections;
}

const SectionSpec& sectionSpec(const QString& table) {
  for (const SectionSpec& one : sectionSpecs()) {
    if (one.table == table) return one;
  }
  return sectionSpecs().last();
}

QString tableTitle(const QString& table) {
  if (const char* const words = wordsOf(kPages, table)) return say(words);
  return labelOf(table);
}

QString defaultIn(const TomlText& toml, const FieldSpec& spec, const QString& path) {
  if (!spec.key.startsWith(QLatin1String("trial.scaler."))) return spec.standardWords;
  const QString preset = wordAt(toml, parentPath(path) + QStringLiteral(".preset"));
  const std::optional<spec::Scaler> scaler =
      spec::scaler_preset(preset.isEmpty() ? std::string("pytorch") : preset.toStdString());
  if (!scaler) return spec.standardWords;
  const QString name = lastName(path);
  if (name == QLatin1String("init_scale")) return plain(scaler->init_scale);
  if (name == QLatin1String("growth_factor")) return plain(scaler->growth_factor);
  if (name == QLatin1String("backoff_factor")) return plain(scaler->backoff_factor);
  if (name == QLatin1String("growth_interval")) return QString::number(scaler->growth_interval);
  if (name == QLatin1String("hysteresis")) return QString::number(scaler->hysteresis);
  if (name == QLatin1String("growth_delay")) return QString::number(scaler->growth_delay);
  if (name == QLatin1String("floor")) return plain(scaler->floor);
  if (name == QLatin1String("ceiling")) return plain(scaler->ceiling);
  if (name == QLatin1String("at_floor")) return QString::fromStdString(spec::at_floor_text(*scaler));
  return spec.standardWords;
}

bool isRelevant(const TomlText& toml, const FieldSpec& spec, const QString& path) {
  if (spec.selector.isEmpty() || toml.has(path)) return true;
  const QString selector = lastName(spec.selector);
  QString word = wordAt(toml, parentPath(path).isEmpty() ? selector : parentPath(path) + QLatin1Char('.') + selector);
  if (word.isEmpty()) {
    for (const FieldSpec& other : sectionSpec(pageOf(spec.key)).fields) {
      if (other.key == spec.selector && other.words.contains(other.standard)) word = other.standard;
    }
  }
  return word.isEmpty() || spec.selectedBy.contains(word);
}

}  // namespace mantissa::ui::editor
