// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::spec {

/// Reads and validates an experiment file. `overrides` are `key=value` texts of `--set`, applied before validation;
/// errors in them name the override instead of a line.
/// \throws Error FileProblem, InvalidSetting (unknown key with the nearest known one, wrong type, out of range, keys
///         that exclude each other), NotYetAvailable (a documented key whose feature this version lacks).
Experiment read_experiment(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same from a text. `file` is the name in messages; relative paths in the text resolve against its folder.
Experiment parse_experiment(const std::string& text, const std::string& file,
                            const std::vector<std::string>& overrides = {});

/// The same experiment under the [rules] of another file, which may be a whole experiment file: its other tables are
/// not looked at but for their keys. Warnings about the rules are those of the result. \throws Error as
/// read_experiment; InvalidSetting where the file has no [rules]
Experiment with_rules_of_file(const std::string& path, Experiment experiment);

/// The same with the text of such a file; `path` is its name in messages.
Experiment with_rules_of_text(const std::string& text, const std::string& path, Experiment experiment);

/// What the file of rules for a run that was made elsewhere says besides its rules: name, data.task, training.loss,
/// training.ignore_index, and training.device where it stands there; of a single [[trial]], or of the one called
/// `trial`, autocast and cast_policy. Everything else has its default and is not looked at but for its keys, so [rules]
/// alone is enough. The rules themselves are left out: the task may follow from the data first.
/// \throws Error as read_experiment
Experiment read_foreign_experiment(const std::string& path, const std::string& trial = {});
Experiment foreign_experiment_of_text(const std::string& text, const std::string& path, const std::string& trial = {});

/// A name for a trial that no file gave. \param option  in messages: "--name"  \throws Error InvalidSetting
std::string checked_trial_name(const std::string& name, const std::string& option);

/// The TOML text of an experiment with the overrides applied, so that it gives the same experiment without them. Starts
/// with a comment line for each override; without overrides the text itself, else comments and the order of keys of the
/// file are lost. \throws Error InvalidSetting as parse_experiment does for broken texts and overrides.
std::string with_overrides(const std::string& text, const std::vector<std::string>& overrides);

/// The whole experiment with defaults filled in, as JSON with sorted keys: what is archived. Paths stand as the file
/// spells them, so that the text does not depend on where the files lie.
std::string canonical_json(const Experiment& experiment);

/// The same without name, description, [budget] and [expect], which say nothing about what is run: the hash of an
/// experiment is taken of this text.
std::string canonical_json_to_hash(const Experiment& experiment);

/// The same of one trial's policy, and of the rules (empty text for none).
std::string canonical_json(const Trial& trial);
std::string canonical_json_of_rules(const Experiment& experiment);

/// Words as the file spells them.
std::string to_text(Task);
std::string to_text(Order);
std::string to_text(Missing);
std::string to_text(Labels);
std::string to_text(TargetTransform);
std::string to_text(PinMemory);
std::string to_text(ActivationCheckpointing);
std::string to_text(ModelKind);
std::string to_text(Activation);
std::string to_text(StoredDtype);
std::string to_text(Attention);
std::string to_text(Loss);
std::string to_text(Reduction);
std::string to_text(OnNonFinite);
std::string to_text(OptimizerKind);
std::string to_text(ScheduleKind);
std::string to_text(SchedulePer);
std::string to_text(Autocast);
std::string to_text(HysteresisRefill);
std::string to_text(Of);
std::string to_text(FlipsDecision);
std::string to_text(Reduce);

}  // namespace mantissa::spec
