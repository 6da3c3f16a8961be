// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/verdict_words.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;

QString say(const char* text) { return QCoreApplication::translate("VerdictPage", text); }

QString text(const std::string& words) { return QString::fromStdString(words); }

constexpr char kNotWorse[] = " not worse by more than ";

/// "output" of "output.logits".
QString family(const record::RuleVerdict& rule) { return text(rule.name).section(u'.', 0, 0); }

/// What a rule takes its limit of: "q0.99 of case_relative" of "q0.99 of case_relative at most 0.02".
QString measureOf(const QString& limit) {
  const qsizetype most = limit.indexOf(QLatin1String(" at most "));
  const qsizetype least = limit.indexOf(QLatin1String(" at least "));
  const qsizetype end = most < 0 ? least : least < 0 ? most : std::min(most, least);
  return end < 0 ? QString() : limit.left(end);
}

QString counted(std::int64_t count, const char* one, const char* many) {
  return count == 1 ? say(one) : say(many).arg(wholeText(count));
}

}  // namespace

QString verdictWord(record::VerdictWord word) {
  switch (word) {
    case record::VerdictWord::Accepted:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "accepted"));
    case record::VerdictWord::Rejected:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "rejected"));
    case record::VerdictWord::Undecided:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "undecided"));
  }
  return {};
}

RowsCell::Tone toneOf(record::VerdictWord word) {
  switch (word) {
    case record::VerdictWord::Accepted:
      return RowsCell::Tone::Good;
    case record::VerdictWord::Rejected:
      return RowsCell::Tone::Bad;
    case record::VerdictWord::Undecided:
      return RowsCell::Tone::Undecided;
  }
  return RowsCell::Tone::Plain;
}

shell::Statement::State stateOf(record::VerdictWord word) {
  switch (word) {
    case record::VerdictWord::Accepted:
      return shell::Statement::State::Good;
    case record::VerdictWord::Rejected:
      return shell::Statement::State::Bad;
    case record::VerdictWord::Undecided:
      return shell::Statement::State::Undecided;
  }
  return shell::Statement::State::Unknown;
}

QString shortened(const QString& name, qsizetype most) {
  if (name.size() <= most) return name;
  QString end = name.right(most * 11 / 20);
  const qsizetype word = end.indexOf(u' ');
  const bool beginsInside = name[name.size() - end.size() - 1] != u' ';
  if (beginsInside && word >= 0 && word < end.size() / 2) end = end.mid(word + 1);  // a whole word
  return name.left(most - 1 - end.size()).trimmed() + u'…' + end;
}

bool isOverSeeds(const record::RuleVerdict& rule) { return rule.limit.find(kNotWorse) != std::string::npos; }

QString ruleName(const record::RuleVerdict& rule) {
  const QString kind = family(rule);
  const QString part = text(rule.name).section(u'.', 1);
  if (rule.name == "non_finite") return say(QT_TRANSLATE_NOOP("VerdictPage", "Non-finite values"));
  if (rule.name == "run") return say(QT_TRANSLATE_NOOP("VerdictPage", "End of the run"));
  if (rule.name == "progress.min_applied_fraction") return say(QT_TRANSLATE_NOOP("VerdictPage", "Applied updates"));
  if (rule.name == "progress.max_consecutive_skips") {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "Longest run of skips"));
  }
  if (rule.name == "progress.underflow") return say(QT_TRANSLATE_NOOP("VerdictPage", "Weights that move"));
  if (isOverSeeds(rule)) {
    const QString metric = text(rule.limit).section(QLatin1String(kNotWorse), 0, 0);
    const QString name = part.contains(u'.') ? part.section(u'.', 0, -2) : QString();
    return name.isEmpty() ? say(QT_TRANSLATE_NOOP("VerdictPage", "Quality over seeds: %1")).arg(metric)
                          : say(QT_TRANSLATE_NOOP("VerdictPage", "Quality over seeds: %1, %2")).arg(name, metric);
  }
  QStringList parts;
  if (!part.isEmpty()) parts << text(rule.name).section(u'.', 1).replace(u'_', u' ');
  const QString measure = models::figuresIn(measureOf(text(rule.limit)));
  if (!measure.isEmpty()) parts << measure;
  const QString rest = parts.join(QStringLiteral(", "));
  const auto named = [&rest](const QString& name) {
    return rest.isEmpty() ? name : QStringLiteral("%1: %2").arg(name, rest);
  };
  if (kind == QLatin1String("output")) return named(say(QT_TRANSLATE_NOOP("VerdictPage", "Output")));
  if (kind == QLatin1String("flips")) return named(say(QT_TRANSLATE_NOOP("VerdictPage", "Flips")));
  if (kind == QLatin1String("quality")) return named(say(QT_TRANSLATE_NOOP("VerdictPage", "Quality")));
  if (kind == QLatin1String("distribution")) return named(say(QT_TRANSLATE_NOOP("VerdictPage", "Distribution")));
  if (kind == QLatin1String("cost")) {
    const QString name = part.contains(u'.') ? part.section(u'.', 0, -2) : QString();
    return name.isEmpty() ? say(QT_TRANSLATE_NOOP("VerdictPage", "Cost: %1")).arg(measure)
                          : say(QT_TRANSLATE_NOOP("VerdictPage", "Cost: %1, %2")).arg(name, measure);
  }
  if (kind == QLatin1String("utility")) return say(QT_TRANSLATE_NOOP("VerdictPage", "Decision utility"));
  return text(rule.name);  // of a newer version
}

QString sideName(Side side) {
  return side == Side::SameWeights ? say(QT_TRANSLATE_NOOP("VerdictPage", "same weights"))
                                   : say(QT_TRANSLATE_NOOP("VerdictPage", "trained"));
}

QString sideName(const std::string& of) {
  if (of == "same_weights") return sideName(Side::SameWeights);
  if (of == "trained") return sideName(Side::Trained);
  return text(of);
}

std::optional<Side> sideOf(const record::RuleVerdict& rule) {
  if (rule.of == "same_weights") return Side::SameWeights;
  if (rule.of == "trained") return Side::Trained;
  return std::nullopt;
}

QString requiredText(const record::RuleVerdict& rule) {
  if (rule.name == "non_finite") return say(QT_TRANSLATE_NOOP("VerdictPage", "none"));
  if (rule.name == "run") return say(QT_TRANSLATE_NOOP("VerdictPage", "finished"));
  if (rule.name == "progress.underflow") return say(QT_TRANSLATE_NOOP("VerdictPage", "as the reference's"));
  QString words = text(rule.limit);
  if (isOverSeeds(rule)) {
    const QString margin = words.section(QLatin1String(kNotWorse), 1).section(u',', 0, 0);
    return say(QT_TRANSLATE_NOOP("VerdictPage", "≤ %1 worse than ref.")).arg(models::figuresIn(margin));
  }
  const QString measure = measureOf(words);
  if (!measure.isEmpty()) words = words.mid(measure.size() + 1);
  words = models::figuresIn(words);
  words.replace(QLatin1String("at most "), QStringLiteral("≤ "));
  words.replace(QLatin1String("at least "), QStringLiteral("≥ "));
  // What the name of the rule says already: "≤ 8 skipped steps in a row".
  const QString kind = family(rule);
  if (kind == QLatin1String("flips") || kind == QLatin1String("progress")) return words.section(u' ', 0, 1);
  words.replace(QLatin1String(" of the reference's at batch "), QStringLiteral(" × ref., batch "));
  if (kind == QLatin1String("cost")) words.replace(QLatin1String(" of the reference's"), QStringLiteral(" × ref."));
  words.replace(QLatin1String(" of the reference's value"), QStringLiteral(" × ref."));
  words.replace(QLatin1String("the reference"), QStringLiteral("ref."));
  return words;
}

QString foundText(const record::RuleVerdict& rule) {
  if (!rule.value) return plot::notMeasuredText();
  const bool isCount = rule.unit == "flips" || rule.unit == "steps";
  if (isCount && std::isfinite(*rule.value)) return wholeText(static_cast<qlonglong>(*rule.value));
  const QString number = measuredText(*rule.value);
  return rule.unit.empty() || isCount ? number : QStringLiteral("%1 %2").arg(number, text(rule.unit));
}

std::optional<double> usedShare(const record::RuleVerdict& rule) {
  const bool isUpper = rule.limit.find("at most") != std::string::npos;
  const bool isLower = rule.limit.find("at least") != std::string::npos;
  // A quality's drop has a bound of the metric itself as its limit: a share of it says nothing.
  const bool isDrop = rule.name.rfind("quality", 0) == 0 || rule.name == "utility";
  if (!isUpper || isLower || isDrop || !rule.value || !rule.limit_value) return std::nullopt;
  if (!std::isfinite(*rule.value) || !(*rule.limit_value > 0)) return std::nullopt;
  return *rule.value / *rule.limit_value;
}

QString usedText(const record::RuleVerdict& rule) {
  const std::optional<double> share = usedShare(rule);
  if (!share) return plot::notMeasuredText();
  // 99.9 % is not the whole, and 100.1 % is not within it.
  const double percent = *share * 100;
  const bool isNearTheLimit = percent > 99 && percent < 101 && percent != 100;
  const QString number =
      isNearTheLimit ? everyDigitText(std::round(percent * 1000) / 1000) : plot::multipleText(percent);
  return number + QStringLiteral(" %");
}

bool isOnCosts(const record::RuleVerdict& rule) { return family(rule) == QLatin1String("cost"); }

bool isOnSteps(const record::RuleVerdict& rule) {
  const QString kind = family(rule);
  return kind != QLatin1String("output") && kind != QLatin1String("flips") && kind != QLatin1String("quality") &&
         kind != QLatin1String("distribution") && kind != QLatin1String("utility") && kind != QLatin1String("cost");
}

QString kindName(record::CaseKind kind) {
  switch (kind) {
    case record::CaseKind::Ordinary:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "ordinary"));
    case record::CaseKind::Edge:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "edge"));
    case record::CaseKind::Boundary:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "boundary"));
  }
  return {};
}

QString directionName(Direction direction) {
  switch (direction) {
    case Direction::None:
      return plot::notMeasuredText();
    case Direction::NoDecision:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "no decision"));
    case Direction::RightToWrong:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "right→wrong"));
    case Direction::WrongToRight:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "wrong→right"));
    case Direction::Neutral:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "neutral"));
    case Direction::Unknown:
      return say(QT_TRANSLATE_NOOP("VerdictPage", "no target"));
  }
  return {};
}

RowsCell::Tone toneOf(Direction direction) {
  if (direction == Direction::RightToWrong || direction == Direction::NoDecision) return RowsCell::Tone::Bad;
  return direction == Direction::WrongToRight ? RowsCell::Tone::Good : RowsCell::Tone::Faint;
}

QString casesText(std::int64_t count) {
  return counted(count, QT_TRANSLATE_NOOP("VerdictPage", "1 case"), QT_TRANSLATE_NOOP("VerdictPage", "%1 cases"));
}

QString flipsText(std::int64_t count) {
  return counted(count, QT_TRANSLATE_NOOP("VerdictPage", "1 flip"), QT_TRANSLATE_NOOP("VerdictPage", "%1 flips"));
}

QString stepsText(std::int64_t count) {
  return counted(count, QT_TRANSLATE_NOOP("VerdictPage", "1 step"), QT_TRANSLATE_NOOP("VerdictPage", "%1 steps"));
}

QString seedsText(std::int64_t count) {
  return counted(count, QT_TRANSLATE_NOOP("VerdictPage", "1 seed"), QT_TRANSLATE_NOOP("VerdictPage", "%1 seeds"));
}

QString timesText(std::int64_t count) {
  return counted(count, QT_TRANSLATE_NOOP("VerdictPage", "1 measurement"),
                 QT_TRANSLATE_NOOP("VerdictPage", "%1 measurements"));
}

QString hashText(const std::string& sha256) {
  constexpr int kShown = 16;
  constexpr int kGroup = 4;
  if (sha256.empty()) return plot::notMeasuredText();
  QStringList groups;
  const QString whole = text(sha256).left(kShown);
  for (qsizetype from = 0; from < whole.size(); from += kGroup) groups << whole.mid(from, kGroup);
  return groups.join(u' ');
}

QString momentText(const QString& utc) {
  const QDateTime moment = QDateTime::fromString(utc, Qt::ISODate).toLocalTime();
  if (!moment.isValid()) return plot::notMeasuredText();
  return moment.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString scopeText(const record::Verdict& verdict, bool isForeign, const std::string& autocast) {
  const QString device = text(verdict.scope_device).toUpper();
  QString scope;
  if (isForeign) {
    const bool isDeviceKnown = verdict.scope_device != "foreign";
    const bool isPrecisionKnown = !autocast.empty() && autocast != "unknown";
    QStringList known = {say(QT_TRANSLATE_NOOP("VerdictPage", "made elsewhere"))};
    if (isDeviceKnown) known << say(QT_TRANSLATE_NOOP("VerdictPage", "on %1 as told")).arg(device);
    if (isPrecisionKnown) known << say(QT_TRANSLATE_NOOP("VerdictPage", "autocast %1 as told")).arg(text(autocast));
    if (!isDeviceKnown && !isPrecisionKnown) {
      known << say(QT_TRANSLATE_NOOP("VerdictPage", "device and precision not known"));
    } else if (!isDeviceKnown) {
      known << say(QT_TRANSLATE_NOOP("VerdictPage", "device not known"));
    } else if (!isPrecisionKnown) {
      known << say(QT_TRANSLATE_NOOP("VerdictPage", "precision not known"));
    }
    scope = known.join(QStringLiteral(", "));
  } else {
    scope = say(QT_TRANSLATE_NOOP("VerdictPage", "on %1, cast policy %2")).arg(device, text(verdict.scope_cast_policy));
  }
  if (verdict.target.empty() || verdict.target == "as-run") return scope;
  return say(QT_TRANSLATE_NOOP("VerdictPage", "%1, target %2")).arg(scope, text(verdict.target).toUpper());
}

QString exactNumber(double value) { return QString::fromStdString(to_text(value)); }

plot::RowsCell numberCell(const std::optional<double>& value) {
  using plot::RowsCell;
  if (!value) return {plot::notMeasuredText(), {}, RowsCell::Tone::Faint};
  return {measuredText(*value), exactNumber(*value),
          std::isfinite(*value) ? RowsCell::Tone::Plain : RowsCell::Tone::Bad};
}

plot::RowsCell changeCell(const std::optional<double>& from, const std::optional<double>& to, bool higherIsBetter) {
  using plot::RowsCell;
  if (!from || !to) return {plot::notMeasuredText(), {}, RowsCell::Tone::Faint};
  const double change = *to - *from;
  if (change == 0) return {wholeText(0), QStringLiteral("0"), RowsCell::Tone::Faint};
  const bool isWorse = higherIsBetter ? !(change > 0) : !(change < 0);
  return {(change > 0 ? QStringLiteral("+") : QString()) + measuredText(change), exactNumber(change),
          isWorse ? RowsCell::Tone::Bad : RowsCell::Tone::Good};
}

}  // namespace mantissa::ui::verdict
