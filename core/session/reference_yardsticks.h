// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/judge/step_mean.h"
#include "core/record/case_row.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"
#include "core/session/case_comparison.h"
#include "core/session/prepared.h"
#include "core/spec/experiment.h"
#include "core/train/paired_run.h"
#include "core/train/yardsticks.h"

namespace mantissa::session {

/// What measures the reference against itself in one run: the rounding floor and the run-to-run spread. Each rounding
/// repeat and each whole repeat is an arm of its own in the archive, with its steps and its cases.
///
/// The rounding floor is what other splits of the same sums do: `reference.rounding_repeats` other thread counts (1, 2,
/// 3 … without the run's own), and FP64 (`reference.float64`, on the frozen cases alone). Other thread counts often
/// give equal bits on small models; the floor is 0 then and says so, rather than borrowing another yardstick.
///
/// Repeat r trains like the reference with training.seed + 1000 r: weights, dropout and order, or the order alone.
class ReferenceYardsticks {
 public:
  /// `prepared` must outlive it. \param trials  that the run has
  ReferenceYardsticks(const Prepared& prepared, std::size_t trials);

  /// For the paired run; call once.
  train::Yardsticks for_training();

  /// One row an arm, in the order of the records: the whole repeats, then thread counts, then FP64.
  std::vector<record::TrialStart> starts(std::int64_t experiment_id, std::int64_t reference_id) const;

  std::size_t size() const { return repeats_ + threads_.size() + (float64_ ? 1 : 0); }

  /// Cases and end of arm `i` of `starts`. A model that fails fails that arm alone.
  /// \param compared  the reference was evaluated.
  std::vector<record::CaseRow> finish(std::size_t i, train::PairedRun& run, const CaseComparison& comparison,
                                      bool compared, record::TrialEnd& end);

  /// After all arms are finished: what the reference's notes say of both yardsticks.
  std::vector<std::string> notes_on_reference() const;

  /// Every record of the run. \param place  of its arm in the run: reference, trials, then those of `starts`
  void see(std::size_t place, const record::StepRecord& step);

  /// After all arms are finished: each deviation of a trial beside its own yardstick; of the reference (place 0) the
  /// yardsticks alone. Steps count where a whole repeat and a rounding repeat were measured, too.
  /// \param rows  empty: the cases were not compared.
  std::vector<record::YardstickReading> readings(std::size_t place, const std::vector<record::CaseRow>& rows,
                                                 const record::TrialEnd& end) const;

  void add_evidence(judge::Evidence& evidence) const;

 private:
  struct Means {
    judge::StepMean trajectory;
    judge::StepMean shadow;
  };

  bool is_repeat(std::size_t i) const { return i < repeats_; }
  /// Over some arms of `starts`; nothing where none was measured.
  std::optional<double> largest_mean(std::size_t first, std::size_t count, judge::StepMean Means::*column) const;
  std::string name_of(std::size_t i) const;

  const Prepared& prepared_;
  std::size_t trials_;
  std::size_t repeats_;
  bool vary_seed_;
  std::vector<int> threads_;
  bool float64_;
  std::int64_t every_;                                          // steps
  std::vector<Means> means_;                                    // one an arm of the run, and one a rounding repeat
  std::vector<std::unique_ptr<spec::Experiment>> experiments_;  // of the repeats: their batch plans refer to them
  std::vector<std::vector<record::CaseRow>> rounding_;
  std::vector<std::string> rounding_names_;
  std::vector<std::vector<record::CaseRow>> spread_;
  std::string quality_metric_;
  double quality_spread_ = 0.0;  // largest distance from the reference's quality
};

}  // namespace mantissa::session
