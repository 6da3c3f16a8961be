// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/experiment_summary.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"

namespace mantissa::ui::run {
namespace {

QString say(const char* text) { return QCoreApplication::translate("ExperimentSummary", text); }
QString count(std::int64_t value) { return models::figure(report::count_words(value)); }
QString number(double value) { return models::figure(report::number_words(value)); }
QString word(const std::string& text) { return QString::fromStdString(text); }

QString dataOf(const spec::Data& data) {
  if (!data.source.empty()) return word(data.source);
  const auto file = [](const std::string& path) { return models::isolated(QFileInfo(word(path)).fileName()); };
  if (!data.path.empty()) return file(data.path);
  return say("%1 and %2").arg(file(data.inputs), file(data.targets));
}

QString optimizersOf(const spec::Training& training) {
  QStringList texts;
  for (const spec::Optimizer& optimizer : training.optimizers) {
    texts << say("%1, rate %2").arg(word(to_text(optimizer.kind)), number(optimizer.lr));
  }
  return texts.join(QStringLiteral("; "));
}

/// One value where all optimizers have the same, else one each.
QString eachOf(const spec::Training& training, const std::function<QString(const spec::Optimizer&)>& of) {
  QStringList texts;
  for (const spec::Optimizer& optimizer : training.optimizers) texts << of(optimizer);
  if (std::all_of(texts.begin(), texts.end(), [&](const QString& text) { return text == texts.front(); })) {
    return texts.isEmpty() ? QString() : texts.front();
  }
  return texts.join(QStringLiteral("; "));
}

QString schedulesOf(const spec::Training& training) {
  return eachOf(training, [&](const spec::Optimizer& optimizer) {
    const spec::Schedule& schedule = optimizer.schedule ? *optimizer.schedule : training.schedule;
    return say("%1, per %2").arg(word(to_text(schedule.kind)), word(to_text(schedule.per)));
  });
}

QString clipNormsOf(const spec::Training& training) {
  return eachOf(training, [&](const spec::Optimizer& optimizer) {
    const std::optional<double> clip = optimizer.clip_norm ? optimizer.clip_norm : training.clip_norm;
    return clip ? number(*clip) : say("none");
  });
}

QString referenceOf(const spec::Reference& reference) {
  if (reference.rounding_repeats == 0 && reference.repeats == 0) return say("no repeats");
  return say("%1 rounding, %2 whole repeats").arg(count(reference.rounding_repeats), count(reference.repeats));
}

QString budgetOf(const spec::Budget& budget) {
  QStringList texts;
  if (budget.device_memory_bytes) {
    const QString memory = models::figure(report::bytes_words(*budget.device_memory_bytes));
    texts << (budget.reserve > 0.0 ? say("%1 less %2 %").arg(memory, number(100 * budget.reserve)) : memory);
  }
  if (budget.deadline_seconds) texts << models::figure(report::duration_words(*budget.deadline_seconds));
  if (budget.price_per_hour) texts << say("%1 per hour").arg(number(*budget.price_per_hour));
  return texts.isEmpty() ? say("none") : texts.join(QStringLiteral(", "));
}

QString policyOf(const spec::Trial& trial) {
  QStringList parts;
  switch (trial.autocast) {
    case spec::Autocast::Off:
      parts << say("no autocast");
      break;
    case spec::Autocast::Float16:
      parts << QStringLiteral("FP16");
      break;
    case spec::Autocast::BFloat16:
      parts << QStringLiteral("BF16");
      break;
  }
  if (trial.scaler.enabled) {
    parts << say("scale from %1").arg(models::scaleText(trial.scaler.init_scale));
    parts << say("growth every %1").arg(count(trial.scaler.growth_interval));
  } else {
    parts << say("no scaler");
  }
  for (const spec::Float32Region& region : trial.float32_regions) {
    parts << say("%1 in FP32").arg(models::isolated(word(region.text())));
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace

std::vector<std::pair<QString, QString>> experimentSummary(const spec::Experiment& experiment) {
  const spec::Training& training = experiment.training;
  const QString length =
      training.steps ? count(*training.steps) : say("%1 epochs").arg(count(training.epochs.value_or(0)));
  QString batch = training.batch ? count(*training.batch) : say("64 at most");
  if (training.accumulate > 1) batch = say("%1 × %2").arg(batch, count(training.accumulate));
  const QString threads = training.threads == 0   ? say("all cores but one")
                          : training.threads == 1 ? say("1 thread")
                                                  : say("%1 threads").arg(training.threads);
  return {
      {say("Data"), dataOf(experiment.data)},
      {say("Model"), word(to_text(experiment.model.kind))},
      {say("Optimizer"), optimizersOf(training)},
      {say("Schedule"), schedulesOf(training)},
      {training.steps ? say("Steps") : say("Length"), length},
      {say("Batch"), batch},
      {say("Clip norm"), clipNormsOf(training)},
      {say("Reference"), referenceOf(experiment.reference)},
      {say("Device"), say("%1, %2, seed %3").arg(word(training.device), threads).arg(training.seed)},
      {say("Budget"), budgetOf(experiment.budget)},
  };
}

std::vector<std::pair<QString, QString>> policySummary(const spec::Experiment& experiment) {
  std::vector<std::pair<QString, QString>> policies;
  for (const spec::Trial& trial : experiment.trials) policies.emplace_back(word(trial.name), policyOf(trial));
  return policies;
}

}  // namespace mantissa::ui::run
