// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/record/trial.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// A run that was made elsewhere: its files, and what is told of it.
struct ForeignFiles {
  std::string reference;  ///< CSV: case, output[i], and as one likes target, kind, slice (session/foreign_files.h)
  std::string trial;      ///< CSV: case, output[i], and as one likes output_same_weights[i]
  std::string steps;      ///< CSV: columns of `export steps`; empty: none is given
  std::string rules;      ///< TOML with [rules], also a whole experiment file
  std::string name;       ///< of the trial; empty: the stem of the trial's file
  std::string autocast;   ///< "off", "float16", "bfloat16"; empty: that of the [[trial]], else not known
  std::string device;     ///< where it ran; empty: training.device, else "foreign"
};

/// A judged run as it stands in the archive.
struct JudgedForeign {
  record::TrialRow reference;
  record::TrialRow trial;
  std::string rules;               ///< JSON of [rules]
  std::vector<std::string> notes;  ///< what was taken where nothing was told: task and decision
};

/// Judges a run that was made elsewhere and keeps it as an experiment with a reference and a trial of kind `foreign`,
/// all of it or nothing.
///
/// Task and decision follow from training.loss and data.task of the rules' file as in a run. Where neither is told:
/// several outputs and a target that is a class index (0 to outputs - 1, or ignore_index) in every case that has one
/// are a classification by arg-max; everything else is a regression.
/// \throws Error FileProblem, DataProblem, InvalidSetting for what was given; whatever opening an archive throws
JudgedForeign judge_foreign(const std::string& archive, const ForeignFiles& files);

/// The experiment of an archived foreign run, from the text of its file of rules.
/// \throws Error ArchiveDamaged where the text gives other rules than those that were kept
spec::Experiment foreign_experiment(const record::ExperimentStart& start, spec::Task task, const std::string& archive);

}  // namespace mantissa::session
