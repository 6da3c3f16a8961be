// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/other_rule_words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/judge/judge.h"
#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/rules/rule_figures.h"

namespace mantissa::ui::rules {
namespace {

using record::CaseRow;

QString say(const char* text) { return QCoreApplication::translate("RuleWords", text); }

QString kindWords(const std::string& kind) {
  if (kind == "ordinary") return say(QT_TRANSLATE_NOOP("RuleWords", "ordinary cases"));
  if (kind == "edge") return say(QT_TRANSLATE_NOOP("RuleWords", "edge cases"));
  return say(QT_TRANSLATE_NOOP("RuleWords", "boundary cases"));
}

QString directionWords(const std::string& direction) {
  if (direction == "right_to_wrong") return say(QT_TRANSLATE_NOOP("RuleWords", "flips from right to wrong"));
  if (direction == "wrong_to_right") return say(QT_TRANSLATE_NOOP("RuleWords", "flips from wrong to right"));
  return say(QT_TRANSLATE_NOOP("RuleWords", "flips from wrong to wrong"));
}

bool flips(const CaseRow& row, spec::Of of) { return of == spec::Of::Trained ? row.flip : row.flip_same_weights; }

/// Margins that the spacing of a format at the size of the outputs can turn into a tie or a flip.
QString marginWords(const judge::Evidence& evidence) {
  const std::optional<Magnitudes> sizes = magnitudesOf(evidence.cases);
  if (!sizes) return {};
  const double apart = spacing(sizes->rms, evidence.autocast);
  std::optional<double> smallest;
  std::int64_t below = 0;
  for (const CaseRow& row : evidence.cases) {
    if (!row.margin_reference) continue;
    smallest = std::min(smallest.value_or(*row.margin_reference), *row.margin_reference);
    if (*row.margin_reference < apart) ++below;
  }
  if (!smallest || !(apart > 0)) return {};
  return say(QT_TRANSLATE_NOOP("RuleWords",
                               "The reference's smallest margin is %1; %2 of %3 margins are below %4, the spacing of "
                               "the trial's format at RMS %5, and may tie or flip by rounding outputs alone."))
      .arg(measuredText(*smallest), wholeText(below), wholeText(static_cast<qlonglong>(evidence.cases.size())),
           measuredText(apart), measuredText(sizes->rms));
}

void explainFlipsOf(const spec::FlipsRule& rule, const RunFacts::Trial& trial, QStringList& sentences) {
  const judge::Evidence& evidence = trial.evidence;
  const auto count = [&](const std::optional<record::CaseKind>& kind, bool onlyFlips) {
    return std::count_if(evidence.cases.begin(), evidence.cases.end(), [&](const CaseRow& row) {
      return (!kind || row.kind == *kind) && (!onlyFlips || flips(row, rule.of));
    });
  };
  QStringList parts;
  for (const auto& [kind, limit] : rule.max_by_kind) {
    const std::optional<record::CaseKind> which = record::case_kind_from_text(kind);
    parts << say(QT_TRANSLATE_NOOP("RuleWords", "%1 of %2 %3"))
                 .arg(wholeText(count(which, true)), wholeText(count(which, false)), kindWords(kind));
  }
  if (parts.isEmpty()) {
    parts << say(QT_TRANSLATE_NOOP("RuleWords", "%1 of %2"))
                 .arg(wholeText(count(std::nullopt, true)), casesWords(count(std::nullopt, false)));
  }
  sentences
      << say(QT_TRANSLATE_NOOP("RuleWords", "%1 flipped %2.")).arg(nameOf(trial), parts.join(QStringLiteral(", ")));
  sentences << marginWords(evidence);
}

/// Quality of one side over the cases of the rule; nothing where it cannot be taken.
std::optional<double> qualityOf(const std::vector<CaseRow>& all, const spec::QualityRule& rule,
                                const std::string& metric, bool reference, const judge::Evidence& evidence,
                                spec::Of of) {
  try {
    const std::vector<CaseRow> cases = casesOf(all, rule.slice);
    if (cases.empty()) return std::nullopt;
    const double value = judge::quality(cases, metric, of, reference, evidence.unit, evidence.decision);
    return std::isnan(value) ? std::nullopt : std::optional<double>(value);
  } catch (const Error&) {
    return std::nullopt;  // a metric of another task: the form says so at its field
  }
}

/// The largest change of the quality between the reference and its repeats; nothing without any.
std::optional<double> spreadOf(const spec::QualityRule& rule, const std::string& metric, double reference,
                               const judge::Evidence& evidence) {
  std::optional<double> largest;
  for (const std::vector<CaseRow>& repeat : evidence.spread) {
    const std::optional<double> value = qualityOf(repeat, rule, metric, false, evidence, spec::Of::Trained);
    if (value) largest = std::max(largest.value_or(0), std::abs(*value - reference));
  }
  return largest;
}

/// How far a quality may fall, in the metric's unit; nothing where the rule has no limit on it.
std::optional<double> allowedDrop(const spec::QualityRule& rule, double reference) {
  std::optional<double> drop = rule.max_drop;
  if (rule.max_drop_relative) {
    const double share = *rule.max_drop_relative * std::abs(reference);
    drop = std::min(drop.value_or(share), share);
  }
  return drop;
}

void explainQualityOf(const spec::QualityRule& rule, const RunFacts::Trial& trial, QStringList& sentences) {
  const judge::Evidence& evidence = trial.evidence;
  const std::string metric = rule.metric.empty() ? spec::default_metric(evidence.task) : rule.metric;
  const QString name = QString::fromStdString(metric);
  const std::optional<double> reference = qualityOf(evidence.cases, rule, metric, true, evidence, rule.of);
  const std::optional<double> found = qualityOf(evidence.cases, rule, metric, false, evidence, rule.of);
  if (!reference) {
    sentences << say(QT_TRANSLATE_NOOP("RuleWords", "The reference has no %1 on these cases.")).arg(name);
    return;
  }
  const std::optional<double> drop = allowedDrop(rule, *reference);
  const bool isHigher = spec::higher_is_better(metric);
  if (drop) {
    const double bound = isHigher ? *reference - *drop : *reference + *drop;
    const QString words = isHigher ? say(QT_TRANSLATE_NOOP("RuleWords",
                                                           "The reference's %1 is %2: at least %3, a drop "
                                                           "of at most %4."))
                                   : say(QT_TRANSLATE_NOOP("RuleWords",
                                                           "The reference's %1 is %2: at most %3, worse by "
                                                           "at most %4."));
    sentences << words.arg(name, measuredText(*reference), measuredText(bound), measuredText(*drop));
    const auto cases = static_cast<double>(casesOf(evidence.cases, rule.slice).size());
    if (metric == "accuracy" && evidence.decision.positions == 0) {
      const auto most = static_cast<qlonglong>(std::floor(*drop * cases + 1e-9));  // 0.1 * 30 is a hair below 3
      sentences << say(QT_TRANSLATE_NOOP("RuleWords", "One case of %1 is %2, so the limit lets %3 more be wrong."))
                       .arg(wholeText(static_cast<qlonglong>(cases)), measuredText(1 / cases),
                            most == 0 ? say(QT_TRANSLATE_NOOP("RuleWords", "no")) : wholeText(most));
    }
    if (const std::optional<double> spread = spreadOf(rule, metric, *reference, evidence)) {
      QString spreadText =
          say(QT_TRANSLATE_NOOP("RuleWords", "The run-to-run spread of %1 is %2")).arg(name, measuredText(*spread));
      if (*drop < *spread) {
        spreadText += say(QT_TRANSLATE_NOOP(
            "RuleWords", ": the limit is tighter than that and would reject the reference's own repeats"));
      } else if (*spread > 0) {
        spreadText +=
            say(QT_TRANSLATE_NOOP("RuleWords", ": the limit is %1 × that, looser than what another seed does"))
                .arg(plot::multipleText(*drop / *spread));
      }
      sentences << spreadText + u'.';
    }
  }
  if (found) {
    sentences << say(QT_TRANSLATE_NOOP("RuleWords", "%1 reached %2.")).arg(nameOf(trial), measuredText(*found));
  }
}

}  // namespace

QString headingWith(const QString& heading, spec::Of of, const std::string& slice) {
  QString words = heading + QStringLiteral(", ") +
                  (of == spec::Of::Trained ? say(QT_TRANSLATE_NOOP("RuleWords", "trained"))
                                           : say(QT_TRANSLATE_NOOP("RuleWords", "same weights")));
  if (!slice.empty()) {
    words += say(QT_TRANSLATE_NOOP("RuleWords", ", slice %1")).arg(models::isolated(QString::fromStdString(slice)));
  }
  return words;
}

QString nameOf(const RunFacts::Trial& trial) { return models::isolated(QString::fromStdString(trial.name)); }

QString casesWords(std::int64_t count) {
  return count == 1 ? say(QT_TRANSLATE_NOOP("RuleWords", "1 case"))
                    : say(QT_TRANSLATE_NOOP("RuleWords", "%1 cases")).arg(wholeText(count));
}

ExplainedRule explainFlips(const spec::FlipsRule& rule, bool isOfPreset, const RunFacts* run) {
  ExplainedRule explained{headingWith(say(QT_TRANSLATE_NOOP("RuleWords", "Flips")), rule.of, {}), {}, {}};
  QStringList limits;
  for (const auto& [kind, limit] : rule.max_by_kind) {
    limits << say(QT_TRANSLATE_NOOP("RuleWords", "%1 of %2")).arg(wholeText(limit), kindWords(kind));
  }
  if (rule.max) {
    limits << (rule.max_by_kind.empty()
                   ? say(QT_TRANSLATE_NOOP("RuleWords", "%1 in all")).arg(wholeText(*rule.max))
                   : say(QT_TRANSLATE_NOOP("RuleWords", "%1 of all other kinds")).arg(wholeText(*rule.max)));
  }
  for (const auto& [direction, limit] : rule.max_by_direction) {
    limits << say(QT_TRANSLATE_NOOP("RuleWords", "%1 %2")).arg(wholeText(limit), directionWords(direction));
  }
  explained.sentences << say(QT_TRANSLATE_NOOP("RuleWords", "Decisions that differ from the reference's: at most %1."))
                             .arg(limits.join(QStringLiteral(", ")));
  if (run == nullptr) return explained;
  for (const RunFacts::Trial& trial : run->trials) {
    if (!trial.problem.empty()) continue;
    if (trial.evidence.decision.kind == judge::DecisionKind::None) {
      explained.sentences << (isOfPreset ? say(QT_TRANSLATE_NOOP("RuleWords",
                                                                 "The task decides nothing: the rule does not apply."))
                                         : say(QT_TRANSLATE_NOOP("RuleWords", "The task decides nothing.")));
      break;
    }
    explainFlipsOf(rule, trial, explained.sentences);
    const judge::DecisionRule& counted = trial.evidence.decision;
    if (counted.form != rule.decision || counted.ties != rule.ties || counted.tie_within != rule.tie_within ||
        (rule.decision == spec::FlipsDecision::TopK && counted.k != rule.k)) {
      explained.sentences << say(QT_TRANSLATE_NOOP(
          "RuleWords", "Flips are counted by what the rules of that run take for a decision and a tie."));
    }
  }
  explained.sentences.removeAll(QString());
  explained.sentences.removeDuplicates();
  return explained;
}

ExplainedRule explainQuality(const spec::QualityRule& rule, const RunFacts* run) {
  QString name = say(QT_TRANSLATE_NOOP("RuleWords", "Quality"));
  if (!rule.metric.empty()) name += QStringLiteral(": ") + QString::fromStdString(rule.metric);
  ExplainedRule explained{headingWith(name, rule.of, rule.slice), {}, {}};
  QStringList& sentences = explained.sentences;
  if (rule.min) sentences << say(QT_TRANSLATE_NOOP("RuleWords", "At least %1.")).arg(everyDigitText(*rule.min));
  if (rule.max) sentences << say(QT_TRANSLATE_NOOP("RuleWords", "At most %1.")).arg(everyDigitText(*rule.max));
  if (rule.non_inferior) {
    sentences << say(QT_TRANSLATE_NOOP("RuleWords",
                                       "Over at least %1 seeds, not worse than the reference by more than %2."))
                     .arg(wholeText(rule.non_inferior->seeds), everyDigitText(rule.non_inferior->margin));
  }
  const auto isSound = [](const RunFacts::Trial& trial) { return trial.problem.empty(); };
  if (run == nullptr || std::none_of(run->trials.begin(), run->trials.end(), isSound)) {
    if (rule.max_drop) {
      sentences << say(QT_TRANSLATE_NOOP("RuleWords", "Worse than the reference by at most %1, in the metric's unit."))
                       .arg(everyDigitText(*rule.max_drop));
    }
    if (rule.max_drop_relative) {
      sentences << say(QT_TRANSLATE_NOOP("RuleWords", "Worse than the reference by at most %1 % of its value."))
                       .arg(plot::multipleText(100 * *rule.max_drop_relative));
    }
    return explained;
  }
  for (const RunFacts::Trial& trial : run->trials) {
    if (isSound(trial)) explainQualityOf(rule, trial, sentences);
  }
  sentences.removeDuplicates();  // the reference is the same for all trials
  return explained;
}

ExplainedRule explainProgress(const spec::ProgressRule& rule, const RunFacts* run) {
  ExplainedRule explained{say(QT_TRANSLATE_NOOP("RuleWords", "Progress")), {}, {}};
  QStringList& sentences = explained.sentences;
  if (rule.min_applied_fraction) {
    sentences << say(QT_TRANSLATE_NOOP("RuleWords", "At least %1 % of the attempted updates are applied."))
                     .arg(plot::multipleText(100 * *rule.min_applied_fraction));
  }
  if (rule.max_consecutive_skips) {
    sentences << say(QT_TRANSLATE_NOOP("RuleWords", "At most %1 skipped steps in a row."))
                     .arg(wholeText(*rule.max_consecutive_skips));
  }
  if (run == nullptr) return explained;
  for (const RunFacts::Trial& trial : run->trials) {
    if (!trial.problem.empty() || !trial.evidence.steps_missing.empty()) continue;
    const record::Counts& counts = trial.evidence.counts;
    QString words = say(QT_TRANSLATE_NOOP("RuleWords", "%1 skipped %2 of %3 steps, at most %4 in a row"))
                        .arg(nameOf(trial), wholeText(counts.skipped), wholeText(counts.attempted),
                             wholeText(trial.evidence.max_consecutive_skips));
    if (rule.min_applied_fraction) {
      words += say(QT_TRANSLATE_NOOP("RuleWords", "; %1 may be"))
                   .arg(wholeText(mostSkips(*rule.min_applied_fraction, counts.attempted)));
    }
    sentences << words + u'.';
  }
  return explained;
}

}  // namespace mantissa::ui::rules
