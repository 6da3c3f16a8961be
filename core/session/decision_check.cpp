// SPDX-License-Identifier: Apache-2.0
#include "core/session/decision_check.h"

#include <string>

#include "core/base/error.h"
#include "core/judge/utility.h"
#include "core/spec/parse.h"

namespace mantissa::session {
namespace {

[[noreturn]] void refuse(const spec::Experiment& experiment, const std::string& key, const std::string& problem,
                         const std::string& found, const std::string& expected, const std::string& remedy) {
  int line = experiment.position(key).line;
  if (line == 0) line = experiment.position(key.substr(0, key.rfind('.'))).line;
  throw Error(ErrorKind::InvalidSetting, {problem, experiment.file, line, 0, key, found, expected, remedy});
}

void check_form(const spec::Experiment& experiment, const judge::DecisionRule& decision, std::int64_t classes) {
  if (decision.form == spec::FlipsDecision::Task) return;
  if (decision.kind != judge::DecisionKind::ArgMax) {
    refuse(experiment, "rules.flips.decision", "the task decides by no order of its outputs",
           '"' + spec::to_text(decision.form) + '"', "\"task\"",
           "A classification with an output for each class has one");
  }
  if (decision.form == spec::FlipsDecision::TopK && decision.k >= classes) {
    refuse(experiment, "rules.flips.k", "the set of all outputs never changes", std::to_string(decision.k),
           "an integer of at least 1 and at most " + std::to_string(classes - 1) + ", less than the " +
               std::to_string(classes) + " classes",
           "");
  }
}

void check_utility(const spec::Experiment& experiment, const judge::DecisionRule& decision, std::int64_t classes) {
  if (!experiment.utility) return;
  if (decision.kind == judge::DecisionKind::None || decision.positions > 0) {
    refuse(experiment, "utility", "the task makes no decision of a case that could gain or lose", "",
           "a task with a decision", "Leave the table out, or set rules.threshold to give a regression a decision");
  }
  const auto rows = static_cast<std::int64_t>(experiment.utility->matrix.size());
  const std::int64_t wanted = judge::classes_of_utility(decision, classes);
  if (rows == wanted) return;
  const auto size = [](std::int64_t one) { return std::to_string(one) + " x " + std::to_string(one); };
  refuse(
      experiment, "utility.matrix", "a matrix of another size than the decisions", size(rows),
      size(wanted) + (decision.kind == judge::DecisionKind::ArgMax ? ", one row and one column a class"
                                                                   : ", because the threshold decides between 0 and 1"),
      "");
}

}  // namespace

void take_flips(judge::DecisionRule& decision, const spec::Rules& rules) {
  if (!rules.flips) return;
  decision.form = rules.flips->decision;
  decision.k = rules.flips->k;
  decision.ties = rules.flips->ties;
  decision.tie_within = rules.flips->tie_within;
}

void check_decision(const spec::Experiment& experiment, const judge::DecisionRule& decision, std::int64_t classes) {
  check_form(experiment, decision, classes);
  check_utility(experiment, decision, classes);
}

}  // namespace mantissa::session
