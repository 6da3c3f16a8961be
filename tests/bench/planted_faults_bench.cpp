// SPDX-License-Identifier: Apache-2.0
// Faults planted into training and evaluation, and how the rules of the shipped experiments judge them, over ten seeds:
// mantissa_planted_faults_bench [SEEDS [FIRST]]. Prints a table; a time is nowhere in it. The limit on trained outputs
// was chosen with the seeds 1 to 20, the table is of others.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/error.h"
#include "tests/core/session/planted/faults.h"

using namespace mantissa;
using record::VerdictWord;

namespace {

struct Row {
  int accepted = 0, rejected = 0, undecided = 0, changed = 0;
  std::map<std::string, int> by_rule;  // rules that rejected
  double least = 1e300, most = 0.0;    // of the trained outputs' deviation, as a share of its limit
  std::string missed;                  // of a seed that was not judged as it should be
};

void add(Row& row, const planted::Outcome& outcome, std::uint64_t seed, bool is_sound) {
  const record::Verdict& verdict = outcome.verdict;
  row.accepted += verdict.word == record::VerdictWord::Accepted ? 1 : 0;
  row.rejected += verdict.word == record::VerdictWord::Rejected ? 1 : 0;
  row.undecided += verdict.word == record::VerdictWord::Undecided ? 1 : 0;
  row.changed += outcome.bits_differ ? 1 : 0;
  for (const record::RuleVerdict& rule : verdict.rules) {
    if (rule.verdict == record::VerdictWord::Rejected) ++row.by_rule[rule.name];
    if (rule.name != "output.trained" || !rule.value || !rule.limit_value) continue;
    row.least = std::min(row.least, *rule.value / *rule.limit_value);
    row.most = std::max(row.most, *rule.value / *rule.limit_value);
  }
  const VerdictWord wanted = is_sound ? VerdictWord::Accepted : VerdictWord::Rejected;
  if (verdict.word == wanted || !row.missed.empty()) return;
  for (const record::RuleVerdict& rule : verdict.rules) {
    const bool tells = is_sound ? rule.verdict == VerdictWord::Rejected : rule.name == "output.trained";
    if (tells) row.missed += (row.missed.empty() ? "seed " + std::to_string(seed) + ": " : "; ") + rule.reason;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 10;
  const int first = argc > 2 ? std::atoi(argv[2]) : 31;
  const std::string folder = std::filesystem::temp_directory_path().string();
  try {
    std::printf("%-48s %-20s %5s %5s %5s %5s %15s  %s\n", "fault", "experiment", "rej.", "und.", "acc.", "bits",
                "trained/limit", "rejected by");
    int faulty = 0, caught = 0, sound = 0, taken = 0;
    for (const std::string& experiment : planted::experiments()) {
      std::vector<std::pair<const planted::Fault*, Row>> rows;
      for (int seed = first; seed < first + seeds; ++seed) {
        const auto outcomes = planted::judge_faults(experiment, static_cast<std::uint64_t>(seed), folder);
        if (rows.empty()) {
          for (const auto& outcome : outcomes) rows.emplace_back(outcome.first, Row());
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
          add(rows[i].second, outcomes[i].second, static_cast<std::uint64_t>(seed), rows[i].first->name == "sound");
        }
      }
      for (const auto& [fault, row] : rows) {
        const bool is_sound = fault->name == "sound";
        (is_sound ? sound : faulty) += seeds;
        (is_sound ? taken : caught) += is_sound ? row.accepted : row.rejected;
        std::string by;
        for (const auto& [rule, count] : row.by_rule)
          by += (by.empty() ? "" : ", ") + rule + ' ' + std::to_string(count);
        std::printf("%-48s %-20s %5d %5d %5d %5d %7.3g-%7.3g  %s\n", fault->name.c_str(), experiment.c_str(),
                    row.rejected, row.undecided, row.accepted, row.changed, row.least, row.most, by.c_str());
        if (!row.missed.empty()) std::printf("%48s   %s\n", "", row.missed.c_str());
        std::fflush(stdout);
      }
    }
    std::printf("\n%d faults. faulty trials rejected: %d of %d (%.1f %%); sound trials accepted: %d of %d (%.1f %%)\n",
                faulty / seeds, caught, faulty, 100.0 * caught / faulty, taken, sound, 100.0 * taken / sound);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
