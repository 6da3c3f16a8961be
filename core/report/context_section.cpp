// SPDX-License-Identifier: Apache-2.0
#include "core/report/context_section.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/report/json_documents.h"
#include "core/report/plain_words.h"
#include "core/report/tables.h"

namespace mantissa::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCases = 5;  // of inputs, by name; the document has all

std::string predictor_words(const std::string& predictor) {
  if (predictor == "constant") return "constant";
  if (predictor == "linear") return "linear";
  if (predictor == "written-rule") return "written rule";
  return predictor;
}

std::string with_article(const std::string& predictor) {
  if (predictor == "constant") return "the constant predictor";
  if (predictor == "linear") return "the linear model";
  return "the " + predictor_words(predictor);
}

std::string of_words(const std::string& of) { return of == "same_weights" ? "same weights" : of; }

std::string cases_words(std::int64_t count) { return count_words(count) + (count == 1 ? " case" : " cases"); }

std::string columns_words(std::int64_t count) { return count_words(count) + (count == 1 ? " column" : " columns"); }

std::string percent_words(double share) {
  const double percent = 100.0 * share;
  return (percent != 0.0 && std::abs(percent) < 0.1 ? "less than 0.1" : number_words(std::round(percent * 10) / 10)) +
         " %";
}

std::string line(int indent, const std::string& text) {
  return std::string(static_cast<std::size_t>(indent), ' ') + text + '\n';
}

/// Each predictor in the order of its first score.
std::vector<std::string> predictors_of(const record::VerdictContext& context) {
  std::vector<std::string> predictors;
  for (const record::WeighedQuality& quality : context.qualities) {
    for (const record::ContextScore& score : quality.scores) {
      if (std::find(predictors.begin(), predictors.end(), score.predictor) == predictors.end()) {
        predictors.push_back(score.predictor);
      }
    }
  }
  return predictors;
}

const record::ContextScore* score_of(const record::WeighedQuality& quality, const std::string& predictor) {
  const auto found = std::find_if(quality.scores.begin(), quality.scores.end(),
                                  [&](const record::ContextScore& one) { return one.predictor == predictor; });
  return found == quality.scores.end() ? nullptr : &*found;
}

std::string qualities_text(const record::VerdictContext& context, int indent) {
  if (!context.missing.empty()) {
    return line(indent, "constant predictor and linear model: not measured, " + context.missing);
  }
  const std::vector<std::string> predictors = predictors_of(context);
  std::vector<Table::Column> columns = {{"beside"}, {"reference", Table::Align::Right}, {"trial", Table::Align::Right}};
  for (const std::string& predictor : predictors) columns.push_back({predictor_words(predictor), Table::Align::Right});
  Table table(std::move(columns));
  std::string sentences;
  std::map<std::string, std::string> notes;
  for (const record::WeighedQuality& quality : context.qualities) {
    std::vector<std::string> cells = {quality.metric, number_words(quality.reference), number_words(quality.trial)};
    for (const std::string& predictor : predictors) {
      const record::ContextScore* const score = score_of(quality, predictor);
      cells.push_back(score == nullptr ? number_words(std::optional<double>()) : number_words(score->value));
      if (score == nullptr) continue;
      notes[predictor] = score->value ? score->note : "not measured, " + score->note;
      if (const std::string sentence = weight_sentence(quality, *score); !sentence.empty()) {
        sentences += line(indent, sentence);
      }
    }
    table.add_row(std::move(cells));
  }
  std::string text = table.text(indent) + sentences;
  for (const std::string& predictor : predictors) {
    if (!notes[predictor].empty()) text += line(indent, with_article(predictor) + ": " + notes[predictor]);
  }
  return text;
}

/// Of each comparison the output that moved most.
std::string shifts_text(const record::VerdictContext& context, int indent) {
  if (context.shifts.empty()) {
    return context.shifts_missing.empty()
               ? std::string()
               : line(indent, "distributions of outputs: not measured, " + context.shifts_missing);
  }
  std::string text;
  for (const char* const of : {"same_weights", "trained"}) {
    const record::PredictionShift* worst = nullptr;
    std::int64_t outputs = 0;
    for (const record::PredictionShift& shift : context.shifts) {
      if (shift.of != of) continue;
      ++outputs;
      const bool is_nan = worst != nullptr && std::isnan(worst->population_stability);
      if (is_nan) continue;
      const bool is_worse = worst == nullptr || !(shift.population_stability <= worst->population_stability);
      if (is_worse) worst = &shift;
    }
    if (worst == nullptr) continue;
    text += line(indent,
                 "distribution of outputs (" + of_words(of) + "): of " + count_words(outputs) +
                     (outputs == 1 ? " output, " : " outputs, output " + count_words(worst->output) + " moved most, ") +
                     "population stability " + number_words(worst->population_stability) +
                     ", Kolmogorov–Smirnov distance " + number_words(worst->kolmogorov_smirnov) + " over " +
                     cases_words(worst->cases));
  }
  return text;
}

std::string paired_text(const record::VerdictContext& context, int indent) {
  std::string text;
  for (const record::PairedDecisions& paired : context.paired) {
    text += line(indent, "right decisions (" + of_words(paired.of) + "): of " + cases_words(paired.cases) +
                             " the reference alone is right in " + count_words(paired.only_reference) +
                             ", the trial alone in " + count_words(paired.only_trial) + "; McNemar's exact p " +
                             number_words(paired.p_value) + ", shown and never judged");
  }
  return text;
}

struct SliceInputs {
  std::int64_t non_finite = 0, outside = 0;
};

std::map<std::string, SliceInputs> by_slice(const record::InputQuality& inputs) {
  std::map<std::string, SliceInputs> slices;
  for (const record::InputCase& one : inputs.of_cases) {
    if (one.slice.empty()) continue;
    SliceInputs& slice = slices[one.slice];
    if (one.non_finite > 0) ++slice.non_finite;
    if (one.outside > 0) ++slice.outside;
  }
  return slices;
}

std::string inputs_text(const record::InputQuality& inputs, int indent) {
  if (!inputs.missing.empty()) return line(indent, "inputs: not measured, " + inputs.missing);
  std::int64_t non_finite = 0;
  std::int64_t outside = 0;
  for (const record::InputCase& one : inputs.of_cases) {
    if (one.non_finite > 0) ++non_finite;
    if (one.outside > 0) ++outside;
  }
  std::string constant;
  std::int64_t constants = 0;
  for (const record::InputColumn& column : inputs.noted) {
    if (!column.constant) continue;
    if (++constants <= 3) constant += (constant.empty() ? "" : ", ") + column.name;
  }
  if (constants > 3) constant += " …";
  std::string text =
      line(indent, "inputs: " + cases_words(inputs.cases) + " of " + columns_words(inputs.columns) +
                       "; non-finite in " + cases_words(non_finite) + ", outside the training range in " +
                       cases_words(outside) + "; " + columns_words(constants) + " constant over the frozen set" +
                       (constants > 0 ? " (" + constant + ")" : std::string()));
  for (std::size_t i = 0; i < std::min(kMostCases, inputs.of_cases.size()); ++i) {
    const record::InputCase& one = inputs.of_cases[i];
    text += line(indent + 2, "case " + one.id + ": " +
                                 (one.non_finite > 0 ? count_words(one.non_finite) + " non-finite, " : std::string()) +
                                 count_words(one.outside) + " outside: " + one.columns);
  }
  if (inputs.of_cases.size() > kMostCases) {
    text += line(indent + 2, "and " + cases_words(static_cast<std::int64_t>(inputs.of_cases.size() - kMostCases)) +
                                 " more, all with --json");
  }
  for (const auto& [name, slice] : by_slice(inputs)) {
    text += line(indent + 2, "slice " + name + ": non-finite in " + cases_words(slice.non_finite) +
                                 ", outside the training range in " + cases_words(slice.outside));
  }
  return text;
}

Json number_or_null(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json qualities_of(const record::VerdictContext& context) {
  Json list = Json::array();
  for (const record::WeighedQuality& quality : context.qualities) {
    Json predictors = Json::array();
    for (const record::ContextScore& score : quality.scores) {
      predictors.push_back({{"predictor", score.predictor},
                            {"value", number_or_null(score.value)},
                            {"note", score.note},
                            {"drop_of_lack", number_or_null(quality.drop_of_lack(score))}});
    }
    list.push_back({{"metric", quality.metric},
                    {"direction", quality.higher_is_better ? "higher" : "lower"},
                    {"reference", number_or_null(quality.reference)},
                    {"trial", number_or_null(quality.trial)},
                    {"drop", number_or_null(quality.drop())},
                    {"predictors", predictors}});
  }
  return list;
}

Json shifts_of(const record::VerdictContext& context) {
  Json list = Json::array();
  for (const record::PredictionShift& shift : context.shifts) {
    list.push_back({{"output", shift.output},
                    {"of", shift.of},
                    {"cases", shift.cases},
                    {"population_stability", json_number(shift.population_stability)},
                    {"kolmogorov_smirnov", json_number(shift.kolmogorov_smirnov)},
                    {"non_finite_reference", shift.non_finite_reference},
                    {"non_finite", shift.non_finite},
                    {"histogram",
                     {{"from", json_number(shift.low)},
                      {"to", json_number(shift.high)},
                      {"reference", shift.counts_reference},
                      {"trial", shift.counts}}}});
  }
  return list;
}

Json inputs_of(const record::InputQuality& inputs) {
  Json columns = Json::array();
  for (const record::InputColumn& column : inputs.noted) {
    columns.push_back({{"name", column.name},
                       {"position", column.position},
                       {"training_minimum", number_or_null(column.training_minimum)},
                       {"training_maximum", number_or_null(column.training_maximum)},
                       {"constant", column.constant},
                       {"non_finite", column.non_finite},
                       {"outside", column.outside}});
  }
  Json cases = Json::array();
  for (const record::InputCase& one : inputs.of_cases) {
    cases.push_back({{"case", one.id},
                     {"slice", text_or_null(one.slice)},
                     {"non_finite", one.non_finite},
                     {"outside", one.outside},
                     {"columns", one.columns}});
  }
  Json slices = Json::array();
  for (const auto& [name, slice] : by_slice(inputs)) {
    slices.push_back({{"slice", name}, {"non_finite", slice.non_finite}, {"outside", slice.outside}});
  }
  return {{"missing", text_or_null(inputs.missing)},
          {"cases", inputs.cases},
          {"columns", inputs.columns},
          {"noted_columns", columns},
          {"noted_cases", cases},
          {"slices", slices}};
}

}  // namespace

std::string weight_sentence(const record::WeighedQuality& quality, const record::ContextScore& score) {
  const std::optional<double> drop = quality.drop();
  if (!drop || !score.value || !std::isfinite(*drop)) return {};
  const std::string who = with_article(score.predictor);
  const std::optional<double> share = quality.drop_of_lack(score);
  if (!share) {
    const bool known = std::isfinite(*score.value);
    return known ? who + " is as good as the reference in " + quality.metric + ", or better" : std::string();
  }
  if (*drop <= 0.0) {
    return "no drop of " + quality.metric + "; " + who + " lacks " +
           number_words(std::abs(*quality.reference - *score.value)) + " to the reference";
  }
  return "the drop of " + quality.metric + " is " + percent_words(*share) + " of what " + who +
         " lacks to the reference";
}

std::string context_section(const record::VerdictContext& context, int indent) {
  return qualities_text(context, indent) + paired_text(context, indent) + shifts_text(context, indent) +
         inputs_text(context.inputs, indent);
}

Json context_document(const record::VerdictContext& context) {
  Json paired = Json::array();
  for (const record::PairedDecisions& one : context.paired) {
    paired.push_back({{"of", one.of},
                      {"cases", one.cases},
                      {"only_reference", one.only_reference},
                      {"only_trial", one.only_trial},
                      {"mcnemar_p", json_number(one.p_value)}});
  }
  return {{"missing", text_or_null(context.missing)},
          {"qualities", qualities_of(context)},
          {"paired_decisions", paired},
          {"distributions_missing", text_or_null(context.shifts_missing)},
          {"distributions", shifts_of(context)},
          {"inputs", inputs_of(context.inputs)}};
}

}  // namespace mantissa::report
