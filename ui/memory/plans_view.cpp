// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/plans_view.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/number_text.h"
#include "ui/measured_text.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::memory {
namespace {

using plot::RowsCell;

QString say(const char* text) { return QCoreApplication::translate("MemoryPlans", text); }

QString decimals(double value, int count) { return decimalText(value, count); }

/// Three decimals are what a step of a second is compared by; shorter ones need more.
QString secondsText(double seconds) { return seconds >= 0.1 ? decimals(seconds, 3) : plot::valueText(seconds); }

QString exactNumber(double value) { return QString::fromStdString(to_text(value)); }

/// A deadline of whole hours is said as it is typed: "8 h".
QString deadlineWords(double seconds) {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  if (seconds <= 0 || seconds >= kDay || std::fmod(seconds, kHour) != 0) return durationText(seconds);
  return say(QT_TRANSLATE_NOOP("MemoryPlans", "%1 h")).arg(countText(static_cast<std::int64_t>(seconds / kHour)));
}

struct Maker {
  PlansSubject subject;
  std::vector<engine::Plan> plans;
  std::optional<std::size_t> best;
  ByteScale scale;     // of peaks
  ByteScale headroom;  // of what is left of the device

  bool isNow(const engine::Plan& plan) const {
    return plan.option == subject.option && plan.microbatch == subject.microbatch &&
           plan.accumulation == subject.accumulation;
  }

  RowsCell cell(int row, int column) const {
    const auto place = static_cast<std::size_t>(row);
    const engine::Plan& plan = plans[place];
    const bool isBest = best == place;
    RowsCell cell = plain(plan, static_cast<PlanColumn>(column), isBest);
    cell.isBold = isBest && column == static_cast<int>(PlanColumn::Plan);
    return cell;
  }

  QString timeTip(const engine::Plan& plan) const {
    const bool isTyped = plan.option < subject.areTimesTyped.size() && subject.areTimesTyped[plan.option];
    if (plan.timed) {
      return isTyped ? say(QT_TRANSLATE_NOOP("MemoryPlans", "Typed"))
                     : say(QT_TRANSLATE_NOOP("MemoryPlans", "Measured here, on the CPU"));
    }
    return isTyped ? say(QT_TRANSLATE_NOOP("MemoryPlans", "Worked out from the times that were typed"))
                   : say(QT_TRANSLATE_NOOP("MemoryPlans", "Worked out from times that were measured here, on the CPU"));
  }

  RowsCell plain(const engine::Plan& plan, PlanColumn column, bool isBest) const {
    const QString none = plot::notMeasuredText();
    switch (column) {
      case PlanColumn::Plan: {
        const auto marked = [&](const QString& name) {
          const QString text = isBest ? QStringLiteral("★ ") + name : name;
          return isNow(plan) ? text + QStringLiteral(" · ") + say(QT_TRANSLATE_NOOP("MemoryPlans", "now")) : text;
        };
        RowsCell cell{marked(subject.names[plan.option])};
        cell.shortText = marked(subject.shortNames[plan.option]);
        return cell;
      }
      case PlanColumn::Microbatch:
        return {countText(plan.microbatch), QString::number(plan.microbatch)};
      case PlanColumn::Accumulation:
        return {countText(plan.accumulation), QString::number(plan.accumulation)};
      case PlanColumn::Checkpointing:
        return {subject.question.options[plan.option].activation_checkpointing
                    ? say(QT_TRANSLATE_NOOP("MemoryPlans", "on"))
                    : say(QT_TRANSLATE_NOOP("MemoryPlans", "off"))};
      case PlanColumn::Peak:
        return {scale.text(plan.peak_bytes), exactBytes(plan.peak_bytes)};
      case PlanColumn::Headroom:
        return {headroom.text(plan.headroom_bytes), exactBytes(plan.headroom_bytes),
                plan.headroom_bytes < 0 ? RowsCell::Tone::Bad : RowsCell::Tone::Plain};
      case PlanColumn::Fits: {
        RowsCell cell{plan.fits ? say(QT_TRANSLATE_NOOP("MemoryPlans", "✓ fits"))
                                : say(QT_TRANSLATE_NOOP("MemoryPlans", "✕ over")),
                      {},
                      plan.fits ? RowsCell::Tone::Good : RowsCell::Tone::Bad};
        cell.shortText = plan.fits ? QStringLiteral("✓") : QStringLiteral("✕");
        return cell;
      }
      case PlanColumn::Update: {
        RowsCell cell{none};
        if (plan.fits && plan.update_seconds) {
          cell = {(plan.timed ? QString() : QStringLiteral("~")) + secondsText(*plan.update_seconds),
                  exactNumber(*plan.update_seconds)};
          cell.tip = timeTip(plan);
        }
        cell.isEditable = plan.fits;
        return cell;
      }
      case PlanColumn::Finish:
        if (!plan.fits || !plan.finish_seconds) return {none};
        return {durationText(*plan.finish_seconds), exactNumber(*plan.finish_seconds)};
      case PlanColumn::Deadline: {
        RowsCell cell{deadlineText(plan), {}, RowsCell::Tone::Faint};
        if (!plan.fits) cell.shortText = say(QT_TRANSLATE_NOOP("MemoryPlans", "not run"));
        if (plan.fits && plan.spare_seconds) {
          const bool isMet = *plan.spare_seconds >= 0;
          cell.tone = isMet ? RowsCell::Tone::Good : RowsCell::Tone::Warn;
          cell.shortText =
              (isMet ? QStringLiteral("✓ ") : QStringLiteral("! \u2212")) + durationText(std::abs(*plan.spare_seconds));
        }
        return cell;
      }
      case PlanColumn::Cost:
        if (!plan.fits || !plan.cost) return {none};
        return {decimals(*plan.cost, 2), exactNumber(*plan.cost)};
    }
    return {};
  }
};

std::vector<plot::RowsColumn> columnsOf(const PlansSubject& subject, const ByteScale& scale,
                                        const ByteScale& headroom) {
  const QString deadline =
      subject.question.deadline_seconds
          ? say(QT_TRANSLATE_NOOP("MemoryPlans", "Deadline %1")).arg(deadlineWords(*subject.question.deadline_seconds))
          : say(QT_TRANSLATE_NOOP("MemoryPlans", "Deadline"));
  // The unit that two columns have is said by the first of them.
  const QString left = headroom.unit == scale.unit
                           ? say(QT_TRANSLATE_NOOP("MemoryPlans", "Headroom"))
                           : say(QT_TRANSLATE_NOOP("MemoryPlans", "Headroom, %1")).arg(headroom.unit);
  std::vector<plot::RowsColumn> columns = {
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "Plan")), {}, false, {}, true},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "Microbatch")), {}, true},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "× Accum.")),
       {},
       true,
       say(QT_TRANSLATE_NOOP("MemoryPlans", "Microbatches of one optimizer step"))},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "Checkpointing")),
       {},
       false,
       say(QT_TRANSLATE_NOOP("MemoryPlans", "Activations of a block are computed again in backward"))},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "Peak, %1")).arg(scale.unit),
       say(QT_TRANSLATE_NOOP("MemoryPlans", "Peak, bytes")), true},
      {left, say(QT_TRANSLATE_NOOP("MemoryPlans", "Headroom, bytes")), true},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "Fits"))},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "s per update")),
       {},
       true,
       say(QT_TRANSLATE_NOOP("MemoryPlans",
                             "Type the time of a step here (F2); other plans are worked out from it, which ~ says. "
                             "An empty cell forgets it"))},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "Finish")), say(QT_TRANSLATE_NOOP("MemoryPlans", "Finish, s")), true},
      {deadline},
      {say(QT_TRANSLATE_NOOP("MemoryPlans", "Cost")), {}, true}};
  const auto shorten = [&columns](PlanColumn column, const char* title) {
    columns[static_cast<std::size_t>(column)].shortTitle = say(title);
  };
  shorten(PlanColumn::Microbatch, QT_TRANSLATE_NOOP("MemoryPlans", "Micro-\nbatch"));
  shorten(PlanColumn::Accumulation, QT_TRANSLATE_NOOP("MemoryPlans", "×\nAcc."));
  shorten(PlanColumn::Checkpointing, QT_TRANSLATE_NOOP("MemoryPlans", "Check-\npoint."));
  shorten(PlanColumn::Update, QT_TRANSLATE_NOOP("MemoryPlans", "s per\nupdate"));
  const auto broken = [](QString title) { return title.replace(QStringLiteral(", "), QStringLiteral(",\n")); };
  plot::RowsColumn& peak = columns[static_cast<std::size_t>(PlanColumn::Peak)];
  peak.shortTitle = broken(peak.title);
  columns[static_cast<std::size_t>(PlanColumn::Headroom)].shortTitle =
      headroom.unit == scale.unit ? say(QT_TRANSLATE_NOOP("MemoryPlans", "Head-\nroom")) : broken(left);
  if (subject.question.deadline_seconds) {
    columns[static_cast<std::size_t>(PlanColumn::Deadline)].shortTitle =
        say(QT_TRANSLATE_NOOP("MemoryPlans", "Deadline\n%1")).arg(deadlineWords(*subject.question.deadline_seconds));
  }
  return columns;
}

bool hasTimes(const PlansSubject& subject) {
  return std::any_of(subject.question.options.begin(), subject.question.options.end(),
                     [](const engine::PlanOption& option) { return !option.timed.empty(); });
}

bool isTyped(const PlansSubject& subject, std::size_t option) {
  return option < subject.areTimesTyped.size() && subject.areTimesTyped[option];
}

/// Where the times come from.
QString timesText(const PlansSubject& subject) {
  bool anyTyped = false;
  bool anyMeasured = false;
  for (std::size_t i = 0; i < subject.question.options.size(); ++i) {
    if (subject.question.options[i].timed.empty()) continue;
    (isTyped(subject, i) ? anyTyped : anyMeasured) = true;
  }
  if (!anyMeasured) return say(QT_TRANSLATE_NOOP("MemoryPlans", "fastest that fits first, times typed"));
  if (!anyTyped) return say(QT_TRANSLATE_NOOP("MemoryPlans", "fastest that fits first, times measured here"));
  return say(QT_TRANSLATE_NOOP("MemoryPlans", "fastest that fits first, some times typed, others measured here"));
}

}  // namespace

namespace {

/// What the first place rests on, besides times that were given; empty: on nothing else.
QString assumptionText(const ShownPlans& plans, const engine::Plan& best) {
  if (best.assumed) return say(QT_TRANSLATE_NOOP("MemoryPlans", "same time assumed"));
  if (!best.timed) return say(QT_TRANSLATE_NOOP("MemoryPlans", "worked out"));
  const bool isTied = std::any_of(plans.plans.begin(), plans.plans.end(), [&best](const engine::Plan& plan) {
    return plan.fits && plan.assumed && plan.update_seconds == best.update_seconds;
  });
  return isTied ? say(QT_TRANSLATE_NOOP("MemoryPlans", "others assumed the same")) : QString();
}

}  // namespace

ShownPlans shownPlans(const PlansSubject& subject, const engine::Plans& plans) {
  ShownPlans shown;
  std::int64_t largest = 0;
  for (const engine::Plan& plan : plans.plans) largest = std::max(largest, plan.fits ? plan.peak_bytes : 0);
  const ByteScale headroom = ByteScale::of(subject.question.usable_bytes);
  const ByteScale scale = largest > 0 ? ByteScale::of(largest) : headroom;
  shown.title = say(QT_TRANSLATE_NOOP("MemoryPlans", "Plans for an effective batch of %1"))
                    .arg(countText(subject.question.effective_batch));
  const auto count = static_cast<std::int64_t>(plans.plans.size());
  const QString number = count == 1 ? say(QT_TRANSLATE_NOOP("MemoryPlans", "1 plan"))
                                    : say(QT_TRANSLATE_NOOP("MemoryPlans", "%1 plans")).arg(countText(count));
  QString times = say(QT_TRANSLATE_NOOP("MemoryPlans", "no times: type one into a cell of s per update"));
  if (hasTimes(subject)) {
    times = timesText(subject);
    if (subject.question.updates > 0) {
      times =
          say(QT_TRANSLATE_NOOP("MemoryPlans", "%1 for %2 updates")).arg(times, countText(subject.question.updates));
    }
  }
  shown.note = number + QStringLiteral(" · ") + times;
  shown.columns = columnsOf(subject, scale, headroom);
  shown.rows = static_cast<int>(plans.plans.size());
  shown.plans = plans.plans;
  for (const engine::PlanOption& option : subject.question.options) {
    shown.checkpointing.push_back(option.activation_checkpointing);
  }
  shown.names = subject.names;
  shown.best = plans.best;
  const auto maker = std::make_shared<const Maker>(Maker{subject, plans.plans, plans.best, scale, headroom});
  shown.cell = [maker](int row, int column) { return maker->cell(row, column); };
  return shown;
}

shell::Statement fastestStatement(const PlansSubject& subject, const ShownPlans& plans) {
  shell::Statement statement;
  statement.question = say(QT_TRANSLATE_NOOP("MemoryPlans", "Fastest plan"));
  if (!plans.emptyText.isEmpty()) {
    statement.detail = plans.emptyText;
    return statement;
  }
  if (!plans.best) {
    const bool anyFits =
        std::any_of(plans.plans.begin(), plans.plans.end(), [](const engine::Plan& plan) { return plan.fits; });
    statement.answer = anyFits ? say(QT_TRANSLATE_NOOP("MemoryPlans", "no times"))
                               : say(QT_TRANSLATE_NOOP("MemoryPlans", "no plan fits"));
    statement.detail = anyFits ? say(QT_TRANSLATE_NOOP("MemoryPlans", "which is the soonest is not known without"))
                               : say(QT_TRANSLATE_NOOP("MemoryPlans", "the table says by how much"));
    statement.state = anyFits ? shell::Statement::State::Plain : shell::Statement::State::Bad;
    return statement;
  }
  const engine::Plan& plan = plans.plans[*plans.best];
  const QString sizes = QStringLiteral("★ %1 × %2").arg(countText(plan.microbatch), countText(plan.accumulation));
  statement.answer = sizes + QStringLiteral(", ") + subject.names[plan.option];
  if (subject.question.options[plan.option].activation_checkpointing) {
    statement.answer += QStringLiteral(", ") + say(QT_TRANSLATE_NOOP("MemoryPlans", "checkpointed"));
  }
  statement.shorterAnswers << sizes;
  statement.beginsWithName = true;
  const ByteScale scale = ByteScale::of(plan.peak_bytes);
  const QString seconds = (plan.timed ? QString() : QStringLiteral("~")) + secondsText(plan.update_seconds.value_or(0));
  statement.detail =
      say(QT_TRANSLATE_NOOP("MemoryPlans", "%1, %2 s per update")).arg(scale.textWithUnit(plan.peak_bytes), seconds);
  const QString assumption = assumptionText(plans, plan);
  if (!assumption.isEmpty()) {
    statement.shorterDetails << say(QT_TRANSLATE_NOOP("MemoryPlans", "%1 s, %2")).arg(seconds, assumption);
    statement.detail += QStringLiteral(", ") + assumption;
    statement.help =
        say(QT_TRANSLATE_NOOP("MemoryPlans",
                              "~ is worked out from the times that are known. From one size alone the same "
                              "time for each sample is assumed: type a time at another size, too."));
  }
  statement.state = shell::Statement::State::Plain;
  return statement;
}

shell::Statement deadlineStatement(const PlansSubject& subject, const ShownPlans& plans) {
  shell::Statement statement;
  const std::optional<double>& deadline = subject.question.deadline_seconds;
  statement.question = deadline ? say(QT_TRANSLATE_NOOP("MemoryPlans", "Deadline %1")).arg(deadlineWords(*deadline))
                                : say(QT_TRANSLATE_NOOP("MemoryPlans", "Deadline"));
  const engine::Plan* const plan = plans.emptyText.isEmpty() && plans.best ? &plans.plans[*plans.best] : nullptr;
  if (plan == nullptr || !plan->finish_seconds) {
    statement.detail = plan == nullptr ? say(QT_TRANSLATE_NOOP("MemoryPlans", "no plan with a time"))
                                       : say(QT_TRANSLATE_NOOP("MemoryPlans", "how many updates is not said"));
    return statement;
  }
  statement.answer = durationText(*plan->finish_seconds);
  statement.beginsWithName = true;
  QStringList details;
  statement.state = shell::Statement::State::Plain;
  if (plan->spare_seconds) {
    const bool isMet = *plan->spare_seconds >= 0;
    statement.state = isMet ? shell::Statement::State::Good : shell::Statement::State::Warn;
    details << (isMet ? say(QT_TRANSLATE_NOOP("MemoryPlans", "%1 spare")).arg(durationText(*plan->spare_seconds))
                      : say(QT_TRANSLATE_NOOP("MemoryPlans", "missed by %1")).arg(durationText(-*plan->spare_seconds)));
  }
  if (plan->cost) details << say(QT_TRANSLATE_NOOP("MemoryPlans", "cost %1")).arg(decimals(*plan->cost, 2));
  statement.detail = details.join(QStringLiteral(", "));
  return statement;
}

}  // namespace mantissa::ui::memory
