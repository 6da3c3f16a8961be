// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/judged_rule_words.h"

#include <QCoreApplication>

#include "core/judge/judge.h"
#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/rules/other_rule_words.h"

namespace mantissa::ui::rules {
namespace {

QString say(const char* text) { return QCoreApplication::translate("RuleWords", text); }

}  // namespace

QStringList judgedWords(const spec::Rules& rules, const std::string& family, const RunFacts* run) {
  QStringList sentences;
  if (run == nullptr) return sentences;
  for (const RunFacts::Trial& trial : run->trials) {
    if (!trial.problem.empty()) continue;
    for (const record::RuleVerdict& one : judge::judge(rules, {}, trial.evidence).rules) {
      if (one.name.rfind(family, 0) != 0) continue;
      sentences << QStringLiteral("%1: %2.").arg(nameOf(trial), models::figuresIn(QString::fromStdString(one.reason)));
    }
  }
  return sentences;
}

ExplainedRule explainDistribution(const spec::DistributionRule& rule, const RunFacts* run) {
  QString name = say(QT_TRANSLATE_NOOP("RuleWords", "Distribution"));
  if (!rule.name.empty()) name += u' ' + models::isolated(QString::fromStdString(rule.name));
  ExplainedRule explained{headingWith(name, rule.of, {}), {}, {}};
  explained.sentences << (rule.measure == "ks" ? say(QT_TRANSLATE_NOOP(
                                                     "RuleWords",
                                                     "The share of cases below a value may differ from the "
                                                     "reference's by at most %1, at any value and in any output (ks)."))
                                               : say(QT_TRANSLATE_NOOP(
                                                     "RuleWords",
                                                     "The distribution of any output may move from the reference's by "
                                                     "a psi of at most %1; 0.1 is commonly called small, 0.25 large.")))
                             .arg(everyDigitText(rule.max));
  spec::Rules alone;
  alone.distribution = {rule};
  explained.sentences << judgedWords(alone, "distribution", run);
  return explained;
}

ExplainedRule explainUtility(const spec::UtilityRule& rule, const RunFacts* run) {
  ExplainedRule explained{headingWith(say(QT_TRANSLATE_NOOP("RuleWords", "Utility")), rule.of, rule.slice), {}, {}};
  if (rule.min) {
    explained.sentences
        << say(QT_TRANSLATE_NOOP("RuleWords", "The decisions sum up to at least %1.")).arg(everyDigitText(*rule.min));
  }
  if (rule.max_drop) {
    explained.sentences << say(QT_TRANSLATE_NOOP("RuleWords", "At most %1 less than the reference's decisions."))
                               .arg(everyDigitText(*rule.max_drop));
  }
  spec::Rules alone;
  alone.utility = rule;
  const QStringList found = judgedWords(alone, "utility", run);
  if (!found.isEmpty()) {
    explained.sentences << found << say(QT_TRANSLATE_NOOP("RuleWords", "Gains and losses are those of that run."));
  }
  return explained;
}

}  // namespace mantissa::ui::rules
