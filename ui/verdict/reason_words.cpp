// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/reason_words.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

constexpr qsizetype kMostReasons = 6;

QString say(const char* text) { return QCoreApplication::translate("VerdictPage", text); }

/// What the engine calls out although it decides nothing.
constexpr char kNotLookedAt[] = "the run was made elsewhere, and nothing is known of ";
constexpr char kSeen[] = "seen in this trial: ";

QString asSaid(const std::string& sentence) {
  QString words = withWindowActions(models::figuresIn(QString::fromStdString(sentence)));
  if (words.endsWith(u'.')) words.chop(1);
  return words;
}

/// The rule that gave a reason; null: it is of none of them.
const record::RuleVerdict* ruleOf(const record::Verdict& verdict, std::string reason) {
  if (reason.rfind(kSeen, 0) == 0) reason.erase(0, std::size(kSeen) - 1);
  const auto found = std::find_if(verdict.rules.begin(), verdict.rules.end(), [&reason](const auto& rule) {
    return !reason.empty() && rule.reason.rfind(reason, 0) == 0;  // an undecided one goes on
  });
  return found == verdict.rules.end() ? nullptr : &*found;
}

}  // namespace

QString withWindowActions(QString reason) {
  const QString option = QStringLiteral("run the experiment with --set training.seed=N, then judge the trial again");
  return reason.replace(
      option,
      say(QT_TRANSLATE_NOOP("VerdictPage",
                            "choose Edit the rules as a copy, give [training] another seed and run it, once for "
                            "each seed; then choose Judge again by its own rules here")));
}

QString reasonLines(const record::Verdict& verdict) {
  QStringList reasons;
  QStringList others;
  for (const std::string& reason : verdict.reasons) {
    if (reason.rfind(kNotLookedAt, 0) == 0) {
      others << say(QT_TRANSLATE_NOOP("VerdictPage", "Not known: %1; the run was made elsewhere."))
                    .arg(asSaid(reason.substr(std::size(kNotLookedAt) - 1)));
      continue;
    }
    const record::RuleVerdict* const rule = ruleOf(verdict, reason);
    reasons << (rule == nullptr ? asSaid(reason)
                                : QStringLiteral("%1: %2").arg(shortened(ruleName(*rule)), asSaid(reason)));
  }
  const QString word = models::verdictText(verdict.word);
  QStringList lines;
  if (verdict.word == record::VerdictWord::Accepted) {
    lines << (reasons.isEmpty() ? word + u'.'
                                : say(QT_TRANSLATE_NOOP("VerdictPage", "%1: %2.")).arg(word, reasons.takeFirst()));
    for (const QString& reason : reasons) lines << say(QT_TRANSLATE_NOOP("VerdictPage", "Note: %1.")).arg(reason);
    return (lines + others).join(u'\n');
  }
  lines << (reasons.isEmpty() ? word + u'.' : say(QT_TRANSLATE_NOOP("VerdictPage", "%1, because")).arg(word));
  const qsizetype shown = reasons.size() > kMostReasons + 1 ? kMostReasons : reasons.size();  // one more is no saving
  for (const QString& reason : reasons.mid(0, shown))
    lines << say(QT_TRANSLATE_NOOP("VerdictPage", "• %1.")).arg(reason);
  if (shown < reasons.size()) {
    lines << say(QT_TRANSLATE_NOOP("VerdictPage", "and %1 more, in the table above."))
                 .arg(wholeText(static_cast<qlonglong>(reasons.size() - shown)));
  }
  return (lines + others).join(u'\n');
}

QString reasonOfRule(const record::RuleVerdict& rule) {
  return say(QT_TRANSLATE_NOOP("VerdictPage", "%1 (%2): %3."))
      .arg(ruleName(rule), models::verdictText(rule.verdict), asSaid(rule.reason));
}

}  // namespace mantissa::ui::verdict
