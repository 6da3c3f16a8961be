// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/calibration.h"
#include "core/memory/model_ledger.h"
#include "core/memory/plans.h"
#include "core/session/planned_memory.h"

namespace mantissa::cli {

/// One arm of a ledger that was made from an experiment file.
struct ArmLedger {
  std::string arm;
  std::string policy;
  std::string failure;  ///< why there is nothing else, as a sentence; empty: there is
  bool joined = true;   ///< its traces agree; false: other microbatches are scaled from the nearest
  std::vector<memory::ModelLedger> ledgers;        ///< at each microbatch that was asked for
  std::optional<std::int64_t> largest_microbatch;  ///< that fits; nothing: none does, or there is no device
};

struct ExperimentLedger {
  std::string file;
  std::optional<memory::Device> device;  ///< nothing: nobody named one, and nothing can fit or not
  bool outside_is_from_table = false;    ///< memory/outside_table.h; false: typed, or not counted
  std::vector<std::int64_t> microbatches;
  std::int64_t accumulation = 1;
  std::vector<std::int64_t> traced;  ///< microbatches
  std::vector<ArmLedger> arms;       ///< the reference first
  memory::PlanQuestion question;     ///< its options are those of `plans`, in the order of the arms that did not fail
  std::vector<std::string> option_arms;            ///< the arm of each option
  memory::Plans plans;                             ///< empty without a device
  bool times_are_measured = false;                 ///< on the device that traced; false: typed, or none
  std::string archive;                             ///< whose trials the calibration is of
  std::optional<memory::Calibration> calibration;  ///< nothing: no trial was measured

  /// Every arm at every microbatch that was asked for, and every arm has figures. Without a device only the latter.
  bool fits() const;
};

/// For people: what each arm needs by category, where its activations are, the plans, and how far to trust it.
std::string experiment_ledger_page(const ExperimentLedger& ledger);

/// A line a figure: `kind, arm, policy, microbatch, accumulation, name, value, unit`; values are exact.
std::string experiment_ledger_csv(const ExperimentLedger& ledger);

/// The JSON document of resources/schemas/experiment_ledger.schema.json.
std::string experiment_ledger_document(const ExperimentLedger& ledger);

}  // namespace mantissa::cli
