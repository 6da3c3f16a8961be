// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/rule_words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/judge/case_evidence.h"
#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/rules/cost_rule_words.h"
#include "ui/rules/judged_rule_words.h"
#include "ui/rules/other_rule_words.h"
#include "ui/rules/rule_figures.h"

namespace mantissa::ui::rules {
namespace {

constexpr double kNoRun = 1.0;  // the size of outputs that are not known

QString say(const char* text) { return QCoreApplication::translate("RuleWords", text); }

QString formatName(const std::string& autocast) {
  if (autocast == "float16") return QStringLiteral("FP16");
  if (autocast == "bfloat16") return QStringLiteral("BF16");
  return QStringLiteral("FP32");
}

QString multiple(double value) { return QStringLiteral("%1 ×").arg(plot::multipleText(value)); }

QString reducedWords(const spec::OutputRule& rule) {
  const QString measure = QString::fromStdString(rule.measure);
  switch (rule.reduce) {
    case spec::Reduce::Max:
      return say(QT_TRANSLATE_NOOP("RuleWords", "the largest %1")).arg(measure);
    case spec::Reduce::Mean:
      return say(QT_TRANSLATE_NOOP("RuleWords", "the mean %1")).arg(measure);
    case spec::Reduce::Median:
      return say(QT_TRANSLATE_NOOP("RuleWords", "the median %1")).arg(measure);
    case spec::Reduce::Quantile:
      break;
  }
  return say(QT_TRANSLATE_NOOP("RuleWords", "q%1 of %2")).arg(everyDigitText(rule.q), measure);
}

QString headingOf(const spec::OutputRule& rule) {
  const QString name =
      rule.name.empty()
          ? say(QT_TRANSLATE_NOOP("RuleWords", "Output"))
          : say(QT_TRANSLATE_NOOP("RuleWords", "Output %1")).arg(models::isolated(QString::fromStdString(rule.name)));
  const QString what = rule.preset.empty()
                           ? reducedWords(rule)
                           : say(QT_TRANSLATE_NOOP("RuleWords", "preset %1")).arg(QString::fromStdString(rule.preset));
  const QString of =
      rule.output.empty()
          ? what
          : say(QT_TRANSLATE_NOOP("RuleWords", "%1, of %2")).arg(what, QString::fromStdString(rule.output));
  return headingWith(QStringLiteral("%1: %2").arg(name, of), rule.of, rule.slice);
}

/// "BF16's spacing at 3.1 is 0.01563, FP16's 0.001953."
QString spacingWords(double size) {
  const double ofFp16 = spacing(size, "float16");
  const QString fp16 = std::isnan(ofFp16) ? say(QT_TRANSLATE_NOOP("RuleWords", "FP16 has no number of this size"))
                                          : say(QT_TRANSLATE_NOOP("RuleWords", "FP16's %1")).arg(measuredText(ofFp16));
  return say(QT_TRANSLATE_NOOP("RuleWords", "BF16's spacing at %1 is %2, %3."))
      .arg(measuredText(size), measuredText(spacing(size, "bfloat16")), fp16);
}

/// What a limit is at this size, in the words of its measure; empty where it cannot be said.
QString limitAt(const spec::OutputRule& rule, double limit, double size, bool isKnown, const std::string& autocast) {
  const QString words = everyDigitText(limit);
  const QString where = isKnown ? say(QT_TRANSLATE_NOOP("RuleWords", "RMS %1")).arg(measuredText(size))
                                : say(QT_TRANSLATE_NOOP("RuleWords", "an RMS of 1"));
  if (rule.measure == "cosine") {
    // A difference d at a right angle to an output of length 1: cos = 1 / sqrt(1 + d²).
    const double cosine = std::max(-1.0, 1 - limit);
    const double degrees = std::acos(std::min(1.0, cosine)) * 180 / std::acos(-1.0);
    if (cosine <= 0) return say(QT_TRANSLATE_NOOP("RuleWords", "%1 is an angle of 90° or more")).arg(words);
    return say(QT_TRANSLATE_NOOP("RuleWords", "%1 is an angle of %2°: a difference of %3 % of an output's length"))
        .arg(words, measuredText(degrees), plot::multipleText(100 * std::sqrt(1 / (cosine * cosine) - 1)));
  }
  const std::optional<double> allowed = allowedAt(rule, limit, size, autocast);
  if (!allowed) return {};
  if (rule.measure == "case_relative" || rule.measure == "rel") {
    return say(QT_TRANSLATE_NOOP("RuleWords", "%1 of %2 = %3")).arg(words, where, measuredText(*allowed));
  }
  if (rule.measure == "ulp") {
    return say(QT_TRANSLATE_NOOP("RuleWords", "%1 FP32 ULP at %2 = %3")).arg(words, where, measuredText(*allowed));
  }
  if (rule.measure == "elementwise") {
    return say(QT_TRANSLATE_NOOP("RuleWords", "rtol and atol at %1 = %2")).arg(where, measuredText(*allowed));
  }
  if (size <= 0) return say(QT_TRANSLATE_NOOP("RuleWords", "%1 where all outputs are 0")).arg(words);
  return say(QT_TRANSLATE_NOOP("RuleWords", "%1 is %2 % of %3"))
      .arg(words, plot::multipleText(100 * *allowed / size), where);
}

/// "; the largest output is 12.4, there it is 0.0248": where a limit grows with the output.
QString atTheLargest(const spec::OutputRule& rule, double limit, const Magnitudes& sizes, const std::string& autocast) {
  const bool grows = rule.measure == "case_relative" || rule.measure == "elementwise" || rule.measure == "ulp";
  const std::optional<double> allowed = allowedAt(rule, limit, sizes.largest, autocast);
  if (grows && allowed && sizes.largest > sizes.rms) {
    return say(QT_TRANSLATE_NOOP("RuleWords", "; at the largest output, %1, it is %2"))
        .arg(measuredText(sizes.largest), measuredText(*allowed));
  }
  if (rule.measure == "rel" && sizes.smallest > 0) {
    return say(QT_TRANSLATE_NOOP("RuleWords", "; at the smallest output, %1, it is %2"))
        .arg(measuredText(sizes.smallest), measuredText(limit * sizes.smallest));
  }
  return {};
}

QString againstSpacing(const spec::OutputRule& rule, double limit, double size, const std::string& autocast) {
  const std::optional<double> allowed = allowedAt(rule, limit, size, autocast);
  const double apart = spacing(size, autocast);
  if (!allowed || !(apart > 0) || rule.measure == "rmse") return {};
  if (*allowed < apart / 2) {
    return say(QT_TRANSLATE_NOOP("RuleWords",
                                 " Less than half of %1's spacing: rounding such an output once exceeds it."))
        .arg(formatName(autocast));
  }
  return {};
}

QString foundWords(const OutputFigures& found, const spec::OutputRule& rule, const QString& name, bool hasLimit) {
  QString words = say(QT_TRANSLATE_NOOP("RuleWords", "The worst case of %1 was %2 (case %3)"))
                      .arg(name, measuredText(found.worst), models::isolated(found.worstCase));
  if (rule.reduce != spec::Reduce::Max) {
    words += say(QT_TRANSLATE_NOOP("RuleWords", ", %1 %2")).arg(reducedWords(rule), measuredText(found.reduced));
  }
  if (!hasLimit) return words + u'.';
  return words + say(QT_TRANSLATE_NOOP("RuleWords", "; %1 of %2 beyond."))
                     .arg(wholeText(found.beyond), casesWords(found.cases));
}

QString yardstickWords(const spec::OutputRule& rule, const std::optional<double>& size, std::optional<double> limit) {
  const bool isRounding = rule.of == spec::Of::SameWeights;
  const QString name = isRounding ? say(QT_TRANSLATE_NOOP("RuleWords", "rounding floor"))
                                  : say(QT_TRANSLATE_NOOP("RuleWords", "run-to-run spread"));
  if (!size) {
    return say(QT_TRANSLATE_NOOP("RuleWords", "The %1 was not measured in this run: %2 does it."))
        .arg(name, isRounding ? QStringLiteral("reference.rounding_repeats") : QStringLiteral("reference.repeats"));
  }
  if (*size == 0 && isRounding) {
    return say(QT_TRANSLATE_NOOP("RuleWords", "The rounding floor is 0: the reference repeats itself exactly."));
  }
  const QString is = say(QT_TRANSLATE_NOOP("RuleWords", "The %1 is %2")).arg(name, measuredText(*size));
  if (!limit || !(*size > 0)) return is + u'.';
  if (*limit < *size) {
    return is + say(QT_TRANSLATE_NOOP(
                    "RuleWords", ": the limit is tighter than that and would reject the reference's own repeats."));
  }
  const QString times = multiple(*limit / *size);
  if (isRounding) {
    return is + say(QT_TRANSLATE_NOOP("RuleWords", ": the limit is %1 that, looser than rounding alone.")).arg(times);
  }
  return is +
         say(QT_TRANSLATE_NOOP("RuleWords", ": the limit is %1 that, looser than what another seed does.")).arg(times);
}

/// The least of what a rule allows, in numbers: the stated limit and multiples of the yardstick.
/// \param yardstick  0: none was measured
std::optional<double> decidingLimit(const spec::OutputRule& rule, const std::string& autocast, double yardstick) {
  std::optional<double> limit = statedLimit(rule, autocast);
  for (const std::optional<double>& factor : {rule.max_rounding, rule.max_spread}) {
    if (!factor || !(yardstick > 0)) continue;
    const double multiplied = *factor * yardstick;
    limit = limit ? std::min(*limit, multiplied) : multiplied;
  }
  return limit;
}

void explainFloat64(const spec::OutputRule& rule, const RunFacts* run, QStringList& sentences) {
  sentences << say(QT_TRANSLATE_NOOP("RuleWords",
                                     "The RMSE against FP64 outputs may be so many times that of the reference, and a "
                                     "tenth of %1 besides; outputs that are all within %1 of FP64 pass."))
                   .arg(everyDigitText(rule.float64_tolerance));
  spec::Rules alone;
  alone.output = {rule};
  sentences << judgedWords(alone, "output", run);
}

/// Without a run, of outputs of size 1: each dtype that has a limit.
void explainAlone(const spec::OutputRule& rule, QStringList& sentences) {
  for (const auto& [autocast, limit] : rule.max) {
    for (const auto& dtype : autocast.empty() && rule.measure == "elementwise"
                                 ? std::vector<std::string>{"float16", "bfloat16", "off"}
                                 : std::vector<std::string>{autocast}) {
      const QString words = limitAt(rule, limit, kNoRun, false, dtype);
      if (words.isEmpty()) continue;
      sentences << (dtype.empty() ? words + u'.'
                                  : QStringLiteral("%1: %2.%3")
                                        .arg(formatName(dtype), words, againstSpacing(rule, limit, kNoRun, dtype)));
    }
  }
  for (const auto& [factor, words] :
       {std::pair(rule.max_rounding, say(QT_TRANSLATE_NOOP("RuleWords", "At most %1 the rounding floor of the run."))),
        std::pair(rule.max_spread, say(QT_TRANSLATE_NOOP("RuleWords", "At most %1 the run-to-run spread.")))}) {
    if (factor) sentences << words.arg(multiple(*factor));
  }
  sentences << spacingWords(kNoRun);
}

void explainTrial(const spec::OutputRule& rule, const RunFacts::Trial& trial, QStringList& sentences) {
  const judge::Evidence& evidence = trial.evidence;
  const QString name = nameOf(trial);
  const std::vector<record::CaseRow> cases = casesOf(evidence.cases, rule.slice);
  if (cases.empty()) {
    sentences << say(QT_TRANSLATE_NOOP("RuleWords", "%1: no frozen case is in this slice.")).arg(name);
    return;
  }
  std::optional<OutputFigures> found = outputFigures(rule, evidence, std::nullopt);
  const double yardstick = found ? found->yardstick.value_or(0.0) : 0.0;
  const std::optional<double> limit = decidingLimit(rule, evidence.autocast, yardstick);
  const std::optional<Magnitudes> sizes = magnitudesOf(cases);
  if (!limit) {
    sentences << say(QT_TRANSLATE_NOOP("RuleWords", "%1 (%2): the rule has no limit for it, so it is undecided."))
                     .arg(name, formatName(evidence.autocast));
  } else if (const QString words =
                 limitAt(rule, *limit, sizes ? sizes->rms : kNoRun, sizes.has_value(), evidence.autocast);
             !words.isEmpty()) {
    sentences << QStringLiteral("%1 (%2): %3%4.%5")
                     .arg(name, formatName(evidence.autocast), words,
                          sizes ? atTheLargest(rule, *limit, *sizes, evidence.autocast) : QString(),
                          againstSpacing(rule, *limit, sizes ? sizes->rms : kNoRun, evidence.autocast));
  }
  if (limit) found = outputFigures(rule, evidence, limit);
  if (!found) {
    sentences
        << say(QT_TRANSLATE_NOOP("RuleWords", "%1 has not the outputs that it needs: it is undecided.")).arg(name);
    return;
  }
  sentences << foundWords(*found, rule, name, limit.has_value());
  sentences << yardstickWords(rule, found->yardstick, limit);
}

/// The trials of a run with another output in the place of the prediction. Those that did not record it say so.
RunFacts onOutput(const RunFacts& run, const std::string& selector, QStringList& sentences) {
  RunFacts part;
  for (const RunFacts::Trial& trial : run.trials) {
    if (!trial.problem.empty()) continue;
    const std::vector<std::string> recorded = judge::other_outputs(trial.evidence);
    if (std::find(recorded.begin(), recorded.end(), selector) == recorded.end()) {
      sentences << say(QT_TRANSLATE_NOOP("RuleWords",
                                         "%1 did not record %2: a run records the prediction and what its own rules "
                                         "name."))
                       .arg(nameOf(trial), QString::fromStdString(selector));
    } else {
      part.trials.push_back({trial.name, {}, judge::on_output(trial.evidence, selector)});
    }
  }
  return part;
}

ExplainedRule explainOutput(const spec::OutputRule& rule, const RunFacts* run) {
  ExplainedRule explained{headingOf(rule), {}, {}};
  if (!rule.preset.empty()) {
    explained.sentences << say(
        QT_TRANSLATE_NOOP("RuleWords", "Made per operator, not per network: it rejects sound networks."));
  }
  if (rule.measure == "float64_rmse") {
    explainFloat64(rule, run, explained.sentences);
    return explained;
  }
  RunFacts other;
  if (run != nullptr && !rule.output.empty()) {
    other = onOutput(*run, rule.output, explained.sentences);
    run = &other;
  }
  const auto sound = [](const RunFacts::Trial& trial) { return trial.problem.empty(); };
  if (run == nullptr || std::none_of(run->trials.begin(), run->trials.end(), sound)) {
    explainAlone(rule, explained.sentences);
    return explained;
  }
  std::optional<Magnitudes> sizes;
  for (const RunFacts::Trial& trial : run->trials) {
    if (!sound(trial)) continue;
    explainTrial(rule, trial, explained.sentences);
    if (!sizes) sizes = magnitudesOf(casesOf(trial.evidence.cases, rule.slice));
  }
  if (sizes) {
    explained.sentences << spacingWords(sizes->rms);
  } else {
    explained.sentences << say(QT_TRANSLATE_NOOP(
        "RuleWords", "The outputs themselves are not kept of this run, so limits are said at an RMS of 1."));
  }
  explained.sentences.removeDuplicates();  // a yardstick is the same of all trials where their dtypes share a limit
  return explained;
}

}  // namespace

std::vector<ExplainedRule> explain(const spec::Rules& rules, const RunFacts* run) {
  std::vector<ExplainedRule> explained;
  if (run != nullptr) {
    for (const RunFacts::Trial& trial : run->trials) {
      if (trial.problem.empty()) continue;
      explained.push_back({nameOf(trial), {QString::fromStdString(trial.problem)}, {}});
    }
  }
  const auto add = [&](const char* path, ExplainedRule rule) {
    rule.path = QString::fromLatin1(path);
    explained.push_back(std::move(rule));
  };
  const auto addAll = [&](const char* list, const auto& all, const auto& explainOne) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      add(list, explainOne(all[i], run));
      explained.back().path += QStringLiteral("[%1]").arg(i);
    }
  };
  addAll("rules.output", rules.output, explainOutput);
  if (rules.flips) add("rules.flips", explainFlips(*rules.flips, rules.flips_from_preset, run));
  addAll("rules.quality", rules.quality, explainQuality);
  if (rules.utility) add("rules.utility", explainUtility(*rules.utility, run));
  if (rules.progress) add("rules.progress", explainProgress(*rules.progress, run));
  addAll("rules.distribution", rules.distribution, explainDistribution);
  addAll("rules.cost", rules.cost, explainCost);
  return explained;
}

}  // namespace mantissa::ui::rules
