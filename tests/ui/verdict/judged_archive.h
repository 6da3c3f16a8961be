// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/judgement_rows.h"
#include "core/archive/writer.h"
#include "core/record/case_row.h"

namespace mantissa::test {

inline record::RuleVerdict ruleOf(const char* name, record::VerdictWord word, const char* of, const char* limit,
                                  std::optional<double> value, std::optional<double> bound, std::int64_t cases,
                                  const char* unit = "") {
  record::RuleVerdict rule;
  rule.name = name;
  rule.verdict = word;
  rule.of = of;
  rule.limit = limit;
  rule.value = value;
  rule.limit_value = bound;
  rule.cases = cases;
  rule.unit = unit;
  rule.reason = std::string("because of ") + name;
  return rule;
}

/// A case of two classes whose reference decides for 0 with this margin.
inline record::CaseRow caseOf(const std::string& id, double margin, double relative) {
  record::CaseRow row;
  row.id = id;
  row.slice = "a";
  row.target = {0};
  row.output_reference = {margin, 0};
  row.output = row.output_same_weights = row.output_reference;
  row.decision = row.decision_reference = row.decision_same_weights = 0;
  row.margin = row.margin_reference = margin;
  row.correct = row.correct_reference = row.correct_same_weights = true;
  row.case_relative = row.case_relative_same_weights = relative;
  return row;
}

/// Six cases: "1" and "2" as the reference decides, "3" flips from right to wrong with both weights, "4" is a tie that
/// flips from wrong to right with the trial's own, "5" deviates by nothing, "6" is NaN with the reference's weights.
inline std::vector<record::CaseRow> sixCases() {
  std::vector<record::CaseRow> rows;
  rows.push_back(caseOf("1", 0.5, 0.0015));
  rows.push_back(caseOf("2", 0.2, 0.015));
  rows.push_back(caseOf("3", 0.01, 0.03));
  record::CaseRow& wrong = rows.back();
  wrong.kind = record::CaseKind::Boundary;
  wrong.decision = wrong.decision_same_weights = 1;
  wrong.flip = wrong.flip_same_weights = true;
  wrong.correct = wrong.correct_same_weights = false;
  wrong.output = wrong.output_same_weights = {0, 0.02};
  wrong.margin = 0.02;
  rows.push_back(caseOf("4", 0.3, 0.0016));
  record::CaseRow& tie = rows.back();
  tie.slice = "b";
  tie.target = {1};
  tie.correct_reference = tie.correct_same_weights = false;
  tie.decision = 1;
  tie.correct = true;
  tie.flip = tie.tie_reference = true;
  tie.margin_reference = 0;
  rows.push_back(caseOf("5", 0.4, 0));
  rows.back().slice = "b";
  rows.push_back(caseOf("6", 0.6, 0.002));
  rows.back().case_relative_same_weights = std::numeric_limits<double>::quiet_NaN();
  rows.back().output_same_weights = {std::numeric_limits<double>::quiet_NaN(), 0};
  return rows;
}

inline record::Verdict rejectedVerdict() {
  record::Verdict verdict;
  verdict.word = record::VerdictWord::Rejected;
  verdict.scope_device = "cpu";
  verdict.scope_cast_policy = "device";
  verdict.target = "as-run";
  verdict.rules_sha256 = "7c1e4b90d2a516f8aa";
  using record::VerdictWord;
  verdict.rules = {
      ruleOf("non_finite", VerdictWord::Accepted, "", "nothing non-finite", std::nullopt, std::nullopt, 20),
      ruleOf("output", VerdictWord::Accepted, "same_weights", "q0.99 of case_relative at most 0.02", 0.015, 0.02, 6),
      ruleOf("flips.boundary", VerdictWord::Rejected, "same_weights", "at most 0 flips of boundary cases", 1, 0, 1,
             "flips"),
      ruleOf("progress.min_applied_fraction", VerdictWord::Undecided, "",
             "at least 0.98 of the attempted steps applied", 1, 0.98, 20)};
  verdict.reasons = {"1 of 1 boundary case decides differently"};
  return verdict;
}

struct JudgedArchive {
  std::int64_t experiment = 0, reference = 0, judged = 0, running = 0;
  std::shared_ptr<archive::Writer> writer;  ///< as long as it is there the trial runs
};

/// A reference, a rejected trial "fp16" with these cases, and a trial "bf16" that runs.
inline JudgedArchive makeJudgedArchive(const QString& file, const std::vector<record::CaseRow>& cases,
                                       bool isPostHocToo = false) {
  JudgedArchive ids;
  const std::string path = file.toStdString();
  ids.writer = std::make_shared<archive::Writer>(path);
  archive::Writer& writer = *ids.writer;
  record::ExperimentStart experiment;
  experiment.name = "digits";
  experiment.file = "digits.toml";
  experiment.rules =
      R"({"flips":{"max":0,"max_by_kind":{"boundary":0},"of":"same_weights"},"non_finite":"reject","output":[{"max":{"float16":0.02},"measure":"case_relative","of":"same_weights","q":0.99,"reduce":"quantile"}],"progress":null,"quality":[],"target":"as-run","threshold":0.5,"threshold_given":false})";
  experiment.rules_sha256 = "7c1e4b90d2a516f8aa";
  record::TrialStart start;
  start.experiment = ids.experiment = writer.begin_experiment(experiment);
  start.kind = record::TrialKind::Reference;
  start.name = "reference";
  start.autocast = "off";
  start.device = "cpu";
  ids.reference = writer.begin_trial(start);
  start.reference = ids.reference;
  start.kind = record::TrialKind::Trial;
  start.name = "fp16";
  start.autocast = "float16";
  ids.judged = writer.begin_trial(start);
  start.name = "bf16";
  start.autocast = "bfloat16";
  ids.running = writer.begin_trial(start);
  writer.write_cases(ids.judged, cases);
  record::TrialEnd end;
  end.counts.attempted = end.counts.applied = 20;
  writer.finish_trial(ids.reference, end);
  end.quality_metric = "accuracy";
  end.quality = 5.0 / 6;
  end.quality_reference = 5.0 / 6;
  end.verdict = rejectedVerdict();
  end.evidence =
      R"({"decision":{"kind":"arg-max","threshold":0.5,"ties":"lowest-index","ignore_index":-100,"positions":0,"log_probabilities":false},"task":"classification","target_unit":{"scale":[],"offset":[],"log10":false}})";
  record::YardstickReading floor;
  floor.of = "same_weights";
  floor.measure = "q0.99 of case_relative";
  floor.yardstick = "rounding-floor";
  floor.value = 0.015;
  floor.size = 4e-7;
  end.yardsticks = {floor};
  writer.finish_trial(ids.judged, end);
  writer.flush();
  if (isPostHocToo) {
    record::Judgement judgement;
    judgement.trial = ids.judged;
    judgement.post_hoc = true;
    judgement.rules = R"({"target":"as-run","non_finite":"reject","output":[],"flips":{"max":9,"of":"same_weights"}})";
    judgement.rules_file = "/somewhere/softer.toml";
    judgement.verdict = rejectedVerdict();
    judgement.verdict.word = record::VerdictWord::Accepted;
    judgement.verdict.rules_sha256 = "0123456789abcdef";
    judgement.verdict.rules.resize(1);
    judgement.verdict.reasons = {"the 1 rule holds"};
    archive::keep_judgement(path, judgement);
  }
  return ids;
}

}  // namespace mantissa::test
