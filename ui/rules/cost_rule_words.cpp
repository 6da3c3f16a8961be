// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/cost_rule_words.h"

#include <QCoreApplication>

#include <optional>

#include "core/judge/judge.h"
#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/rules/judged_rule_words.h"

namespace mantissa::ui::rules {
namespace {

constexpr double kMillisecondsASecond = 1e3;
constexpr double kBytesAMegabyte = 1e6;

QString say(const char* text) { return QCoreApplication::translate("RuleWords", text); }

/// What the reference of a run costs; nothing where no trial has it.
std::optional<record::Gains> referenceOf(const RunFacts* run) {
  if (run == nullptr) return std::nullopt;
  for (const RunFacts::Trial& trial : run->trials) {
    if (trial.problem.empty() && trial.evidence.costs.reference) return trial.evidence.costs.reference;
  }
  return std::nullopt;
}

QString timeWords(double leastSpeedUp, const std::optional<record::Gains>& reference) {
  const QString words =
      say(QT_TRANSLATE_NOOP("RuleWords", "A training step takes at most %1 % of the reference's time: %2 × its speed."))
          .arg(measuredText(100 / leastSpeedUp), everyDigitText(leastSpeedUp));
  if (!reference || !(reference->step_seconds > 0)) return words;
  const double milliseconds = reference->step_seconds * kMillisecondsASecond;
  return words + u' ' +
         say(QT_TRANSLATE_NOOP("RuleWords",
                               "The reference took %1 ms, the median of %2 repetitions after the validation: at most "
                               "%3 ms."))
             .arg(measuredText(milliseconds), wholeText(static_cast<qlonglong>(reference->repetitions)),
                  measuredText(milliseconds / leastSpeedUp));
}

QString memoryWords(double mostRatio, const std::optional<record::Gains>& reference) {
  const QString words =
      say(QT_TRANSLATE_NOOP("RuleWords", "The most memory of a training step is at most %1 % of the reference's."))
          .arg(measuredText(100 * mostRatio));
  if (!reference || !reference->peak_bytes) return words;
  const double megabytes = static_cast<double>(*reference->peak_bytes) / kBytesAMegabyte;
  return words + u' ' +
         say(QT_TRANSLATE_NOOP("RuleWords", "The reference needed %1 MB of tensors: at most %2 MB."))
             .arg(measuredText(megabytes), measuredText(megabytes * mostRatio));
}

QString priceWords(double mostRatio) {
  return say(QT_TRANSLATE_NOOP("RuleWords",
                               "A training sample costs at most %1 % of what it costs in the reference; at the same "
                               "price an hour that is a speed-up of at least %2 ×."))
      .arg(measuredText(100 * mostRatio), measuredText(1 / mostRatio));
}

QString latencyWords(const spec::CostRule& rule) {
  const QString where =
      rule.latency_batch ? say(QT_TRANSLATE_NOOP("RuleWords", "at batch size %1")).arg(wholeText(*rule.latency_batch))
                         : say(QT_TRANSLATE_NOOP("RuleWords", "at each batch size that is timed"));
  return say(QT_TRANSLATE_NOOP("RuleWords",
                               "Inference: 95 of 100 calls end within at most %1 % of the time within which 95 of 100 "
                               "of the reference's do, %2."))
      .arg(measuredText(100 * *rule.max_latency_p95_ratio), where);
}

}  // namespace

ExplainedRule explainCost(const spec::CostRule& rule, const RunFacts* run) {
  QString name = say(QT_TRANSLATE_NOOP("RuleWords", "Cost"));
  if (!rule.name.empty()) name += u' ' + models::isolated(QString::fromStdString(rule.name));
  ExplainedRule explained{name, {}, {}};
  const std::optional<record::Gains> reference = referenceOf(run);
  QStringList& sentences = explained.sentences;
  if (rule.min_speedup) sentences << timeWords(*rule.min_speedup, reference);
  if (rule.max_memory_ratio) sentences << memoryWords(*rule.max_memory_ratio, reference);
  if (rule.max_cost_per_sample_ratio) sentences << priceWords(*rule.max_cost_per_sample_ratio);
  if (rule.max_latency_p95_ratio) sentences << latencyWords(rule);
  sentences << say(QT_TRANSLATE_NOOP("RuleWords",
                                     "Where the 95 % interval of a measured figure holds the limit, the rule is "
                                     "undecided; memory has none."));
  spec::Rules alone;
  alone.cost = {rule};
  sentences << judgedWords(alone, "cost", run);
  return explained;
}

}  // namespace mantissa::ui::rules
