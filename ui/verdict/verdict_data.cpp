// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/verdict_data.h"

#include <QCollator>
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/judge/decision.h"
#include "core/judge/judge.h"
#include "core/judge/utility.h"
#include "core/judge/verdict_context.h"
#include "core/record/outcomes.h"
#include "core/spec/experiment.h"

namespace mantissa::ui::verdict {
namespace {

/// How outputs became decisions and qualities: the part of the kept evidence that cases alone do not say.
struct Reading {
  judge::DecisionRule decision;
  judge::TargetUnit unit;
  std::optional<spec::Utility> utility;
};

std::vector<double> numbersOf(const QJsonValue& value) {
  std::vector<double> numbers;
  for (const auto& one : value.toArray()) numbers.push_back(one.toDouble());
  return numbers;
}

std::optional<Reading> readingOf(const std::optional<std::string>& evidence) {
  if (!evidence) return std::nullopt;
  const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(*evidence)).object();
  const QJsonObject decision = object.value(QLatin1String("decision")).toObject();
  if (decision.isEmpty()) return std::nullopt;
  static const std::map<QString, judge::DecisionKind> kKinds = {
      {QStringLiteral("none"), judge::DecisionKind::None},
      {QStringLiteral("arg-max"), judge::DecisionKind::ArgMax},
      {QStringLiteral("probability"), judge::DecisionKind::Probability},
      {QStringLiteral("logit"), judge::DecisionKind::Logit},
      {QStringLiteral("threshold"), judge::DecisionKind::Threshold}};
  const auto kind = kKinds.find(decision.value(QLatin1String("kind")).toString());
  if (kind == kKinds.end()) return std::nullopt;
  Reading reading;
  reading.decision.kind = kind->second;
  reading.decision.threshold = decision.value(QLatin1String("threshold")).toDouble();
  reading.decision.ties = decision.value(QLatin1String("ties")).toString().toStdString();
  static const std::map<QString, spec::FlipsDecision> kForms = {
      {QStringLiteral("top-k"), spec::FlipsDecision::TopK}, {QStringLiteral("ranking"), spec::FlipsDecision::Ranking}};
  const auto form = kForms.find(decision.value(QLatin1String("form")).toString());
  if (form != kForms.end()) reading.decision.form = form->second;
  reading.decision.k = decision.value(QLatin1String("k")).toInteger();
  reading.decision.tie_within = decision.value(QLatin1String("tie_within")).toDouble();
  reading.decision.ignore_index = decision.value(QLatin1String("ignore_index")).toInteger();
  reading.decision.positions = decision.value(QLatin1String("positions")).toInteger();
  reading.decision.log_probabilities = decision.value(QLatin1String("log_probabilities")).toBool();
  const QJsonObject unit = object.value(QLatin1String("target_unit")).toObject();
  reading.unit.scale = numbersOf(unit.value(QLatin1String("scale")));
  reading.unit.offset = numbersOf(unit.value(QLatin1String("offset")));
  reading.unit.log10 = unit.value(QLatin1String("log10")).toBool();
  const QJsonObject utility = object.value(QLatin1String("utility")).toObject();
  if (!utility.isEmpty()) {
    spec::Utility& gains = reading.utility.emplace();
    for (const auto& row : utility.value(QLatin1String("matrix")).toArray()) gains.matrix.push_back(numbersOf(row));
    if (utility.contains(QLatin1String("no_decision"))) {
      gains.no_decision = utility.value(QLatin1String("no_decision")).toDouble();
    }
    gains.unit = utility.value(QLatin1String("unit")).toString().toStdString();
  }
  return reading;
}

Direction directionOf(bool flips, const std::optional<bool>& reference, const std::optional<bool>& trial) {
  if (!flips) return Direction::None;
  if (!reference || !trial) return Direction::Unknown;
  if (*reference == *trial) return Direction::Neutral;  // two sets may both be right
  return *trial ? Direction::WrongToRight : Direction::RightToWrong;
}

/// Of the reference's weights under the trial's policy, which an archive does not keep: worked out as the run did.
std::optional<bool> correctOfSameWeights(const record::CaseRow& row, const judge::DecisionRule* decision) {
  constexpr double kNoMatter = 1.0;  // the RMS, which decisions do not depend on
  const bool isAnswered = row.correct_same_weights || row.positions || row.output_same_weights.empty();
  if (isAnswered || decision == nullptr) return row.correct_same_weights;
  try {
    record::CaseRow compared = row;
    judge::compare(compared, *decision, kNoMatter);
    return compared.correct_same_weights;
  } catch (const Error&) {
    return std::nullopt;  // outputs of different lengths: the rules say so
  }
}

bool decides(const judge::DecisionRule& decision) { return decision.kind != judge::DecisionKind::None; }

/// Decisions that no number says: sets, orders, ties.
bool isInWords(const judge::DecisionRule& decision) {
  return decision.form != spec::FlipsDecision::Task || decision.ties == "tie-is-a-decision";
}

std::optional<double> qualityOf(const std::vector<record::CaseRow>& rows, const std::string& metric, bool reference,
                                const Reading& reading) {
  try {
    const double value = judge::quality(rows, metric, spec::Of::Trained, reference, reading.unit, reading.decision);
    if (rows.empty()) return std::nullopt;
    return value;
  } catch (const Error&) {
    return std::nullopt;  // an archive's metric that this version does not know: the column says that it is not there
  }
}

SliceFacts sliceOf(const std::vector<const CaseFacts*>& facts, const std::vector<record::CaseRow>& rows,
                   const std::string& metric, const std::optional<Reading>& reading) {
  SliceFacts slice;
  slice.cases = static_cast<std::int64_t>(facts.size());
  for (const CaseFacts* const one : facts) {
    for (const Side side : kSides) {
      slice.flips[index(side)] += one->side(side).flips ? 1 : 0;
      if (one->side(side).isMeasured) slice.isCompared[index(side)] = true;
    }
    const CaseSide& same = one->side(Side::SameWeights);
    if (!same.isMeasured) continue;
    // Nothing is worse than NaN.
    const bool isWorse = !slice.largest || std::isnan(same.relative) || same.relative > *slice.largest;
    if (isWorse && !(slice.largest && std::isnan(*slice.largest))) slice.largest = same.relative;
  }
  if (!reading || metric.empty()) return slice;
  slice.reference = qualityOf(rows, metric, true, *reading);
  slice.trial = qualityOf(rows, metric, false, *reading);
  return slice;
}

}  // namespace

CaseFacts factsOf(const record::CaseRow& row, const judge::DecisionRule* decision) {
  constexpr std::size_t kTargets = 2;  // one is shown, and that there are more
  CaseFacts facts;
  facts.id = QString::fromStdString(row.id);
  facts.kind = row.kind;
  facts.slice = QString::fromStdString(row.slice);
  facts.target.assign(row.target.begin(),
                      row.target.begin() + static_cast<std::ptrdiff_t>(std::min(kTargets, row.target.size())));
  facts.decision = row.decision_reference;
  facts.positions = row.positions;
  facts.positionsCorrect = row.positions_correct_reference;
  facts.margin = row.margin_reference;
  facts.tie = row.tie_reference;

  const auto isFinite = [](const std::vector<double>& output) {
    return std::all_of(output.begin(), output.end(), [](double value) { return std::isfinite(value); });
  };
  CaseSide& same = facts.sides[index(Side::SameWeights)];
  same.isMeasured = !row.output_same_weights.empty() || row.position_flips_same_weights.has_value();
  same.flips = row.flip_same_weights;
  same.direction =
      same.flips ? directionOf(true, row.correct_reference, correctOfSameWeights(row, decision)) : Direction::None;
  if (same.flips && !row.positions && !isFinite(row.output_same_weights)) same.direction = Direction::NoDecision;
  same.decision = row.decision_same_weights;
  same.positionFlips = row.position_flips_same_weights;
  same.relative = row.case_relative_same_weights;
  if (decision != nullptr && !row.positions && !row.output_same_weights.empty()) {
    same.margin = judge::margin(*decision, row.output_same_weights);
    same.tie = same.margin && *same.margin <= decision->tie_within;
  }

  CaseSide& trained = facts.sides[index(Side::Trained)];
  trained.isMeasured = !row.output.empty() || row.position_flips.has_value();
  trained.flips = row.flip;
  trained.tie = row.tie;
  trained.direction = directionOf(trained.flips, row.correct_reference, row.correct);
  if (trained.flips && !row.positions && !isFinite(row.output)) trained.direction = Direction::NoDecision;
  trained.decision = row.decision;
  trained.positionFlips = row.position_flips;
  trained.margin = row.margin;
  trained.relative = row.case_relative;
  if (decision != nullptr && !row.positions && isInWords(*decision)) {
    const auto wordsOf = [decision](const std::vector<double>& output) {
      return QString::fromStdString(judge::decision_words(*decision, output));
    };
    facts.words = wordsOf(row.output_reference);
    same.words = wordsOf(row.output_same_weights);
    trained.words = wordsOf(row.output);
  }
  return facts;
}

std::vector<SliceFacts> slicesOf(const std::vector<record::CaseRow>& rows, const std::vector<CaseFacts>& facts,
                                 const std::string& metric, const std::optional<std::string>& evidence) {
  if (rows.empty()) return {};
  const std::optional<Reading> reading = readingOf(evidence);
  std::map<QString, std::vector<std::size_t>> places;
  std::vector<const CaseFacts*> all;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    all.push_back(&facts[i]);
    if (!facts[i].slice.isEmpty()) places[facts[i].slice].push_back(i);
  }
  std::vector<SliceFacts> slices = {sliceOf(all, rows, metric, reading)};
  slices.front().isWhole = true;
  for (const auto& [name, members] : places) {
    std::vector<const CaseFacts*> chosen;
    std::vector<record::CaseRow> own;
    for (const std::size_t place : members) {
      chosen.push_back(&facts[place]);
      own.push_back(rows[place]);
    }
    slices.push_back(sliceOf(chosen, own, metric, reading));
    slices.back().name = name;
  }
  QCollator byNumber;  // 2 before 10
  byNumber.setNumericMode(true);
  std::stable_sort(slices.begin() + 1, slices.end(), [&byNumber](const SliceFacts& one, const SliceFacts& other) {
    return byNumber.compare(one.name, other.name) < 0;
  });
  return slices;
}

namespace {

record::VerdictContext besideOf(const archive::Reader& reader, const record::TrialRow& trial,
                                std::vector<record::CaseRow> rows, const std::optional<Reading>& reading) {
  const bool isForeign = trial.start.kind == record::TrialKind::Foreign;
  const Reading known = reading.value_or(Reading());
  const bool isWhole = !rows.empty() && !rows.front().positions;
  if (reading && isWhole) {
    try {
      judge::compare(rows, known.decision);  // an archive does not keep which decisions of the same weights are right
    } catch (const Error&) {
      rows.clear();  // outputs of different lengths: the rules say so
    }
  }
  const auto context = isForeign ? std::nullopt : reader.context(trial.start.reference);
  record::VerdictContext beside =
      judge::verdict_context(rows, known.decision, known.unit, context, trial.end.quality_metric);
  if (isForeign) {
    beside.missing = beside.inputs.missing =
        QCoreApplication::translate("VerdictPage", "the run was made elsewhere, and its inputs are not known")
            .toStdString();
  }
  return beside;
}

/// By the targets of the run, of the cases whose outcomes are known.
std::optional<VerdictData::KnownQuality> qualityOfKnown(std::vector<record::CaseRow> rows,
                                                        const std::vector<record::CaseOutcome>& outcomes,
                                                        const std::string& metric,
                                                        const std::optional<Reading>& reading) {
  if (outcomes.empty() || !reading || metric.empty()) return std::nullopt;
  VerdictData::KnownQuality known;
  try {
    judge::compare(rows, reading->decision);  // which decisions of the same weights are right is not kept
    std::vector<record::CaseRow> chosen;
    for (const record::CaseOutcome& one : outcomes) {
      const auto place = static_cast<std::size_t>(one.position);
      if (place < rows.size() && rows[place].id == one.id) chosen.push_back(rows[place]);
    }
    const auto value = [&](spec::Of of, bool isReference) -> std::optional<double> {
      const double quality = judge::quality(chosen, metric, of, isReference, reading->unit, reading->decision);
      return std::isnan(quality) ? std::nullopt : std::optional<double>(quality);
    };
    known.reference = value(spec::Of::Trained, true);
    known.trained = value(spec::Of::Trained, false);
    const bool hasSame = std::all_of(chosen.begin(), chosen.end(),
                                     [](const record::CaseRow& row) { return !row.output_same_weights.empty(); });
    if (hasSame) known.sameWeights = value(spec::Of::SameWeights, false);
  } catch (const Error&) {
    return known;  // outputs of different lengths: the rules say so
  }
  return known;
}

}  // namespace

SharedVerdict readVerdict(const QString& archive, std::int64_t trial) {
  const archive::Reader reader(archive.toStdString());
  auto data = std::make_shared<VerdictData>();
  data->trial = reader.trial(trial);
  if (data->trial.start.reference != 0) {
    data->latencyReference = reader.trial(data->trial.start.reference).end.latency;
  }
  const std::int64_t experiment = data->trial.experiment_id;
  data->fixedAt = QString::fromStdString(reader.fixed_at(experiment));
  record::ExperimentStart start = reader.experiment(experiment);
  data->rules = std::move(start.rules);
  data->rulesSha256 = std::move(start.rules_sha256);
  data->experimentText = std::move(start.text);
  data->experimentFile = QString::fromStdString(start.file);
  data->judgements = reader.judgements(trial);
  data->caseSet = reader.case_set(experiment);
  const std::optional<std::string> evidence = reader.evidence(trial);
  const std::optional<Reading> reading = readingOf(evidence);
  const std::vector<record::CaseRow> rows = reader.cases(trial);
  data->cases.reserve(rows.size());
  for (const record::CaseRow& row : rows) data->cases.push_back(factsOf(row, reading ? &reading->decision : nullptr));
  const auto hasDecision = [](const CaseFacts& one) { return one.decision || one.positions; };
  data->hasDecisions =
      reading ? decides(reading->decision) : std::any_of(data->cases.begin(), data->cases.end(), hasDecision);
  const std::string& metric = data->trial.end.quality_metric;
  data->higherIsBetter = metric.empty() || spec::higher_is_better(metric);
  if (reading && reading->utility && !rows.empty()) {
    data->trial.end.utility = judge::utility_of(rows, reading->decision, *reading->utility);
  }
  data->ofKnownOutcomes = qualityOfKnown(rows, reader.outcomes(trial), metric, reading);
  data->slices = slicesOf(rows, data->cases, metric, evidence);
  data->beside = besideOf(reader, data->trial, rows, reading);
  return data;
}

}  // namespace mantissa::ui::verdict
