// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/rule_help.h"

#include <QCoreApplication>

#include <map>

#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

QString say(const char* text) { return QCoreApplication::translate("VerdictPage", text); }

bool isOf(const record::RuleVerdict& rule, const char* family) { return rule.name.rfind(family, 0) == 0; }

}  // namespace

QString ruleHelp(const record::RuleVerdict& rule) {
  if (rule.name == "non_finite") {
    return say(QT_TRANSLATE_NOOP("VerdictPage",
                                 "Applies always: no loss, output, weight or buffer is NaN or infinite. Gradients of "
                                 "skipped steps may be."));
  }
  if (rule.name == "run") return say(QT_TRANSLATE_NOOP("VerdictPage", "Applies always: the run came to its end."));
  if (rule.name == "progress.underflow") {
    return say(QT_TRANSLATE_NOOP("VerdictPage",
                                 "Applies always: gradients and weights move where those of the reference do. Where "
                                 "they do not, small values were rounded to 0 (underflow)."));
  }
  if (rule.name == "progress.min_applied_fraction") {
    return say(QT_TRANSLATE_NOOP("VerdictPage",
                                 "The share of the attempted steps whose update was applied and not skipped because "
                                 "of a gradient that is not finite."));
  }
  if (rule.name == "progress.max_consecutive_skips") {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "The longest row of steps of which every one was skipped."));
  }
  if (isOf(rule, "output")) {
    return rule.limit.find("case_relative") == std::string::npos
               ? say(QT_TRANSLATE_NOOP("VerdictPage",
                                       "How far the outputs of the frozen cases are from the reference's."))
               : say(QT_TRANSLATE_NOOP("VerdictPage",
                                       "case_relative is the largest difference of a case's outputs from the "
                                       "reference's, over the largest output that the reference has there, or over the "
                                       "RMS of all of its outputs where that is larger. q0.99 is the value that 99 of "
                                       "100 cases do not exceed."));
  }
  if (isOf(rule, "flips")) {
    return say(QT_TRANSLATE_NOOP("VerdictPage",
                                 "A flip is a case whose decision is another one than the reference's. A boundary case "
                                 "is one that the reference decides by a small margin."));
  }
  if (isOverSeeds(rule)) {
    return say(QT_TRANSLATE_NOOP("VerdictPage",
                                 "Over runs with several seeds, the trial is shown not to be worse than the reference "
                                 "by more than a margin: each seed's trial is compared with its own reference."));
  }
  if (isOf(rule, "quality")) {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "The metric over the frozen cases, beside the reference's (ref.)."));
  }
  if (isOf(rule, "distribution")) {
    return say(
        QT_TRANSLATE_NOOP("VerdictPage",
                          "How far an output's values, taken together, have moved from the reference's, whatever "
                          "single cases did."));
  }
  if (isOf(rule, "utility")) {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "The declared gains and losses of the decisions, summed."));
  }
  return {};
}

QString wordHelp(record::VerdictWord word) {
  switch (word) {
    case record::VerdictWord::Accepted:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "The rule holds."));
    case record::VerdictWord::Rejected:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "The rule does not hold."));
    case record::VerdictWord::Undecided:
      return say(
          QT_TRANSLATE_NOOP("VerdictPage", "The evidence does not suffice to say; the reason tells what lacks."));
  }
  return {};
}

QString weightsHelp(const record::RuleVerdict& rule) {
  const std::optional<Side> side = sideOf(rule);
  if (!side) return {};
  return *side == Side::SameWeights
             ? say(QT_TRANSLATE_NOOP(
                   "VerdictPage",
                   "same weights: the reference's weights, run in the trial's precision. What differs "
                   "is due to the arithmetic alone."))
             : say(QT_TRANSLATE_NOOP("VerdictPage", "trained: the trial's own weights, as its training left them."));
}

QString valueHelp(const record::RuleVerdict& rule) {
  if (!rule.value || !isOverSeeds(rule)) return {};
  return say(QT_TRANSLATE_NOOP("VerdictPage",
                               "%1: the one-sided lower bound of the paired difference, trial less reference, over the "
                               "seeds. It must be above %2."))
      .arg(exactNumber(*rule.value), exactNumber(rule.limit_value.value_or(0)));
}

QString usedHelp(const record::RuleVerdict& rule) {
  const std::optional<double> share = usedShare(rule);
  if (share) {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "%1 of the limit %2"))
        .arg(exactNumber(*rule.value), exactNumber(*rule.limit_value));
  }
  return say(QT_TRANSLATE_NOOP("VerdictPage", "No share: nothing was measured, or the limit is 0 or a lower one."));
}

QString evidenceHelp(const record::RuleVerdict& rule) {
  if (isOnCosts(rule)) return say(QT_TRANSLATE_NOOP("VerdictPage", "Goes to the table of times below."));
  return isOnSteps(rule) ? say(QT_TRANSLATE_NOOP("VerdictPage", "Goes to the curves of the trial on the Run page."))
                         : say(QT_TRANSLATE_NOOP("VerdictPage", "Goes to these cases in the table below."));
}

QString keyHelp(const QString& key) {
  static const std::map<QString, const char*> kWords = {
      {QStringLiteral("target"),
       QT_TRANSLATE_NOOP("VerdictPage", "Where the verdict must hold; as-run: on the device of the run itself.")},
      {QStringLiteral("non_finite"),
       QT_TRANSLATE_NOOP("VerdictPage", "What a value that is NaN or infinite leads to. It always rejects.")},
      {QStringLiteral("of"),
       QT_TRANSLATE_NOOP("VerdictPage",
                         "same_weights: the reference's weights in the trial's precision; trained: "
                         "the trial's own weights.")},
      {QStringLiteral("measure"),
       QT_TRANSLATE_NOOP("VerdictPage",
                         "What is measured of each case; case_relative is explained under Deviation, F1.")},
      {QStringLiteral("reduce"),
       QT_TRANSLATE_NOOP("VerdictPage", "How the values of all cases become one: a quantile, the mean, the largest.")},
      {QStringLiteral("q"),
       QT_TRANSLATE_NOOP("VerdictPage", "The quantile: at 0.99, the value that 99 of 100 cases do not exceed.")},
      {QStringLiteral("ties"),
       QT_TRANSLATE_NOOP("VerdictPage", "Which decision is taken where two outputs are equally large.")},
      {QStringLiteral("slice"), QT_TRANSLATE_NOOP("VerdictPage", "The rule looks at the cases of this slice alone.")},
      {QStringLiteral("max_drop"),
       QT_TRANSLATE_NOOP("VerdictPage", "How much worse than the reference the trial may be, in the metric's unit.")},
      {QStringLiteral("max_consecutive_skips"),
       QT_TRANSLATE_NOOP("VerdictPage", "How many steps in a row may be skipped.")},
      {QStringLiteral("min_applied_fraction"),
       QT_TRANSLATE_NOOP("VerdictPage", "The least share of the attempted steps that must be applied.")},
      {QStringLiteral("matrix"), QT_TRANSLATE_NOOP("VerdictPage",
                                                   "Gains and losses: a row for each true class, in it one number for "
                                                   "each decision.")}};
  const auto found = kWords.find(key);
  if (found != kWords.end()) return say(found->second);
  if (key.startsWith(QLatin1String("max."))) {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "The limit for trials of this dtype."));
  }
  return {};
}

}  // namespace mantissa::ui::verdict
