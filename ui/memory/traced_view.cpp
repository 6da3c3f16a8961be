// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/traced_view.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/memory/outside_table.h"
#include "core/report/plain_words.h"
#include "ui/memory/plans_view.h"
#include "ui/memory/typed_view.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::memory {
namespace {

using plot::RowsCell;
using record::MemoryCategory;
using shell::Statement;

QString say(const char* text) { return QCoreApplication::translate("MemoryPage", text); }

constexpr std::array<const char*, record::kMemoryCategories> kCategories = {
    QT_TRANSLATE_NOOP("MemoryPage", "Parameters"),      QT_TRANSLATE_NOOP("MemoryPage", "Buffers"),
    QT_TRANSLATE_NOOP("MemoryPage", "Optimizer state"), QT_TRANSLATE_NOOP("MemoryPage", "Gradients"),
    QT_TRANSLATE_NOOP("MemoryPage", "Inputs"),          QT_TRANSLATE_NOOP("MemoryPage", "Saved activations"),
    QT_TRANSLATE_NOOP("MemoryPage", "Cast copies"),     QT_TRANSLATE_NOOP("MemoryPage", "Temporaries")};
constexpr std::array<const char*, record::kMemoryCategories> kHow = {
    QT_TRANSLATE_NOOP("MemoryPage", "FP32 under autocast, too"),
    QT_TRANSLATE_NOOP("MemoryPage", "running statistics, masks"),
    QT_TRANSLATE_NOOP("MemoryPage", "moments and what else the optimizer keeps"),
    QT_TRANSLATE_NOOP("MemoryPage", "of parameters, in their dtype"),
    QT_TRANSLATE_NOOP("MemoryPage", "microbatches of the step, with targets"),
    QT_TRANSLATE_NOOP("MemoryPage", "what backward needs; autocast saves here"),
    QT_TRANSLATE_NOOP("MemoryPage", "parameters in the dtype of autocast: it adds them"),
    QT_TRANSLATE_NOOP("MemoryPage", "everything else that is live at the peak")};

QString partText(record::StepPart part) {
  switch (part) {
    case record::StepPart::BeforeForward:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "before forward"));
    case record::StepPart::Forward:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "forward"));
    case record::StepPart::Backward:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "backward"));
    case record::StepPart::Unscale:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "unscaling"));
    case record::StepPart::FiniteCheck:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "finite check"));
    case record::StepPart::Clip:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "clipping"));
    case record::StepPart::Update:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "update"));
  }
  return {};
}

class View {
 public:
  View(const TracedAnswer& answer, const SolverAnswer* solved)
      : m_traced(*answer.question.traced),
        m_choice(answer.question.choice),
        m_device(answer.question.device()),
        m_answer(answer),
        m_ledger(*answer.ledger),
        m_forecast(m_traced.forecasts[m_choice.forecast]),
        m_solved(solved) {
    m_shown.scale = ByteScale::of(m_ledger.needed_bytes);
    m_arm = models::isolated(QString::fromStdString(m_forecast.arm));
  }

  ShownLedger make() {
    makeSentence();
    makeStack();
    makeModules();
    makeTimeline();
    makeCategories();
    makePlans();
    makeStatements();
    return std::move(m_shown);
  }

 private:
  QString sized(std::int64_t bytes) const { return m_shown.scale.textWithUnit(bytes); }

  QString peakPlace() const {
    const QString part = partText(m_ledger.peak_part);
    if (m_ledger.peak_module.empty()) return part;
    return say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of %2"))
        .arg(part, models::isolated(QString::fromStdString(m_ledger.peak_module)));
  }

  void makeSentence() {
    const QString need = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 at microbatch %2 × %3 needs %4 of %5 usable"))
                             .arg(m_arm, countText(m_ledger.microbatch), countText(m_ledger.accumulation),
                                  sizeText(m_ledger.needed_bytes), sizeText(m_ledger.usable_bytes));
    m_shown.sentence = m_ledger.fits ? say(QT_TRANSLATE_NOOP("MemoryPage", "Fits: %1, %2 stay free."))
                                           .arg(need, sizeText(m_ledger.headroom_bytes))
                                     : say(QT_TRANSLATE_NOOP("MemoryPage", "Does not fit: %1, over by %2."))
                                           .arg(need, sizeText(-m_ledger.headroom_bytes));
    m_shown.sentence += u' ' + say(QT_TRANSLATE_NOOP("MemoryPage", "The peak is in %1.")).arg(peakPlace());
    if (m_ledger.fits_by_release) {
      m_shown.sentence +=
          u' ' + say(QT_TRANSLATE_NOOP("MemoryPage",
                                       "It fits only because the allocator gives cached memory back each step, which "
                                       "costs time."));
    }
    if (!m_ledger.outside_bytes) {
      m_shown.sentence += u' ' + say(QT_TRANSLATE_NOOP(
                                     "MemoryPage",
                                     "What lies outside the allocator (context, workspaces of libraries) is not known "
                                     "and not counted."));
    } else if (isOutsideFromTable()) {
      m_shown.sentence +=
          u' ' + say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of it lie outside the allocator: from a table, not measured."))
                     .arg(sizeText(*m_ledger.outside_bytes));
    }
  }

  /// Taken by default, or typed as it stands there.
  bool isOutsideFromTable() const {
    return m_ledger.outside_bytes && m_ledger.outside_bytes == engine::outside_from_table(m_device.capacity_bytes);
  }

  std::int64_t beyondLive() const {
    return std::max<std::int64_t>(0, m_ledger.needed_bytes - m_ledger.outside_bytes.value_or(0) - m_ledger.peak.bytes);
  }

  void makeStack() {
    ShownStack& stack = m_shown.stack;
    std::int64_t fixed = 0;
    for (const bool wantFixed : {true, false}) {
      for (std::size_t i = 0; i < kCategories.size(); ++i) {
        const std::int64_t bytes = m_ledger.peak.by_category[i];
        if (isFixedState(static_cast<MemoryCategory>(i)) != wantFixed || bytes == 0) continue;
        stack.parts.push_back({say(kCategories[i]), bytes, !wantFixed});
        if (wantFixed) fixed += bytes;
      }
    }
    const std::int64_t live = m_ledger.peak.bytes;
    if (beyondLive() > 0) {
      stack.parts.push_back(
          {say(QT_TRANSLATE_NOOP("MemoryPage", "Rounding and free parts of segments")), beyondLive(), true});
    }
    if (m_ledger.outside_bytes) {
      stack.parts.push_back({isOutsideFromTable()
                                 ? say(QT_TRANSLATE_NOOP("MemoryPage", "Outside the allocator, of a table"))
                                 : say(QT_TRANSLATE_NOOP("MemoryPage", "Outside the allocator")),
                             *m_ledger.outside_bytes, true});
    }
    stack.fixedWords = say(QT_TRANSLATE_NOOP("MemoryPage", "Fixed state %1")).arg(sized(fixed));
    stack.fixedShort = stack.fixedWords;
    stack.activationWords = say(QT_TRANSLATE_NOOP("MemoryPage", "With the step %1, allocator %2"))
                                .arg(sized(live - fixed), sized(beyondLive()));
    stack.total = m_ledger.needed_bytes;
    stack.capacity = m_device.capacity_bytes;
    stack.reserve = m_ledger.reserve_bytes;
    stack.usable = m_ledger.usable_bytes;
    stack.deviceText = m_choice.values.text(FieldId::Capacity).trimmed();
  }

  void makeModules() {
    ShownBlocks& blocks = m_shown.blocks;
    blocks.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Cumulative, by module"));
    blocks.column = say(QT_TRANSLATE_NOOP("MemoryPage", "Module"));
    blocks.unit = m_shown.scale.unit;
    auto names = std::make_shared<QStringList>();
    std::int64_t saved = 0;
    for (const engine::ModuleBytes& module : m_ledger.by_module) saved += module.bytes;
    blocks.fixed = m_ledger.peak.bytes - saved;
    blocks.usable = m_ledger.usable_bytes;
    std::int64_t sum = 0;
    for (const engine::ModuleBytes& module : m_ledger.by_module) {
      sum += module.bytes;
      const std::int64_t total = blocks.fixed + sum;
      blocks.bars.push_back({sum, total, std::max<std::int64_t>(0, total - m_ledger.usable_bytes)});
      *names << (module.module.empty() ? say(QT_TRANSLATE_NOOP("MemoryPage", "(outside of the model)"))
                                       : models::isolated(QString::fromStdString(module.module)));
    }
    blocks.name = [names](std::size_t place) { return names->value(static_cast<int>(place)); };
  }

  void makeTimeline() {
    ShownTimeline& timeline = m_shown.timeline;
    const LiveCurve& curve = m_answer.curve;
    for (const LiveCurve::Part& part : curve.parts) {
      timeline.parts.push_back({static_cast<double>(part.from), partText(part.part)});
    }
    timeline.allocated = curve.bytes;
    timeline.events = static_cast<std::int64_t>(curve.bytes->size());
    timeline.unit = say(QT_TRANSLATE_NOOP("MemoryPage", "%1, live, worked out from traces")).arg(m_shown.scale.unit);
    timeline.peakEvent = m_ledger.peak.event;
    timeline.peak = m_ledger.peak.bytes;
    timeline.peakWords =
        say(QT_TRANSLATE_NOOP("MemoryPage", "peak %1, %2")).arg(m_shown.scale.text(m_ledger.peak.bytes), peakPlace());
  }

  struct Row {
    QString name;
    QString how;
    std::optional<std::int64_t> reference;
    std::optional<std::int64_t> arm;
    QString source;
    RowsCell::Tone tone = RowsCell::Tone::Plain;
    bool isBold = false;
  };

  void makeCategories() {
    ShownTable& table = m_shown.categories;
    table.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Ledger by category"));
    table.note = say(QT_TRANSLATE_NOOP("MemoryPage", "%1, microbatch %2 × %3, at the peak"))
                     .arg(m_arm, countText(m_ledger.microbatch), countText(m_ledger.accumulation));
    const bool isPair = m_answer.reference.has_value();
    const QString inUnit = say(QT_TRANSLATE_NOOP("MemoryPage", "%1, %2"));
    const QString bytes = say(QT_TRANSLATE_NOOP("MemoryPage", "%1, bytes"));
    const auto column = [&](const QString& name) {
      return plot::RowsColumn{inUnit.arg(name, m_shown.scale.unit), bytes.arg(name), true};
    };
    const QString saved = say(QT_TRANSLATE_NOOP("MemoryPage", "Saved"));
    table.columns = {{say(QT_TRANSLATE_NOOP("MemoryPage", "Category"))},
                     {say(QT_TRANSLATE_NOOP("MemoryPage", "How")), {}, false, {}, true}};
    if (isPair) table.columns.push_back(column(QStringLiteral("FP32")));
    table.columns.push_back(column(m_arm));
    if (isPair) {
      table.columns.push_back({saved, bytes.arg(saved), true,
                               say(QT_TRANSLATE_NOOP("MemoryPage",
                                                     "What autocast saves; below zero: what it adds. Each at its own "
                                                     "peak, which may lie at another place of the step"))});
    }
    table.columns.push_back({say(QT_TRANSLATE_NOOP("MemoryPage", "Source"))});
    const auto of = [&](const auto& figure) {
      return isPair ? std::optional<std::int64_t>(figure(*m_answer.reference)) : std::nullopt;
    };
    const QString traced = say(QT_TRANSLATE_NOOP("MemoryPage", "traced"));
    const QString simulated = say(QT_TRANSLATE_NOOP("MemoryPage", "simulated"));
    std::vector<Row> rows;
    const auto add = [&](const QString& name, const QString& how, const auto& figure, const QString& source,
                         bool isBold = false) {
      rows.push_back({name, how, of(figure), figure(m_ledger), source, RowsCell::Tone::Plain, isBold});
    };
    using engine::ModelLedger;
    for (std::size_t i = 0; i < kCategories.size(); ++i) {
      add(
          say(kCategories[i]), say(kHow[i]), [i](const ModelLedger& each) { return each.peak.by_category[i]; }, traced);
    }
    add(
        say(QT_TRANSLATE_NOOP("MemoryPage", "All that is live")), {},
        [](const ModelLedger& each) { return each.peak.bytes; }, traced, true);
    add(
        say(QT_TRANSLATE_NOOP("MemoryPage", "Reserved by the allocator")),
        say(QT_TRANSLATE_NOOP("MemoryPage", "PyTorch's caching allocator: rounding, segments")),
        [](const ModelLedger& each) { return each.replay.peak.reserved; }, simulated);
    Row outside{say(QT_TRANSLATE_NOOP("MemoryPage", "Outside the allocator")),
                say(QT_TRANSLATE_NOOP("MemoryPage", "context, workspaces of libraries")), m_ledger.outside_bytes,
                m_ledger.outside_bytes,
                isOutsideFromTable() ? say(QT_TRANSLATE_NOOP("MemoryPage", "table, not measured"))
                                     : say(QT_TRANSLATE_NOOP("MemoryPage", "typed"))};
    if (!m_ledger.outside_bytes) {
      outside.how = say(QT_TRANSLATE_NOOP("MemoryPage", "context, workspaces: type what the device's tool shows"));
      outside.source = say(QT_TRANSLATE_NOOP("MemoryPage", "! missing"));
      outside.tone = RowsCell::Tone::Warn;
    }
    rows.push_back(outside);
    add(
        say(QT_TRANSLATE_NOOP("MemoryPage", "Needed")), {}, [](const ModelLedger& each) { return each.needed_bytes; },
        {}, true);
    table.rows = static_cast<int>(rows.size());
    table.cell = [rows = std::move(rows), scale = m_shown.scale, isPair](int place, int at) -> RowsCell {
      const Row& row = rows[static_cast<std::size_t>(place)];
      const auto size = [&](const std::optional<std::int64_t>& value) -> RowsCell {
        if (!value) return {plot::notMeasuredText()};
        return {scale.text(*value), exactBytes(*value), RowsCell::Tone::Plain, row.isBold, byteCount(*value)};
      };
      if (at == 0) return {row.name, {}, RowsCell::Tone::Plain, row.isBold};
      if (at == 1) return {row.how, {}, RowsCell::Tone::Faint};
      if (!isPair) {
        if (at == 2) return size(row.arm);
        return {row.source, {}, row.tone};
      }
      if (at == 2) return size(row.reference);
      if (at == 3) return size(row.arm);
      if (at == 4) return size(row.reference && row.arm ? std::optional(*row.reference - *row.arm) : std::nullopt);
      return {row.source, {}, row.tone};
    };
  }

  void makePlans() {
    m_shown.plans.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Plans"));
    if (m_solved == nullptr) {
      m_shown.plans.emptyText = say(QT_TRANSLATE_NOOP("MemoryPage", "Plans are being worked out."));
      return;
    }
    if (!m_solved->plans) {
      m_shown.plans.emptyText = m_solved->noPlans;
      return;
    }
    m_subject.question = m_solved->question;
    for (const session::ArmForecast& forecast : m_traced.forecasts) {
      m_subject.names.push_back(armText(forecast));
      m_subject.shortNames.push_back(models::isolated(QString::fromStdString(forecast.arm)));
    }
    m_subject.option = m_choice.forecast;
    m_subject.microbatch = m_ledger.microbatch;
    m_subject.accumulation = m_ledger.accumulation;
    for (std::size_t i = 0; i < m_traced.forecasts.size(); ++i) {
      const session::ArmForecast& forecast = m_traced.forecasts[i];
      const auto& times = m_solved->asked.times;
      const bool isTyped = std::any_of(times.begin(), times.end(), [&forecast](const TypedTime& time) {
        return time.isOf(forecast.arm, forecast.activation_checkpointing);
      });
      m_subject.areTimesTyped.push_back(isTyped);
    }
    m_shown.plans = shownPlans(m_subject, *m_solved->plans);
  }

  void makeStatements() {
    std::vector<Statement> statements(kStatements);
    Statement& fits = statements[0];
    fits.question = say(QT_TRANSLATE_NOOP("MemoryPage", "Fits"));
    fits.beginsWithName = true;
    const ByteScale scale = m_shown.scale;
    const ByteScale device = ByteScale::of(m_ledger.usable_bytes);
    fits.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of %2 usable"))
                      .arg(scale.unit == device.unit ? scale.text(m_ledger.needed_bytes) : sized(m_ledger.needed_bytes),
                           device.textWithUnit(m_ledger.usable_bytes));
    fits.shorterAnswers << sized(m_ledger.needed_bytes);
    fits.state = m_ledger.fits ? Statement::State::Good : Statement::State::Bad;
    fits.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 less %2 reserve"))
                      .arg(m_shown.stack.deviceText, percentText(m_device.reserve_parts));
    fits.help = m_shown.sentence;
    Statement& headroom = statements[1];
    headroom.question = say(QT_TRANSLATE_NOOP("MemoryPage", "Headroom"));
    headroom.beginsWithName = true;
    headroom.answer = device.textWithUnit(m_ledger.headroom_bytes);
    headroom.state = m_ledger.fits ? Statement::State::Plain : Statement::State::Bad;
    headroom.detail =
        m_ledger.fits ? say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of usable"))
                            .arg(models::figure(report::share_words(m_ledger.headroom_bytes, m_ledger.usable_bytes)))
                      : say(QT_TRANSLATE_NOOP("MemoryPage", "over by %1")).arg(sizeText(-m_ledger.headroom_bytes));
    Statement& largest = statements[2];
    largest.question = say(QT_TRANSLATE_NOOP("MemoryPage", "Largest microbatch"));
    largest.beginsWithName = true;
    largest.detail =
        say(QT_TRANSLATE_NOOP("MemoryPage", "of %1, accumulated %2")).arg(m_arm, countText(m_ledger.accumulation));
    if (m_solved == nullptr) {
      largest.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "is being worked out"));
    } else if (m_solved->largestMicrobatch) {
      largest.answer = samplesText(*m_solved->largestMicrobatch);
      largest.state = Statement::State::Plain;
    } else {
      largest.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "none fits"));
      largest.state = Statement::State::Bad;
    }
    statements[3] = fastestStatement(m_subject, m_shown.plans);
    statements[4] = deadlineStatement(m_subject, m_shown.plans);
    Statement& trust = statements[5];
    trust.question = say(QT_TRANSLATE_NOOP("MemoryPage", "Trust"));
    trust.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "not measured yet"));
    trust.state = Statement::State::Undecided;
    std::set<std::int64_t> sizes;
    for (const session::StepSize& size : m_traced.trace.sizes) sizes.insert(size.microbatch);
    QStringList words;
    for (const std::int64_t size : sizes) words << countText(size);
    trust.detail =
        say(QT_TRANSLATE_NOOP("MemoryPage", "traced on the CPU at %1 samples")).arg(words.join(QStringLiteral(", ")));
    trust.shorterDetails << say(QT_TRANSLATE_NOOP("MemoryPage", "traced on the CPU"));
    if (!m_ledger.outside_bytes) {
      fits.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "outside the allocator missing"));
      fits.shorterDetails << say(QT_TRANSLATE_NOOP("MemoryPage", "outside missing"));
    } else if (isOutsideFromTable()) {
      fits.detail +=
          QStringLiteral(", ") +
          say(QT_TRANSLATE_NOOP("MemoryPage", "%1 outside of a table")).arg(sizeText(*m_ledger.outside_bytes));
      fits.shorterDetails << say(QT_TRANSLATE_NOOP("MemoryPage", "outside of a table"));
    }
    if (!m_forecast.forecast.is_joined(m_ledger.accumulation)) {
      trust.state = Statement::State::Warn;
      trust.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "scaled from one trace"));
      trust.help = say(QT_TRANSLATE_NOOP("MemoryPage",
                                         "Its steps allocate in another order at other microbatches, so its figures "
                                         "are scaled from the nearest trace."));
    }
    m_shown.statements = std::move(statements);
  }

  const worker::TracedExperiment& m_traced;
  const TracedChoice& m_choice;
  const engine::Device m_device;
  const TracedAnswer& m_answer;
  const engine::ModelLedger& m_ledger;
  const session::ArmForecast& m_forecast;
  const SolverAnswer* m_solved;
  QString m_arm;
  PlansSubject m_subject;
  ShownLedger m_shown;
};

/// What the allocator reserves without giving anything back, and what is outside, as a ledger of sums: its limits hold.
engine::Ledger sumsOf(const TracedAnswer& answer) {
  const engine::ModelLedger& ledger = *answer.ledger;
  const engine::Device device = answer.question.device();
  engine::LedgerInput input;
  const std::int64_t needed = ledger.replay.peak.reserved + ledger.outside_bytes.value_or(0);
  input.fixed = {{"step", std::max<std::int64_t>(0, needed - 1)}};
  input.per_sample_bytes = 1;
  input.capacity_bytes = device.capacity_bytes;
  input.reserve_parts = device.reserve_parts;
  return engine::ledger_of(input);
}

}  // namespace

bool isFixedState(MemoryCategory category) {
  return category == MemoryCategory::Parameters || category == MemoryCategory::Buffers ||
         category == MemoryCategory::OptimizerState || category == MemoryCategory::Gradients;
}

ShownLedger shownOf(const TracedAnswer& answer, const SolverAnswer* solved) {
  ShownLedger shown = answer.ledger ? View(answer, solved).make() : nothingShown(answer.why);
  shown.subject = QString::fromStdString(answer.question.traced->experiment.name);
  return shown;
}

void markOld(ShownLedger& shown, const CommonFields& fields) {
  if (!shown.why.isEmpty()) return;
  const QString asked = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 × %2 is being worked out"))
                            .arg(countText(fields.microbatch), countText(fields.accumulation));
  for (std::size_t i = 0; i < 2; ++i) {
    Statement& statement = shown.statements[i];
    statement.state = Statement::State::Unknown;
    statement.detail = asked;
    statement.shorterDetails = QStringList(say(QT_TRANSLATE_NOOP("MemoryPage", "being worked out")));
  }
  shown.oldText = say(QT_TRANSLATE_NOOP("MemoryPage", "of the values before: %1")).arg(asked);
}

QString tracedLimitText(LimitOf limit, const TracedAnswer& answer, const SolverAnswer* solved) {
  const QString none = say(QT_TRANSLATE_NOOP("MemoryPage", "none fits"));
  const QString waits = say(QT_TRANSLATE_NOOP("MemoryPage", "being worked out"));
  if (!answer.ledger) return {};
  const engine::ModelLedger& ledger = *answer.ledger;
  switch (limit) {
    case LimitOf::Microbatch:
      if (solved == nullptr) return waits;
      return solved->largestMicrobatch ? samplesText(*solved->largestMicrobatch) : none;
    case LimitOf::Accumulation:
      if (solved == nullptr || solved->asked.accumulationAt != ledger.microbatch) return waits;
      return solved->largestAccumulation ? countText(*solved->largestAccumulation) : none;
    case LimitOf::Outside: {
      const std::int64_t room = ledger.usable_bytes - ledger.replay.peak.reserved;
      return room < 0 ? none : sizeText(room);
    }
    default:
      return limitText(limit, sumsOf(answer));
  }
}

QString tracedLimitSentence(LimitOf limit, const TracedAnswer& answer, const SolverAnswer* solved) {
  if (!answer.ledger) return {};
  const engine::ModelLedger& ledger = *answer.ledger;
  const QString arm = armText(answer.question.traced->forecasts[answer.question.choice.forecast]);
  const auto most = [](const std::optional<std::int64_t>& found) {
    return found == kMostSamples ? u' ' + say(QT_TRANSLATE_NOOP("MemoryPage", "No larger one was tried.")) : QString();
  };
  switch (limit) {
    case LimitOf::Microbatch:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "Of %1, accumulated %2, by replays of the allocator."))
                 .arg(arm, countText(ledger.accumulation)) +
             most(solved == nullptr ? std::nullopt : solved->largestMicrobatch);
    case LimitOf::Accumulation:
      return say(QT_TRANSLATE_NOOP("MemoryPage",
                                   "Of %1 at microbatch %2: every further microbatch keeps its inputs until the step "
                                   "ends."))
                 .arg(arm, countText(ledger.microbatch)) +
             most(solved == nullptr ? std::nullopt : solved->largestAccumulation);
    case LimitOf::Outside:
      return say(QT_TRANSLATE_NOOP("MemoryPage", "%1 usable less %2 that the allocator reserves."))
          .arg(sizeText(ledger.usable_bytes), sizeText(ledger.replay.peak.reserved));
    default:
      return limitSentence(limit, sumsOf(answer));
  }
}

}  // namespace mantissa::ui::memory
