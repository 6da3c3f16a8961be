// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/typed_view.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <utility>

#include "core/memory/outside_table.h"
#include "core/report/plain_words.h"
#include "ui/memory/plans_view.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::memory {
namespace {

using plot::RowsCell;
using shell::Statement;

QString say(const char* text) { return QCoreApplication::translate("MemoryPage", text); }

QString upper(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

QString categoryText(const std::string& name) {
  if (name == "parameters") return say(QT_TRANSLATE_NOOP("MemoryPage", "parameters"));
  if (name == "gradients") return say(QT_TRANSLATE_NOOP("MemoryPage", "gradients"));
  if (name == "optimizer state") return say(QT_TRANSLATE_NOOP("MemoryPage", "optimizer state"));
  if (name == "master copies") return say(QT_TRANSLATE_NOOP("MemoryPage", "master copies"));
  if (name == "outside") return say(QT_TRANSLATE_NOOP("MemoryPage", "outside the allocator"));
  return say(QT_TRANSLATE_NOOP("MemoryPage", "fixed state"));
}

/// Six statements of a ledger that is not there.
std::vector<Statement> noStatements() {
  const char* const questions[] = {
      QT_TRANSLATE_NOOP("MemoryPage", "Fits"),
      QT_TRANSLATE_NOOP("MemoryPage", "Headroom"),
      QT_TRANSLATE_NOOP("MemoryPage", "Largest microbatch"),
      QT_TRANSLATE_NOOP("MemoryPage", "Fastest plan"),
      QT_TRANSLATE_NOOP("MemoryPage", "Deadline"),
      QT_TRANSLATE_NOOP("MemoryPage", "Trust"),
  };
  std::vector<Statement> statements;
  for (const char* const question : questions) {
    Statement statement;
    statement.question = say(question);
    statements.push_back(statement);
  }
  return statements;
}

class View {
 public:
  View(const TypedValues& values, const TypedAnswer& answer)
      : m_values(values), m_answer(answer), m_ledger(*answer.ledger), m_input(m_ledger.input) {
    m_shown.scale = ByteScale::of(std::max(m_ledger.total_bytes, m_input.capacity_bytes));
  }

  ShownLedger make() {
    m_shown.sentence = ledgerSentence(m_ledger);
    makeStack();
    makeBlocks();
    makeTimeline();
    makeCategories();
    makePlans();
    makeStatements();
    return std::move(m_shown);
  }

 private:
  QString sized(std::int64_t bytes) const { return m_shown.scale.textWithUnit(bytes); }

  void makeStack() {
    ShownStack& stack = m_shown.stack;
    QStringList names;
    for (const engine::Category& category : m_input.fixed) {
      const QString name = categoryText(category.name);
      stack.parts.push_back({upper(name), category.bytes, false});
      if (category.bytes > 0) names << name;
    }
    stack.parts.push_back({say(QT_TRANSLATE_NOOP("MemoryPage", "Activations")), m_ledger.activations_bytes, true});
    stack.fixedShort = say(QT_TRANSLATE_NOOP("MemoryPage", "Fixed state %1")).arg(sized(m_ledger.fixed_bytes));
    stack.fixedWords = m_values.state == FixedState::Typed && !m_answer.outsideBytes
                           ? stack.fixedShort
                           : say(QT_TRANSLATE_NOOP("MemoryPage", "Fixed state %1: %2"))
                                 .arg(sized(m_ledger.fixed_bytes), names.join(QStringLiteral(", ")));
    stack.activationWords = say(QT_TRANSLATE_NOOP("MemoryPage", "Activations %1: %2 × %3"))
                                .arg(sized(m_ledger.activations_bytes), samplesText(m_input.microbatch),
                                     sizeText(m_input.per_sample_bytes));
    stack.total = m_ledger.total_bytes;
    stack.capacity = m_input.capacity_bytes;
    stack.reserve = m_ledger.reserve_bytes;
    stack.usable = m_ledger.usable_bytes;
    stack.deviceText = m_values.text(FieldId::Capacity).trimmed();
  }

  void makeBlocks() {
    ShownBlocks& blocks = m_shown.blocks;
    blocks.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Cumulative, by block"));
    blocks.column = say(QT_TRANSLATE_NOOP("MemoryPage", "Block"));
    blocks.unit = m_shown.scale.unit;
    blocks.bars.reserve(m_ledger.blocks.size());
    for (const engine::BlockLine& line : m_ledger.blocks) {
      blocks.bars.push_back({line.activations_bytes, line.total_bytes, line.exceeds_bytes});
    }
    blocks.name = [](std::size_t place) {
      return say(QT_TRANSLATE_NOOP("MemoryPage", "block %1")).arg(countText(static_cast<std::int64_t>(place) + 1));
    };
    blocks.fixed = m_ledger.fixed_bytes;
    blocks.usable = m_ledger.usable_bytes;
  }

  /// Forward adds a block's activations after the other, backward lets them go in the opposite order: what the sums
  /// say and no more.
  void makeTimeline() {
    constexpr std::int64_t kMostSteps = 2'000;  // of the staircase: more are no wider than a pixel
    ShownTimeline& timeline = m_shown.timeline;
    timeline.unit = say(QT_TRANSLATE_NOOP("MemoryPage", "%1, simulated from the sums")).arg(m_shown.scale.unit);
    const auto count = static_cast<std::int64_t>(m_ledger.blocks.size());
    const std::int64_t stairs = std::min(count, kMostSteps);
    auto positions = std::make_shared<plot::PositionColumn>();
    auto data = std::make_shared<plot::SeriesData>(positions);
    std::int64_t event = 0;
    const auto add = [&](std::int64_t bytes) {
      positions->append(static_cast<double>(event++));
      data->append(static_cast<double>(bytes));
    };
    const auto after = [&](std::int64_t stair) {
      return stair == 0 ? m_ledger.fixed_bytes
                        : m_ledger.blocks[static_cast<std::size_t>(stair * count / stairs - 1)].total_bytes;
    };
    for (std::int64_t stair = 0; stair <= stairs; ++stair) add(after(stair));
    timeline.peakEvent = event - 1;
    for (std::int64_t stair = stairs - 1; stair >= 0; --stair) add(after(stair));
    const std::int64_t update = event - 1;
    for (int i = 0; i < std::max<std::int64_t>(1, stairs / 5); ++i) add(m_ledger.fixed_bytes);
    timeline.parts = {{0, say(QT_TRANSLATE_NOOP("MemoryPage", "forward"))},
                      {static_cast<double>(timeline.peakEvent), say(QT_TRANSLATE_NOOP("MemoryPage", "backward"))},
                      {static_cast<double>(update), say(QT_TRANSLATE_NOOP("MemoryPage", "update"))}};
    timeline.allocated = std::move(data);
    timeline.events = event;
    timeline.peak = m_ledger.total_bytes;
    timeline.peakWords =
        say(QT_TRANSLATE_NOOP("MemoryPage", "peak %1, end of forward")).arg(m_shown.scale.text(m_ledger.total_bytes));
  }

  struct CategoryRow {
    QString name;
    QString how;
    std::optional<std::int64_t> fp32;
    std::optional<std::int64_t> policy;
    QString source;
    RowsCell::Tone tone = RowsCell::Tone::Plain;
    bool isTotal = false;
  };

  QString bytesEach(std::int64_t bytes) const {
    return say(QT_TRANSLATE_NOOP("MemoryPage", "%1 × %2 bytes"))
        .arg(m_values.text(FieldId::Parameters).trimmed())
        .arg(bytes);
  }

  QString howOf(const std::string& category) const {
    if (m_values.state == FixedState::Typed) {
      return say(QT_TRANSLATE_NOOP("MemoryPage", "one sum, the same under every policy"));
    }
    const BytesOfParameter each = bytesOfParameter(m_values.state);
    const bool isMixed = m_values.policy != TypedPolicy::Fp32 && each.weight == 4;
    const auto inBoth = [&](std::int64_t bytes) {
      return isMixed ? say(QT_TRANSLATE_NOOP("MemoryPage", "%1, FP32 in both")).arg(bytesEach(bytes))
                     : bytesEach(bytes);
    };
    if (category == "parameters") return inBoth(each.weight);
    if (category == "gradients") return inBoth(each.gradient);
    if (category == "master copies") {
      return say(QT_TRANSLATE_NOOP("MemoryPage", "%1, an FP32 copy of each")).arg(bytesEach(each.master));
    }
    if (each.momentCount == 0) return say(QT_TRANSLATE_NOOP("MemoryPage", "none"));
    const QString moments =
        each.momentCount == 1
            ? say(QT_TRANSLATE_NOOP("MemoryPage", "1 moment × %1 bytes")).arg(each.moments)
            : say(QT_TRANSLATE_NOOP("MemoryPage", "%1 moments × %2 bytes")).arg(each.momentCount).arg(each.moments);
    return say(QT_TRANSLATE_NOOP("MemoryPage", "%1: %2")).arg(fixedStateText(m_values.state), moments);
  }

  std::vector<CategoryRow> categoryRows() const {
    const QString derived = say(QT_TRANSLATE_NOOP("MemoryPage", "derived"));
    const QString typed = say(QT_TRANSLATE_NOOP("MemoryPage", "typed"));
    std::vector<CategoryRow> rows;
    for (const engine::Category& category : m_input.fixed) {
      if (category.name == "outside") continue;
      rows.push_back({upper(categoryText(category.name)), howOf(category.name), category.bytes, category.bytes,
                      m_values.state == FixedState::Typed ? typed : derived});
    }
    CategoryRow activations{say(QT_TRANSLATE_NOOP("MemoryPage", "Activations")),
                            say(QT_TRANSLATE_NOOP("MemoryPage", "%1 × %2"))
                                .arg(countText(m_input.microbatch), sizeText(m_input.per_sample_bytes)),
                            std::nullopt, m_ledger.activations_bytes, typed};
    if (m_answer.fp32Bytes && *m_answer.fp32Bytes <= (INT64_MAX - m_ledger.fixed_bytes) / m_input.microbatch) {
      activations.fp32 = *m_answer.fp32Bytes * m_input.microbatch;
      activations.how =
          say(QT_TRANSLATE_NOOP("MemoryPage", "%1 × %2 and %1 × %3"))
              .arg(countText(m_input.microbatch), sizeText(*m_answer.fp32Bytes), sizeText(m_input.per_sample_bytes));
    }
    rows.push_back(activations);
    CategoryRow outside{say(QT_TRANSLATE_NOOP("MemoryPage", "Outside the allocator")),
                        say(QT_TRANSLATE_NOOP("MemoryPage", "context, workspaces of libraries")), m_answer.outsideBytes,
                        m_answer.outsideBytes,
                        m_answer.outsideBytes == engine::outside_from_table(m_input.capacity_bytes)
                            ? say(QT_TRANSLATE_NOOP("MemoryPage", "table, not measured"))
                            : typed};
    if (!m_answer.outsideBytes) {
      outside.how = say(QT_TRANSLATE_NOOP("MemoryPage", "context, workspaces: type what the device's tool shows"));
      outside.source = say(QT_TRANSLATE_NOOP("MemoryPage", "! missing"));
      outside.tone = RowsCell::Tone::Warn;
    }
    rows.push_back(outside);
    CategoryRow total{say(QT_TRANSLATE_NOOP("MemoryPage", "Total")), {}, std::nullopt, m_ledger.total_bytes, {}};
    total.isTotal = true;
    if (activations.fp32) {
      total.fp32 = m_ledger.fixed_bytes + *activations.fp32;
      total.how = say(QT_TRANSLATE_NOOP("MemoryPage", "Autocast saves activations only"));
    }
    rows.push_back(total);
    return rows;
  }

  void makeCategories() {
    ShownTable& table = m_shown.categories;
    table.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Ledger by category"));
    table.note = say(QT_TRANSLATE_NOOP("MemoryPage", "microbatch %1")).arg(countText(m_input.microbatch));
    const bool isMixed = m_values.policy != TypedPolicy::Fp32;
    const QString bytes = say(QT_TRANSLATE_NOOP("MemoryPage", "%1, bytes"));
    const QString inUnit = say(QT_TRANSLATE_NOOP("MemoryPage", "%1, %2"));
    const auto column = [&](const QString& name) {
      return plot::RowsColumn{inUnit.arg(name, m_shown.scale.unit), bytes.arg(name), true};
    };
    table.columns = {{say(QT_TRANSLATE_NOOP("MemoryPage", "Category"))},
                     {say(QT_TRANSLATE_NOOP("MemoryPage", "How")), {}, false, {}, true},
                     column(QStringLiteral("FP32"))};
    if (isMixed) {
      table.columns.push_back(column(shortPolicyText(m_values.policy)));
      const QString saved = say(QT_TRANSLATE_NOOP("MemoryPage", "Saved"));
      table.columns.push_back({saved, bytes.arg(saved), true});
    }
    table.columns.push_back({say(QT_TRANSLATE_NOOP("MemoryPage", "Source"))});
    auto rows = categoryRows();
    if (!isMixed) {
      for (CategoryRow& row : rows) row.fp32 = row.policy;
    }
    table.rows = static_cast<int>(rows.size());
    table.cell = [rows = std::move(rows), scale = m_shown.scale, isMixed](int place, int at) -> RowsCell {
      const CategoryRow& row = rows[static_cast<std::size_t>(place)];
      const auto size = [&](const std::optional<std::int64_t>& value) -> RowsCell {
        if (!value) return {plot::notMeasuredText()};
        return {scale.text(*value), exactBytes(*value), RowsCell::Tone::Plain, row.isTotal, byteCount(*value)};
      };
      if (at == 0) return {row.name, {}, RowsCell::Tone::Plain, row.isTotal};
      if (at == 1) return {row.how, {}, row.isTotal ? RowsCell::Tone::Faint : RowsCell::Tone::Plain};
      if (at == 2) return size(row.fp32);
      if (isMixed && at == 3) return size(row.policy);
      if (isMixed && at == 4) {
        return size(row.fp32 && row.policy ? std::optional(*row.fp32 - *row.policy) : std::nullopt);
      }
      return {row.source, {}, row.tone};
    };
  }

  void makePlans() {
    if (!m_answer.plans) {
      m_shown.plans.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Plans"));
      m_shown.plans.emptyText = m_answer.noPlans;
      return;
    }
    m_subject.question = m_answer.question;
    for (const TypedAnswer::Option& option : m_answer.options) m_subject.names.push_back(policyText(option.policy));
    for (const TypedAnswer::Option& option : m_answer.options) {
      m_subject.shortNames.push_back(shortPolicyText(option.policy));
    }
    m_subject.areTimesTyped.assign(m_answer.options.size(), true);
    m_subject.microbatch = m_input.microbatch;
    m_subject.accumulation = m_input.accumulation;
    m_shown.plans = shownPlans(m_subject, *m_answer.plans);
  }

  void makeStatements() {
    std::vector<Statement>& statements = m_shown.statements;
    statements = noStatements();
    Statement& fits = statements[0];
    const QString total = m_shown.scale.text(m_ledger.total_bytes);
    const QString usable = sized(m_ledger.usable_bytes);
    fits.beginsWithName = true;
    fits.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of %2 usable")).arg(total, usable);
    fits.shorterAnswers << say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of %2")).arg(total, usable)
                        << sized(m_ledger.total_bytes);
    fits.state = m_ledger.fits() ? Statement::State::Good : Statement::State::Bad;
    fits.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 less %2 reserve"))
                      .arg(m_shown.stack.deviceText, percentText(m_input.reserve_parts));
    fits.help = m_shown.sentence;
    if (!m_ledger.fits_at_any_microbatch()) {
      fits.beginsWithName = false;
      fits.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "does not fit at any microbatch"));
      fits.shorterAnswers = QStringList(say(QT_TRANSLATE_NOOP("MemoryPage", "does not fit")));
      const std::int64_t least = m_ledger.fixed_bytes > m_ledger.usable_bytes
                                     ? m_ledger.fixed_bytes - m_ledger.usable_bytes
                                     : m_input.per_sample_bytes - (m_ledger.usable_bytes - m_ledger.fixed_bytes);
      fits.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "over by %1")).arg(sizeText(least));
    }
    Statement& headroom = statements[1];
    headroom.beginsWithName = true;
    headroom.answer = sized(m_ledger.headroom_bytes);
    headroom.state = m_ledger.fits() ? Statement::State::Plain : Statement::State::Bad;
    if (m_ledger.fits()) {
      headroom.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of usable"))
                            .arg(models::figure(report::share_words(m_ledger.headroom_bytes, m_ledger.usable_bytes)));
    } else {
      headroom.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "over by %1")).arg(sizeText(-m_ledger.headroom_bytes));
    }
    Statement& largest = statements[2];
    largest.beginsWithName = true;
    largest.answer = limitText(LimitOf::Microbatch, m_ledger);
    largest.state = m_ledger.fits_at_any_microbatch() ? Statement::State::Plain : Statement::State::Bad;
    if (const auto& most = m_ledger.limits.microbatch) {
      const std::int64_t need = m_ledger.fixed_bytes + *most * m_input.per_sample_bytes;
      largest.detail = need <= INT64_MAX - m_input.per_sample_bytes
                           ? say(QT_TRANSLATE_NOOP("MemoryPage", "%1; %2 would need %3"))
                                 .arg(sized(need), countText(*most + 1), sized(need + m_input.per_sample_bytes))
                           : sized(need);
      largest.shorterDetails << sized(need);
    }
    largest.help = limitSentence(LimitOf::Microbatch, m_ledger);
    if (m_answer.plans) {
      statements[3] = fastestStatement(m_subject, m_shown.plans);
      statements[4] = deadlineStatement(m_subject, m_shown.plans);
    } else {
      statements[3].detail = m_answer.noPlans;
    }
    Statement& trust = statements[5];
    trust.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "not measured yet"));
    trust.shorterAnswers << say(QT_TRANSLATE_NOOP("MemoryPage", "not measured"));
    trust.state = Statement::State::Undecided;
    trust.detail = m_answer.outsideBytes
                       ? say(QT_TRANSLATE_NOOP("MemoryPage", "typed sums, as good as what was typed"))
                       : say(QT_TRANSLATE_NOOP("MemoryPage", "typed sums; outside the allocator missing"));
    trust.shorterDetails << say(QT_TRANSLATE_NOOP("MemoryPage", "typed sums"));
  }

  const TypedValues& m_values;
  const TypedAnswer& m_answer;
  const engine::Ledger& m_ledger;
  const engine::LedgerInput& m_input;
  PlansSubject m_subject;
  ShownLedger m_shown;
};

}  // namespace

ShownLedger nothingShown(const QString& why) {
  ShownLedger shown;
  shown.why = why;
  shown.statements = noStatements();
  shown.statements[0].detail = why;
  shown.blocks.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Cumulative, by block"));
  shown.plans.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Plans"));
  shown.categories.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Ledger by category"));
  return shown;
}

ShownLedger shownOf(const TypedValues& values, const TypedAnswer& answer, const QString& name) {
  ShownLedger shown = answer.ledger ? View(values, answer).make() : nothingShown(answer.firstProblem());
  shown.subject = name;
  return shown;
}

}  // namespace mantissa::ui::memory
