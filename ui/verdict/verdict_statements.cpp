// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/verdict_statements.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/verdict/reason_words.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using record::RuleVerdict;
using record::VerdictWord;
using shell::Statement;

QString say(const char* text) { return QCoreApplication::translate("VerdictPage", text); }

Statement verdictOf(const VerdictData& data) {
  Statement statement;
  const QString name = models::isolated(QString::fromStdString(data.trial.start.name));
  statement.question = (data.isForeign() ? say(QT_TRANSLATE_NOOP("VerdictPage", "Verdict on %1, made elsewhere"))
                                         : say(QT_TRANSLATE_NOOP("VerdictPage", "Verdict on %1")))
                           .arg(name);
  statement.help = say(QT_TRANSLATE_NOOP("VerdictPage",
                                         "By the rules that were fixed before the first step. The worst rule decides: "
                                         "rejected, then undecided, then accepted."));
  if (data.trial.end.verdict) {
    const record::Verdict& verdict = *data.trial.end.verdict;
    statement.answer = verdictWord(verdict.word);
    statement.beginsWithName = true;  // the word as it stands everywhere
    statement.detail = scopeText(verdict, data.isForeign(), data.trial.start.autocast);
    statement.state = stateOf(verdict.word);
    return statement;
  }
  statement.answer = say(QT_TRANSLATE_NOOP("VerdictPage", "not judged"));
  statement.beginsWithName = true;
  statement.detail = data.trial.end.status == record::Status::Running
                         ? say(QT_TRANSLATE_NOOP("VerdictPage", "It runs; judged when it has ended"))
                         : models::statusText(data.trial.end.status);
  return statement;
}

/// How near a rule is to its limit. One that allows nothing is the strictest.
double nearness(const RuleVerdict& rule) {
  if (rule.limit_value == 0.0) return std::numeric_limits<double>::infinity();
  return usedShare(rule).value_or(0);
}

/// The worst of the rules of a kind: rejected before undecided before accepted, then the one nearest to its limit.
const RuleVerdict* worstOf(const VerdictData& data, const char* kind) {
  if (!data.trial.end.verdict) return nullptr;
  const auto rank = [](const RuleVerdict& rule) {
    return rule.verdict == VerdictWord::Rejected ? 2 : rule.verdict == VerdictWord::Undecided ? 1 : 0;
  };
  const RuleVerdict* worst = nullptr;
  for (const RuleVerdict& rule : data.trial.end.verdict->rules) {
    if (rule.name.rfind(kind, 0) != 0) continue;
    const bool isWorse = worst == nullptr || rank(rule) > rank(*worst) ||
                         (rank(rule) == rank(*worst) && nearness(rule) > nearness(*worst));
    if (isWorse) worst = &rule;
  }
  return worst;
}

Statement noRule(const QString& question) {
  Statement statement;
  statement.question = question;
  statement.answer = say(QT_TRANSLATE_NOOP("VerdictPage", "no rule"));
  statement.beginsWithName = true;
  return statement;
}

QString reasonOf(const RuleVerdict& rule) {
  return withWindowActions(models::figuresIn(QString::fromStdString(rule.reason)));
}

Statement finiteOf(const VerdictData& data) {
  const QString question = say(QT_TRANSLATE_NOOP("VerdictPage", "Finite"));
  const RuleVerdict* const rule = worstOf(data, "non_finite");
  if (rule == nullptr) return noRule(question);
  Statement statement;
  statement.question = question;
  statement.state = stateOf(rule->verdict);
  statement.answer = rule->verdict == VerdictWord::Rejected   ? say(QT_TRANSLATE_NOOP("VerdictPage", "non-finite"))
                     : rule->verdict == VerdictWord::Accepted ? say(QT_TRANSLATE_NOOP("VerdictPage", "all finite"))
                                                              : verdictWord(rule->verdict);
  statement.detail = reasonOf(*rule);
  statement.help = statement.detail;
  return statement;
}

Statement outputOf(const VerdictData& data) {
  const QString question = say(QT_TRANSLATE_NOOP("VerdictPage", "Output"));
  const RuleVerdict* const rule = worstOf(data, "output");
  if (rule == nullptr) return noRule(question);
  Statement statement;
  statement.question = question;
  statement.state = stateOf(rule->verdict);
  statement.beginsWithName = true;
  statement.answer = foundText(*rule);
  const std::optional<double> share = usedShare(*rule);
  if (share) {
    statement.answer =
        say(QT_TRANSLATE_NOOP("VerdictPage", "%1, %2 of the limit")).arg(foundText(*rule), usedText(*rule));
    statement.shorterAnswers = {foundText(*rule)};
  }
  statement.detail = QStringLiteral("%1, %2").arg(sideName(rule->of), requiredText(*rule));
  statement.help = reasonOf(*rule);
  return statement;
}

Statement decisionsOf(const VerdictData& data) {
  const QString question = say(QT_TRANSLATE_NOOP("VerdictPage", "Decisions"));
  const RuleVerdict* const rule = worstOf(data, "flips");
  if (!data.hasDecisions && rule == nullptr) {
    Statement statement = noRule(question);
    if (data.trial.end.verdict) statement.detail = say(QT_TRANSLATE_NOOP("VerdictPage", "The task decides nothing"));
    return statement;
  }
  Statement statement;
  statement.question = question;
  const Side side = rule != nullptr ? sideOf(*rule).value_or(Side::SameWeights) : Side::SameWeights;
  const auto flipped = std::count_if(data.cases.begin(), data.cases.end(),
                                     [side](const CaseFacts& one) { return one.side(side).flips; });
  const auto cases = static_cast<std::int64_t>(data.cases.size());
  statement.state = rule != nullptr ? stateOf(rule->verdict) : Statement::State::Unknown;
  if (cases > 0) {
    statement.answer = say(QT_TRANSLATE_NOOP("VerdictPage", "%1 of %2")).arg(flipsText(flipped), casesText(cases));
    statement.shorterAnswers = {flipsText(flipped)};
    statement.detail = sideName(side);
  }
  const bool isCompared = std::any_of(data.cases.begin(), data.cases.end(),
                                      [side](const CaseFacts& one) { return one.side(side).isMeasured; });
  if (cases > 0 && !isCompared) {
    statement.beginsWithName = true;
    statement.answer = data.isForeign() ? say(QT_TRANSLATE_NOOP("VerdictPage", "not given"))
                                        : say(QT_TRANSLATE_NOOP("VerdictPage", "not compared"));
    statement.shorterAnswers.clear();
  }
  if (rule != nullptr) {
    const QString kind = QString::fromStdString(rule->name).section(u'.', 1).replace(u'_', u' ');
    statement.detail = QStringLiteral("%1, %2").arg(
        sideName(side), kind.isEmpty() ? requiredText(*rule) : requiredText(*rule) + u' ' + kind);
    const auto limits = std::count_if(data.trial.end.verdict->rules.begin(), data.trial.end.verdict->rules.end(),
                                      [](const RuleVerdict& one) { return one.name.rfind("flips", 0) == 0; });
    if (limits > 1) {
      statement.shorterDetails = {statement.detail};
      statement.detail =
          (rule->verdict == VerdictWord::Accepted ? say(QT_TRANSLATE_NOOP("VerdictPage", "%1, strictest of %2 limits"))
                                                  : say(QT_TRANSLATE_NOOP("VerdictPage", "%1, deciding of %2 limits")))
              .arg(statement.detail, wholeText(limits));
    }
    statement.help = reasonOf(*rule);
  }
  return statement;
}

/// What the tile shows is a quality of this trial: rules over several seeds say nothing of it.
const RuleVerdict* worstOfQualities(const VerdictData& data, bool overSeeds) {
  const RuleVerdict* worst = nullptr;
  if (!data.trial.end.verdict) return worst;
  const auto rank = [](const RuleVerdict& rule) {
    return rule.verdict == VerdictWord::Rejected ? 2 : rule.verdict == VerdictWord::Undecided ? 1 : 0;
  };
  for (const RuleVerdict& rule : data.trial.end.verdict->rules) {
    if (rule.name.rfind("quality", 0) != 0 || isOverSeeds(rule) != overSeeds) continue;
    if (worst == nullptr || rank(rule) > rank(*worst)) worst = &rule;
  }
  return worst;
}

Statement qualityOf(const VerdictData& data) {
  Statement statement;
  statement.question = say(QT_TRANSLATE_NOOP("VerdictPage", "Quality"));
  const record::TrialEnd& end = data.trial.end;
  const RuleVerdict* const overSeeds = worstOfQualities(data, true);
  const RuleVerdict* rule = worstOfQualities(data, false);
  if (rule == nullptr && overSeeds != nullptr && overSeeds->verdict != VerdictWord::Undecided) rule = overSeeds;
  if (rule != nullptr) {
    statement.state = stateOf(rule->verdict);
    statement.help = reasonOf(*rule);
  }
  if (!end.quality) {
    if (rule == nullptr) rule = overSeeds;
    if (rule == nullptr) return noRule(statement.question);
    statement.state = stateOf(rule->verdict);
    statement.help = reasonOf(*rule);
    statement.answer = verdictWord(rule->verdict);
    return statement;
  }
  statement.beginsWithName = true;
  statement.answer =
      QStringLiteral("%1 %2").arg(QString::fromStdString(end.quality_metric), measuredText(*end.quality));
  statement.shorterAnswers = {measuredText(*end.quality)};
  if (end.quality_reference) {
    const double change = *end.quality - *end.quality_reference;
    const QString sign = change > 0 ? QStringLiteral("+") : QString();
    statement.detail = say(QT_TRANSLATE_NOOP("VerdictPage", "Reference %1, change %2"))
                           .arg(measuredText(*end.quality_reference), sign + measuredText(change));
  }
  if (overSeeds != nullptr && overSeeds != rule) {
    const QString word =
        say(QT_TRANSLATE_NOOP("VerdictPage", "over seeds %1")).arg(models::verdictText(overSeeds->verdict));
    statement.shorterDetails = {word};
    statement.detail = statement.detail.isEmpty() ? word : QStringLiteral("%1; %2").arg(statement.detail, word);
    statement.help += (statement.help.isEmpty() ? QString() : QStringLiteral("\n")) + reasonOf(*overSeeds);
  }
  return statement;
}

Statement afterwardsOf(const VerdictData& data) {
  Statement statement;
  statement.question = say(QT_TRANSLATE_NOOP("VerdictPage", "Judged afterwards"));
  statement.help = say(QT_TRANSLATE_NOOP("VerdictPage",
                                         "Judgements by other rules, or once more by the same ones. They stand beside "
                                         "the verdict of the run and never replace it."));
  statement.beginsWithName = true;
  if (data.judgements.empty()) {
    statement.answer = say(QT_TRANSLATE_NOOP("VerdictPage", "never"));
    return statement;
  }
  const record::Judgement& last = data.judgements.back();
  statement.state = Statement::State::Plain;  // no colour that could be taken for the verdict's
  statement.answer =
      last.post_hoc ? say(QT_TRANSLATE_NOOP("VerdictPage", "post hoc %1")).arg(models::verdictText(last.verdict.word))
                    : say(QT_TRANSLATE_NOOP("VerdictPage", "again %1")).arg(models::verdictText(last.verdict.word));
  statement.detail = say(QT_TRANSLATE_NOOP("VerdictPage", "%1 in all, the verdict stands"))
                         .arg(wholeText(static_cast<qlonglong>(data.judgements.size())));
  return statement;
}

}  // namespace

std::array<Statement, kStatements> statementsOf(const VerdictData& data) {
  return {verdictOf(data), finiteOf(data), outputOf(data), decisionsOf(data), qualityOf(data), afterwardsOf(data)};
}

}  // namespace mantissa::ui::verdict
