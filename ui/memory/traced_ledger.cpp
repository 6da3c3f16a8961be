// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/traced_ledger.h"

#include <QCoreApplication>

#include <algorithm>
#include <future>
#include <utility>

#include "core/base/error.h"
#include "core/memory/replay.h"
#include "ui/models/error_words.h"
#include "ui/models/name_words.h"

namespace mantissa::ui::memory {
namespace {

QString say(const char* text) { return QCoreApplication::translate("MemoryPage", text); }

constexpr std::size_t kManyEvents = 50'000;

/// Forward, backward, and all that comes after it as one.
record::StepPart shownPart(record::StepPart part) {
  return part >= record::StepPart::Unscale ? record::StepPart::Update : part;
}

/// The reference of the same checkpointing; nothing: the arm is one, or there is none in FP32.
std::optional<std::size_t> referenceOf(const worker::TracedExperiment& traced, std::size_t arm) {
  const session::ArmForecast& own = traced.forecasts[arm];
  const auto first = std::find_if(
      traced.forecasts.begin(), traced.forecasts.end(),
      [&own](const session::ArmForecast& one) { return one.activation_checkpointing == own.activation_checkpointing; });
  if (&*first == &own || first->policy != "FP32") return std::nullopt;
  return static_cast<std::size_t>(first - traced.forecasts.begin());
}

}  // namespace

QString ledgerProblem(const CommonFields& fields) {
  for (const auto& [field, problem] : fields.problems) {
    if (field == FieldId::Updates || field == FieldId::Deadline || field == FieldId::Price) continue;
    return fieldText(field) + QStringLiteral(": ") + problem;
  }
  return {};
}

engine::Device TracedQuestion::device() const {
  engine::Device device;
  device.capacity_bytes = fields.capacityBytes;
  device.reserve_parts = fields.reserveParts;
  device.outside_bytes = fields.outsideBytes;
  return device;
}

bool TracedQuestion::hasSameLedger(const TracedQuestion& other) const {
  return traced == other.traced && choice.forecast == other.choice.forecast &&
         fields.capacityBytes == other.fields.capacityBytes && fields.reserveParts == other.fields.reserveParts &&
         fields.outsideBytes == other.fields.outsideBytes && fields.microbatch == other.fields.microbatch &&
         fields.accumulation == other.fields.accumulation &&
         choice.values.text(FieldId::Capacity) == other.choice.values.text(FieldId::Capacity);
}

TracedAnswer TracedSteps::answer(const TracedQuestion& question) {
  TracedAnswer answer;
  answer.question = question;
  try {
    const engine::Device device = question.device();
    std::future<engine::ModelLedger> reference;
    if (const auto place = referenceOf(*question.traced, question.choice.forecast)) {
      const auto work = [this, &question, place, device] {
        return ledgerOf(stepOf(m_reference, question, *place), device);
      };
      // A thread of its own pays where a replay takes milliseconds.
      const bool isLong = m_arm.trace.events.size() > kManyEvents || m_reference.trace.events.size() > kManyEvents;
      reference = std::async(isLong ? std::launch::async : std::launch::deferred, work);
    }
    const Step& arm = stepOf(m_arm, question, question.choice.forecast);
    if (!m_arm.curve.bytes) m_arm.curve = curveOf(arm.trace);
    answer.curve = arm.curve;
    answer.ledger = ledgerOf(arm, device);
    if (reference.valid()) answer.reference = reference.get();
  } catch (const Error& error) {
    answer.why = models::errorText(error);
    answer.ledger.reset();
  }
  return answer;
}

const TracedSteps::Step& TracedSteps::stepOf(Step& kept, const TracedQuestion& question, std::size_t forecast) {
  const CommonFields& fields = question.fields;
  const bool isKept = kept.traced == question.traced && kept.forecast == forecast &&
                      kept.microbatch == fields.microbatch && kept.accumulation == fields.accumulation;
  if (isKept) return kept;
  Step step;
  kept.traced.reset();  // a step that cannot be worked out leaves none behind
  step.trace = question.traced->forecasts[forecast].forecast.at(fields.microbatch, fields.accumulation);
  step.use = engine::step_use_of(step.trace);
  step.traced = question.traced;
  step.forecast = forecast;
  step.microbatch = fields.microbatch;
  step.accumulation = fields.accumulation;
  kept = std::move(step);
  return kept;
}

engine::ModelLedger TracedSteps::ledgerOf(const Step& step, const engine::Device& device) {
  return engine::model_ledger_of(step.use, device, [&step](const engine::AllocatorSettings& settings) {
    return engine::replay(step.trace.events, settings);
  });
}

LiveCurve TracedSteps::curveOf(const record::StepTrace& step) {
  if (!m_positions || m_positions->size() != step.events.size()) {
    auto positions = std::make_shared<plot::PositionColumn>();
    for (std::size_t i = 0; i < step.events.size(); ++i) positions->append(static_cast<double>(i));
    m_positions = std::move(positions);
  }
  // Curves that nobody shows any more go here: letting a million values go takes longer than a frame may.
  const auto isUnused = [](const auto& curve) { return curve.use_count() == 1; };
  m_curves.erase(std::remove_if(m_curves.begin(), m_curves.end(), isUnused), m_curves.end());
  auto data = std::make_shared<plot::SeriesData>(m_positions);
  LiveCurve curve;
  std::vector<std::int64_t> sizes(step.blocks.size(), 0);
  std::int64_t live = 0;
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    const record::MemoryEvent& event = step.events[i];
    const auto block = static_cast<std::size_t>(event.block);
    if (event.kind == record::MemoryEvent::Kind::Allocate) {
      live += sizes[block] = event.bytes;
    } else {
      live -= std::exchange(sizes[block], 0);
    }
    data->append(static_cast<double>(live));
    const record::StepPart now = shownPart(event.part);
    if (i < step.held || (!curve.parts.empty() && curve.parts.back().part == now)) continue;
    curve.parts.push_back({static_cast<std::int64_t>(i), now});
  }
  m_curves.push_back(data);
  curve.bytes = std::move(data);
  return curve;
}

QString armText(const session::ArmForecast& forecast) {
  const QString arm = models::isolated(QString::fromStdString(forecast.arm));
  const QString policy = QString::fromStdString(forecast.policy);
  return arm == policy ? arm : say(QT_TRANSLATE_NOOP("MemoryPage", "%1, %2")).arg(arm, policy);
}

}  // namespace mantissa::ui::memory
