// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/glance.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/report/plain_words.h"
#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::run {
namespace {

constexpr std::size_t kLearningBack = 200;  // steps
constexpr double kFlat = 0.01;              // a change of the loss below this share is none
constexpr double kLargestShare = 10;        // from here on a change is a multiple, not a percentage

QString say(const char* text) { return QCoreApplication::translate("Glance", text); }
QString count(qint64 value) { return models::figure(report::count_words(value)); }
QString nameOf(const ArmData& arm) { return models::isolated(QString::fromStdString(arm.arm().start.name)); }

bool isReference(const ArmData& arm) { return arm.arm().start.kind == record::TrialKind::Reference; }

QString multiple(double value) { return plot::multipleText(value); }

/// "reference and bf16 are finite": those of whom nothing else is said.
QString finiteWords(const std::vector<const ArmData*>& arms) {
  if (arms.empty()) return {};
  if (arms.size() == 1) return say(" %1 is finite.").arg(nameOf(*arms[0]));
  if (arms.size() == 2) return say(" %1 and %2 are finite.").arg(nameOf(*arms[0]), nameOf(*arms[1]));
  return say(" %1 others are finite.").arg(count(static_cast<qint64>(arms.size())));
}

/// "NaN", "+∞"; "non-finite" where there are several kinds.
QString kindWords(const plot::SeriesData& values) {
  const std::vector<plot::NonFiniteRun>& runs = values.nonFinite();
  const bool same =
      std::all_of(runs.begin(), runs.end(), [&](const plot::NonFiniteRun& run) { return run.kind == runs[0].kind; });
  return same ? plot::nonFiniteText(runs[0].kind) : say("non-finite");
}

Statement finite(const RunData& data) {
  Statement statement{say("Finite"), {}, {}, {}, Statement::State::Unknown};
  if (data.steps() == 0) return statement;
  // Outputs are looked at where every loss is finite: a loss may hide them.
  for (const Quantity quantity : {Quantity::Loss, kMainDeviation}) {
    std::vector<const ArmData*> others;
    const ArmData* worst = nullptr;
    qint64 all = 0;
    qint64 arms = 0;
    for (const ArmData* const arm : data.shown()) {
      const qint64 count = arm->nonFinite(quantity);
      all += count;
      if (count > 0) ++arms;
      if (count == 0) {
        others.push_back(arm);
      } else if (worst == nullptr || count > worst->nonFinite(quantity)) {
        worst = arm;
      }
    }
    if (worst == nullptr) continue;
    statement.state = Statement::State::Bad;
    const QString kind = arms == 1 ? kindWords(*worst->series(quantity)) : say("non-finite");
    const bool isLoss = quantity == Quantity::Loss;
    const QString what = all == 1 ? (isLoss ? say("%1 %2 loss") : say("%1 %2 output deviation"))
                                  : (isLoss ? say("%1 %2 losses") : say("%1 %2 output deviations"));
    const QString found = what.arg(count(all), kind);
    statement.answer =
        arms == 1 ? say("%1 in %2").arg(found, nameOf(*worst)) : say("%1 in %2 arms").arg(found, count(arms));
    const QString step = count(worst->firstNonFinite(quantity));
    statement.detail = arms > 1 ? say("%1 first at step %2.").arg(nameOf(*worst), step)
                                : (all == 1 ? say("Step %1.") : say("First at step %1.")).arg(step);
    statement.shorterAnswers = {found};
    statement.shorterDetails = {statement.detail, say("step %1").arg(step)};
    statement.detail += finiteWords(others);
    return statement;
  }
  statement.state = Statement::State::Good;
  statement.answer = say("all losses finite");
  statement.shorterAnswers = {say("all finite")};
  statement.help = say("An arm is one training: the reference or one trial.");
  const auto arms = data.shown().size();
  const QString steps = data.steps() == 1 ? say("1 step") : say("%1 steps").arg(count(data.steps()));
  statement.detail =
      arms == 1 ? say("%1, 1 arm").arg(steps) : say("%1, %2 arms").arg(steps, count(static_cast<qint64>(arms)));
  return statement;
}

Statement unknown(const QString& question) { return {question, {}, {}, {}, Statement::State::Unknown}; }

Statement skipping(const RunData& data) {
  Statement statement{say("Skipping"), {}, {}, {}, Statement::State::Unknown};
  const ArmData* worst = nullptr;
  bool isOfAll = true;
  for (const ArmData* const arm : data.shown()) {
    if (arm->counters().attempted == 0) {  // the reference of a run that was made elsewhere, for instance
      isOfAll = false;
      continue;
    }
    if (worst == nullptr || arm->counters().skipped > worst->counters().skipped) worst = arm;
  }
  if (worst == nullptr || data.steps() == 0) return statement;
  const Counters& counters = worst->counters();
  statement.answer = models::skipText(counters.skipped, counters.attempted);
  statement.state = Statement::State::Good;
  if (counters.skipped == 0) {
    statement.shorterAnswers = {say("none of %1").arg(count(counters.attempted))};
    statement.detail = data.shown().size() == 1 ? say("in the reference")
                       : isOfAll                ? say("in every arm")
                                                : say("in %1").arg(nameOf(*worst));
    return statement;
  }
  const Skip& last = worst->skips().back();
  const QString share = models::figure(report::share_words(counters.skipped, counters.attempted));
  const QString shareOfAll = say("%1 of %2").arg(count(counters.skipped), count(counters.attempted));
  statement.shorterAnswers = {say("%1 (%2)").arg(shareOfAll, share), shareOfAll, share};
  statement.shorterDetails = {say("%1, last at step %2").arg(nameOf(*worst), count(last.step)),
                              say("last at step %1").arg(count(last.step)), say("step %1").arg(count(last.step))};
  statement.detail = say("%1, last at step %2: %3").arg(nameOf(*worst), count(last.step), causeWords(last.cause));
  if (last.cause == record::SkipCause::Overflow && last.sinceGrowth) {
    statement.detail = say("%1, %2").arg(statement.detail, growthWords(last));
  }
  // A scale that finds its level at the start, or probes a higher one, is doing its work.
  const qint64 ordinary =
      worst->skipsBy(record::SkipCause::Calibration) + worst->skipsBy(record::SkipCause::GrowthProbe);
  if (counters.skipped * 2 > counters.attempted) {
    statement.state = Statement::State::Bad;
  } else if (ordinary < counters.skipped) {
    statement.state = Statement::State::Warn;
  }
  return statement;
}

QString sentenceCase(QString words) {
  words[0] = words[0].toUpper();
  return words;
}

QString stepsWords(std::size_t steps) {
  return steps == 1 ? say("1 step") : say("%1 steps").arg(count(static_cast<qint64>(steps)));
}

/// What is said is not the newest value, which charts and counters tell.
QString meanWords(std::size_t steps) { return say("mean of %1").arg(stepsWords(steps)); }

/// How far an arm deviates, over its newest steps.
struct Deviation {
  const ArmData* arm = nullptr;
  double size = 0;
  std::size_t steps = 0;
};

constexpr qint64 kStaysFor = 50;   // steps: a mean over the newest is a new one then
constexpr double kMuchMore = 0.1;  // a deviation larger by this share of it

/// What is said of one arm, and how bad it is.
struct Candidate {
  const ArmData* arm = nullptr;
  double badness = 0;
};

/// The worst one; the one before stays while no other is worse by `margin`, or has not been for long.
std::size_t choose(const std::vector<Candidate>& candidates, double margin, qint64 step, GlanceMemory::Chosen* before) {
  const auto worse = [](const Candidate& a, const Candidate& b) { return a.badness < b.badness; };
  const auto worst = std::max_element(candidates.begin(), candidates.end(), worse);
  if (before == nullptr) return static_cast<std::size_t>(worst - candidates.begin());
  const auto same = std::find_if(candidates.begin(), candidates.end(),
                                 [&](const Candidate& one) { return one.arm->arm().id == before->arm; });
  const bool wentBack = step < before->since;
  const bool stays = same != candidates.end() && !wentBack &&
                     (worst->badness <= same->badness + margin || step < before->since + kStaysFor);
  if (stays) return static_cast<std::size_t>(same - candidates.begin());
  *before = {worst->arm->arm().id, step};
  return static_cast<std::size_t>(worst - candidates.begin());
}

/// The largest first.
std::vector<Deviation> deviations(const RunData& data) {
  std::vector<Deviation> found;
  for (const ArmData* const arm : data.shown()) {
    const std::optional<RecentMean> mean = arm->recentMean(kMainDeviation);
    if (!isReference(*arm) && mean) found.push_back({arm, mean->value, mean->count});
  }
  std::stable_sort(found.begin(), found.end(), [](const Deviation& a, const Deviation& b) { return a.size > b.size; });
  return found;
}

/// The tightest limit that a rule sets in multiples of the run-to-run spread.
std::optional<double> limitOf(const spec::Experiment* experiment) {
  std::optional<double> limit;
  if (experiment == nullptr || !experiment->rules) return limit;
  for (const spec::OutputRule& rule : experiment->rules->output) {
    if (rule.of == spec::Of::Trained && rule.max_spread && rule.output.empty())
      limit = std::min(limit.value_or(*rule.max_spread), *rule.max_spread);
  }
  return limit;
}

/// Of which comparison the number is, and that it is a mean: charts and counters beside it tell newest values, and may
/// show the other comparison. \param measure  what it is measured by
QString deviationWords(const QString& mean, const QString& measure, bool showsShadow) {
  return (showsShadow ? say("Output RMSE of the trajectory, not of the shadow in the charts, %1, %2")
                      : say("Output RMSE of the trajectory, %1, %2"))
      .arg(mean, measure);
}

QStringList shorterDeviationWords(const QString& mean, const QString& measure, bool showsShadow) {
  QStringList words = {say("Trajectory, %1, %2").arg(mean, measure)};
  if (showsShadow) return words << say("trajectory, %1").arg(mean) << say("trajectory, mean");
  return words << say("%1, %2").arg(sentenceCase(mean), measure) << mean;
}

QString deviationHelp(std::size_t steps, bool showsShadow) {
  const QString help =
      (steps == 1
           ? say("Of the newest compared step, over the trajectory: both runs as they went, rounding and what it "
                 "led to.")
           : say("The mean of the newest %1 compared steps of the trajectory: both runs as they went, rounding "
                 "and what it led to. Charts and counters tell the newest step alone.")
                 .arg(count(static_cast<qint64>(steps))));
  if (!showsShadow) return help;
  return help + u' ' + say("The charts show the shadow: the same weights in both precisions, rounding alone.");
}

Statement deviating(const RunData& data, const Standing& standing, GlanceMemory::Chosen* before) {
  Statement statement{say("Deviating"), {}, {}, {}, Statement::State::Unknown};
  statement.beginsWithName = true;
  for (const ArmData* const arm : data.shown()) {
    const auto measured = arm->series(kMainDeviation);
    const double newest = measured->empty() ? 0 : measured->y(measured->size() - 1);
    if (std::isfinite(newest)) continue;
    statement.answer = say("%1 by %2").arg(nameOf(*arm), plot::valueText(newest));
    statement.detail = say("Newest output RMSE of the trajectory.");
    statement.shorterAnswers = {plot::valueText(newest)};
    statement.shorterDetails = {say("output RMSE"), say("RMSE")};
    statement.state = Statement::State::Bad;
    return statement;
  }
  std::vector<Deviation> found = deviations(data);
  if (found.empty()) return statement;
  std::vector<Candidate> candidates;
  for (const Deviation& one : found) candidates.push_back({one.arm, one.size});
  const std::size_t chosen = choose(candidates, kMuchMore * found.front().size, data.steps(), before);
  std::rotate(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(chosen),
              found.begin() + static_cast<std::ptrdiff_t>(chosen) + 1);
  const std::optional<Yardstick> yardstick = data.yardstick(kMainDeviation);
  const double unit = yardstick && yardstick->isUsable() ? yardstick->size : 0;
  const Deviation& worst = found.front();
  const QString mean = meanWords(worst.steps);
  statement.help = deviationHelp(worst.steps, standing.showsShadow);
  QString others;
  if (found.size() == 2) {
    const Deviation& other = found[1];
    others = unit > 0 ? say(" %1 at %2.").arg(nameOf(*other.arm), multiple(other.size / unit))
                      : say(" %1 by %2.").arg(nameOf(*other.arm), plot::valueText(other.size));
  } else if (found.size() > 2) {
    others = chosen == 0 ? say(" %1 others below.").arg(count(qint64(found.size()) - 1))
                         : say(" %1 others besides.").arg(count(qint64(found.size()) - 1));
  }
  if (unit == 0) {
    statement.state = Statement::State::Plain;
    statement.answer = say("%1 by %2").arg(nameOf(*worst.arm), plot::valueText(worst.size));
    const QString none = say("no yardstick");
    statement.detail = deviationWords(mean, none, standing.showsShadow) + QStringLiteral(".") + others;
    statement.shorterAnswers = {plot::valueText(worst.size)};
    statement.shorterDetails = shorterDeviationWords(mean, none, standing.showsShadow);
    return statement;
  }
  const double times = worst.size / unit;
  statement.answer = say("%1 at %2 × spread").arg(nameOf(*worst.arm), multiple(times));
  statement.shorterAnswers = {say("%1 at %2 ×").arg(nameOf(*worst.arm), multiple(times)),
                              say("%1 × spread").arg(multiple(times)), say("%1 ×").arg(multiple(times))};
  const std::optional<double> limit = limitOf(standing.experiment);
  const bool isBeyond = limit && times > *limit;
  statement.state = isBeyond ? Statement::State::Bad : times > 1 ? Statement::State::Warn : Statement::State::Good;
  QString judged;
  if (limit) {
    judged = (isBeyond ? say("beyond the limit, %1 × spread") : say("within the limit, %1 × spread"))
                 .arg(numberText(*limit));
  } else if (yardstick->repeats == 1) {
    judged = times > 1 ? say("beyond what one repeat does") : say("within what one repeat does");
  } else {
    judged = (times > 1 ? say("beyond what %1 repeats do") : say("within what %1 repeats do")).arg(yardstick->repeats);
  }
  statement.detail = deviationWords(mean, judged, standing.showsShadow) + QStringLiteral(".") + others;
  const QString measure = limit                     ? say("limit %1 ×").arg(numberText(*limit))
                          : yardstick->repeats == 1 ? say("1 repeat")
                                                    : say("%1 repeats").arg(yardstick->repeats);
  statement.shorterDetails = shorterDeviationWords(mean, measure, standing.showsShadow);
  return statement;
}

/// How the loss of an arm has changed.
struct Change {
  double share = 0;
  RecentMean loss;
  std::size_t steps = 0;
  bool wasAboveZero = true;
};

constexpr qint64 kCalibration = 20;  // steps: a scale of 2^16 that finds its level skips fewer

/// An arm whose every update was refused: its weights are those that it began with, whatever its loss does.
const ArmData* neverUpdated(const RunData& data, bool running) {
  const auto stands = [running](const ArmData* arm) {
    const Counters& counters = arm->counters();
    const bool hadTime = !running || counters.attempted >= kCalibration;
    const bool hasOneOptimizer = arm->skips().empty() || arm->skips().back().optimizers.empty();
    return hadTime && hasOneOptimizer && counters.applied == 0 && counters.skipped > 0 &&
           counters.skipped >= counters.attempted;
  };
  const auto& arms = data.shown();
  const auto found = std::find_if(arms.begin(), arms.end(), stands);
  return found != arms.end() ? *found : nullptr;
}

constexpr qint64 kUnderflow = 10;  // steps without a gradient: one alone may be a batch that is fitted exactly

constexpr qint64 kManyOf = 10;  // from one in so many steps on, gradients of zero are no accident

/// An arm whose gradients are gone, or often are, while the reference has some: updates are applied, and change
/// nothing.
const ArmData* withoutGradients(const RunData& data) {
  const auto isOften = [](const ArmData& arm) {
    return arm.gradients().zero >= kUnderflow && arm.gradients().zero * kManyOf >= arm.counters().attempted;
  };
  const ArmData* found = nullptr;
  for (const ArmData* const arm : data.shown()) {
    const GradientCount& gradients = arm->gradients();
    if (isReference(*arm) && (gradients.zeroAtEnd > 0 || isOften(*arm))) return nullptr;  // it learns nothing, either
    const bool isWorse = found == nullptr || gradients.zero > found->gradients().zero;
    if ((gradients.zeroAtEnd >= kUnderflow || isOften(*arm)) && isWorse) found = arm;
  }
  return found;
}

/// "fp16: gradients 0 in 1,121 of 1,500 steps", and since when there was no other.
void tellGradients(const ArmData& arm, Statement* statement) {
  const GradientCount& gradients = arm.gradients();
  const bool areGone = gradients.zeroAtEnd >= kUnderflow;
  statement->state = areGone ? Statement::State::Bad : Statement::State::Warn;
  statement->beginsWithName = true;
  const QString share = say("%1 of %2").arg(count(gradients.zero), count(arm.counters().attempted));
  statement->answer = say("%1: gradients 0 in %2 steps").arg(nameOf(arm), share);
  statement->shorterAnswers = {say("gradients 0 in %1 steps").arg(share), say("gradients 0 in %1").arg(share),
                               say("gradients 0: %1").arg(share)};
  const QString step = count(gradients.lastNonZero);
  const QString words =
      say("Exactly zero, as when they underflow: updates are applied, and the weights learn nothing.");
  if (gradients.lastNonZero == 0) {
    statement->detail = say("%1 No step had others.").arg(words);
    statement->shorterDetails = {say("exactly zero from the first step on"), say("from the first step on")};
  } else if (areGone) {
    statement->detail = say("%1 None but zero or non-finite since step %2.").arg(words, step);
    statement->shorterDetails = {say("none but 0 since step %1").arg(step), say("since step %1").arg(step)};
  } else {
    statement->detail = say("%1 The last others at step %2.").arg(words, step);
    statement->shorterDetails = {say("last others at step %1").arg(step), say("others at step %1").arg(step)};
  }
}

Statement learning(const RunData& data, bool running, GlanceMemory::Chosen* before) {
  Statement statement{say("Learning"), {}, {}, {}, Statement::State::Unknown};
  if (const ArmData* const arm = neverUpdated(data, running)) {
    statement.state = Statement::State::Bad;
    statement.answer = say("%1 never updated").arg(nameOf(*arm));
    statement.beginsWithName = true;
    const qint64 steps = arm->counters().attempted;
    statement.shorterAnswers = {say("never updated")};
    statement.shorterDetails = {say("all %1 skipped").arg(stepsWords(static_cast<std::size_t>(steps))),
                                say("%1 skipped").arg(count(steps))};
    statement.detail =
        steps == 1 ? say("Its only step was skipped: its weights are still the initial ones.")
                   : say("All its %1 steps were skipped: its weights are still the initial ones.").arg(count(steps));
    return statement;
  }
  if (const ArmData* const arm = withoutGradients(data)) {
    tellGradients(*arm, &statement);
    return statement;
  }
  std::vector<Candidate> candidates;
  std::vector<Change> changes;
  for (const ArmData* const arm : data.shown()) {
    if (const std::optional<double> newest = arm->counters().loss; newest && !std::isfinite(*newest)) {
      statement.answer = say("loss %1").arg(plot::valueText(*newest));
      statement.detail = say("%1, at its last step").arg(nameOf(*arm));
      statement.state = Statement::State::Bad;
      return statement;
    }
    const std::size_t size = arm->series(Quantity::Loss)->size();
    const std::size_t back = std::min(kLearningBack, size / 2);
    const std::optional<RecentMean> now = arm->recentMean(Quantity::Loss);
    const std::optional<RecentMean> earlier = arm->recentMean(Quantity::Loss, back);
    if (!now || !earlier || back == 0 || earlier->value == 0) continue;
    const double change = (now->value - earlier->value) / std::abs(earlier->value);
    candidates.push_back({arm, change});
    changes.push_back({change, *now, back, earlier->value > 0});
  }
  if (candidates.empty()) return statement;
  // The arm whose loss falls least.
  const std::size_t chosen = choose(candidates, kFlat, data.steps(), before);
  const ArmData* const worst = candidates[chosen].arm;
  const auto& [worstChange, worstLoss, steps, worstWasAboveZero] = changes[chosen];
  // "8,348 % higher" is read by nobody.
  // Of a negative loss there are no multiples: its change is one of its size.
  const bool isMultiple = worstChange >= kLargestShare && worstWasAboveZero;
  const QString share = isMultiple ? multiple(1 + worstChange)
                                   : decimalText(std::abs(worstChange) * 100, std::abs(worstChange) < 0.1 ? 1 : 0);
  if (worstChange < -kFlat) {
    statement.state = Statement::State::Good;
    statement.answer = say("mean loss %1, falling");
    statement.detail = say("%1 over %2: %3 % lower than %4");
  } else if (worstChange <= kFlat) {
    statement.state = Statement::State::Plain;
    statement.answer = say("mean loss %1, level");
    statement.detail = worstChange < 0 ? say("%1 over %2: %3 % lower than %4") : say("%1 over %2: %3 % higher than %4");
  } else {
    statement.state = Statement::State::Warn;
    statement.answer = say("mean loss %1, rising");
    statement.detail = isMultiple ? say("%1 over %2: %3 times that of %4") : say("%1 over %2: %3 % higher than %4");
  }
  const QString trend = worstChange < -kFlat ? say("falling") : worstChange <= kFlat ? say("level") : say("rising");
  statement.shorterAnswers = {say("loss %1, %2").arg(plot::valueText(worstLoss.value), trend),
                              say("%1, %2").arg(plot::valueText(worstLoss.value), trend)};
  const QString lower = (isMultiple        ? say("%1 times as high")
                         : worstChange < 0 ? say("%1 % lower")
                                           : say("%1 % higher"))
                            .arg(share);
  statement.shorterDetails = {say("%1: %2 in %3").arg(nameOf(*worst), lower, stepsWords(steps)),
                              say("%1 in %2").arg(lower, stepsWords(steps)), lower};
  const QString ago = say("%1 ago").arg(stepsWords(steps));
  statement.answer = statement.answer.arg(plot::valueText(worstLoss.value));
  statement.detail = statement.detail.arg(nameOf(*worst), stepsWords(worstLoss.count), share, ago);
  // A mean that leaves steps out says how many.
  if (const qint64 left = worst->nonFinite(Quantity::Loss); left > 0) {
    statement.detail +=
        say("; over finite steps, %1 non-finite of %2").arg(count(left), count(worst->counters().attempted));
  }
  return statement;
}

/// How what is over has ended: by the reference, which every run has.
QString endWords(const std::vector<const ArmData*>& arms) {
  const record::Status status = arms.front()->arm().end.status;
  return status == record::Status::Running ? say("not running") : models::statusText(status);
}

/// Whether it is over, be it without a step: an experiment may only compare its arms as they begin.
bool hasEnded(const std::vector<const ArmData*>& arms) {
  return arms.front()->arm().end.status != record::Status::Running;
}

/// "360 steps left".
QString stepsLeft(qint64 left) { return left == 1 ? say("1 step left") : say("%1 steps left").arg(count(left)); }

/// The verdicts of a run that is over, the worst first; nothing where there is none.
std::optional<Statement> outcome(const RunData& data) {
  std::array<std::vector<const ArmData*>, 3> by;  // rejected, undecided, accepted
  for (const ArmData* const arm : data.shown()) {
    const std::optional<record::Verdict>& verdict = arm->arm().end.verdict;
    if (!verdict) continue;
    by[verdict->word == record::VerdictWord::Rejected    ? 0
       : verdict->word == record::VerdictWord::Undecided ? 1
                                                         : 2]
        .push_back(arm);
  }
  const std::size_t all = by[0].size() + by[1].size() + by[2].size();
  if (all == 0) return std::nullopt;
  const std::size_t worst = !by[0].empty() ? 0 : !by[1].empty() ? 1 : 2;
  const std::vector<const ArmData*>& arms = by[worst];
  const char* const one[] = {QT_TRANSLATE_NOOP("Glance", "%1 rejected"), QT_TRANSLATE_NOOP("Glance", "%1 undecided"),
                             QT_TRANSLATE_NOOP("Glance", "%1 accepted")};
  constexpr Statement::State kStates[] = {Statement::State::Bad, Statement::State::Undecided, Statement::State::Good};
  Statement statement{say("Outcome"), {}, {}, {}, kStates[worst]};
  statement.beginsWithName = arms.size() == 1;
  statement.answer = say(one[worst])
                         .arg(arms.size() == 1 ? nameOf(*arms[0])
                                               : say("%1 of %2").arg(count(qint64(arms.size())), count(qint64(all))));
  QStringList reasons;
  for (const ArmData* const arm : arms) {
    const QString reason = models::verdictReason(*arm->arm().end.verdict);
    if (!reason.isEmpty()) reasons << (arms.size() == 1 ? reason : say("%1: %2").arg(nameOf(*arm), reason));
  }
  statement.detail = reasons.join(QStringLiteral("; "));
  return statement;
}

/// "in 140 steps, at step 500".
QString stopWords(qint64 step, const Standing& standing) {
  if (!standing.stopStep) return say("where the present step ends");
  const qint64 left = std::max<qint64>(0, *standing.stopStep - step);
  const QString at = count(*standing.stopStep);
  return left == 1 ? say("in 1 step, at step %1").arg(at) : say("in %1 steps, at step %2").arg(count(left), at);
}

/// How much of an archive is here.
Statement reading(const RunData& data, const Standing& standing) {
  Statement statement{say("Archive"), {}, {}, {}, Statement::State::Plain};
  const qint64 step = data.steps();
  qint64 all = 0;
  for (const ArmData* const arm : data.shown()) all = std::max<qint64>(all, arm->arm().end.counts.attempted);
  if (all == 0) all = standing.plannedSteps;
  const bool isPart = all > step;
  if (standing.cannotBeRead) {
    statement.state = Statement::State::Warn;
    statement.answer = say("cannot be read");
    statement.detail = isPart ? say("%1 of %2 steps are here").arg(count(step), count(all))
                              : say("%1 are here").arg(stepsWords(static_cast<std::size_t>(step)));
    return statement;
  }
  const QString steps = isPart ? say("%1 of %2").arg(count(step), count(all)) : count(step);
  statement.answer = say("Reading %1 steps").arg(steps);
  statement.shorterAnswers = {say("Reading %1").arg(steps), steps};
  statement.detail = say("from the archive");
  return statement;
}

Statement timeLeft(const RunData& data, const Standing& standing) {
  if (standing.isBeingRead || standing.cannotBeRead) return reading(data, standing);
  Statement statement{say("Time left"), {}, {}, {}, Statement::State::Plain};
  const qint64 step = data.steps();
  std::optional<double> elapsed;
  for (const ArmData* const arm : data.shown()) {
    const std::optional<double> seconds = arm->counters().seconds;
    if (seconds && std::isfinite(*seconds)) elapsed = std::max(elapsed.value_or(0.0), *seconds);
  }
  std::optional<double> remaining = standing.remainingSeconds;
  const qint64 left = std::max<qint64>(0, standing.plannedSteps - step);
  if (!remaining && standing.plannedSteps > 0 && step > 0 && elapsed) {
    remaining = *elapsed / static_cast<double>(step) * static_cast<double>(left);
  }
  const bool isKnown = remaining && std::isfinite(*remaining) && *remaining > 0;
  const QString duration = isKnown ? models::figure(report::duration_words(*remaining)) : QString();
  QStringList details;
  if (standing.paused) {
    statement.answer = say("paused at step %1").arg(count(step));
    if (standing.plannedSteps > 0) details << stepsLeft(left);
    if (isKnown) details << duration;
  } else if (standing.running && standing.waitsForArchive) {
    statement.answer = say("waiting for the archive");
    statement.state = Statement::State::Warn;
    if (step > 0) details << say("shown up to step %1").arg(count(step));
    details << say("nothing is lost");
  } else if (standing.running && standing.stopsAtCheckpoint) {
    statement.answer = say("stopping at the next checkpoint");
    details << stopWords(step, standing);
  } else if (standing.running && standing.silentSeconds) {
    // What was foretold of the steps before says nothing of one that does not end.
    const QString since = count(*standing.silentSeconds);
    statement.state = Statement::State::Warn;
    statement.answer =
        standing.trains ? say("no step for %1 s").arg(since) : say("%1 for %2 s").arg(standing.phase, since);
    if (step > 0) details << say("step %1 was the last").arg(count(step));
    if (standing.plannedSteps > 0 && step > 0) details << stepsLeft(left);
  } else if (standing.running) {
    statement.answer = isKnown ? duration : standing.phase;
    if (statement.answer.isEmpty()) statement.answer = say("running");
    if (elapsed && *elapsed > 0) {
      // The one that the time left rests on, where there is one: of what this process has made since it began.
      const QString speed = plot::valueText(isKnown && left > 0 ? static_cast<double>(left) / *remaining
                                                                : static_cast<double>(step) / *elapsed);
      const QString since = models::figure(report::duration_words(*elapsed));
      details << say("%1 steps/s").arg(speed);
      statement.shorterDetails = {say("%1 steps/s, %2").arg(speed, since), say("%1/s, %2").arg(speed, since),
                                  say("%1/s").arg(speed)};
    }
    if (elapsed) details << say("%1 elapsed").arg(models::figure(report::duration_words(*elapsed)));
    if (details.isEmpty() && step > 0) details << say("step %1").arg(count(step));
  } else if (!data.shown().empty() && (step > 0 || hasEnded(data.shown()))) {
    statement.answer = standing.brokenWords.isEmpty() ? endWords(data.shown()) : standing.brokenWords;
    if (!standing.brokenWords.isEmpty()) statement.state = Statement::State::Bad;
    const QString steps =
        standing.plannedSteps > 0 ? say("%1 of %2").arg(count(step), count(standing.plannedSteps)) : count(step);
    QString made = step == 0                   ? say("without a step")
                   : standing.plannedSteps > 0 ? say("%1 of %2 steps").arg(count(step), count(standing.plannedSteps))
                   : step == 1                 ? say("1 step")
                                               : say("%1 steps").arg(count(step));
    if (elapsed && *elapsed > 0) made = say("%1 in %2").arg(made, models::figure(report::duration_words(*elapsed)));
    if (const std::optional<Statement> verdicts = outcome(data)) {
      statement = *verdicts;
      if (!statement.detail.isEmpty()) statement.shorterDetails << statement.detail;
      made = say("%1, %2").arg(endWords(data.shown()), made);
      statement.shorterDetails << made;
      if (!statement.detail.isEmpty()) made = say("%1; %2").arg(statement.detail, made);
    }
    details << made;
    if (step > 0) statement.shorterDetails << say("%1 steps").arg(steps) << steps;
  } else {
    statement.state = Statement::State::Unknown;
  }
  statement.detail = details.join(QStringLiteral(", "));
  return statement;
}

}  // namespace

std::array<Statement, kStatements> glance(const RunData& data, const Standing& standing, GlanceMemory* memory) {
  if (!standing.running) memory = nullptr;  // what is over is told as it is
  if (standing.isBeingRead || standing.cannotBeRead) {
    // Where it stands at a step in its midst is no trend, and nothing that it came to.
    return {finite(data), skipping(data), unknown(say("Deviating")), unknown(say("Learning")),
            timeLeft(data, standing)};
  }
  return {finite(data), skipping(data), deviating(data, standing, memory != nullptr ? &memory->deviating : nullptr),
          learning(data, standing.running, memory != nullptr ? &memory->learning : nullptr), timeLeft(data, standing)};
}

}  // namespace mantissa::ui::run
