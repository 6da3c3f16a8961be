// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/record/case_row.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// One part (training or test) of a data set, ready for a model.
struct Part {
  /// [rows, features] or [rows, shape…], preprocessed: FP32, or int64 where all input columns are integers.
  /// language-model: int64 [rows, context], character indices.
  at::Tensor inputs;
  /// int64 [rows] class indices, or FP32 [rows, T] in the model's units. language-model: int64 [rows, context], the
  /// character after each one of the inputs.
  at::Tensor targets;
  std::vector<std::string> ids;     ///< per row: the id column, else the row number in the source, from 1
  std::vector<std::string> slices;  ///< per row; empty where there is no slice column
  std::vector<bool> edge;  ///< per row, whether cases.edge holds; empty where that is not asked, or not of this part
  /// Per row, what context.rule predicts: a class index, or a number in the target's own unit; NaN where it says
  /// nothing that could be one. Empty where there is no rule, or not of this part.
  std::vector<double> written_rule;
  std::int64_t rows() const { return inputs.defined() ? inputs.size(0) : 0; }
};

/// The cases of cases.path, preprocessed as the data is.
struct FileCases {
  Part part;  ///< where a target is missing it is 0 there, for models that take targets
  std::vector<record::CaseKind> kinds;
  std::vector<bool> has_target;
  std::string sha256;  ///< of ids, raw inputs, kinds and targets
};

/// A data set, split and preprocessed as the experiment says.
struct Dataset {
  std::string name;
  spec::Task task = spec::Task::Classification;
  Part train;
  Part test;                             ///< in split order; zero rows where there is no test part
  std::optional<FileCases> file_cases;   ///< no part of the training, and of none of the hashes below
  std::int64_t classes = 0;              ///< classification; language-model: characters of the vocabulary
  std::vector<std::string> class_names;  ///< by index, where labels were mapped or are text; the characters; else empty
  std::vector<std::string> input_names;
  std::vector<std::string> target_names;
  std::vector<bool> integer_inputs;  ///< by input_names: whole numbers that a model may want as integers

  // Back to the target's own unit: own = inverse_transform(model unit · target_scale[t] + target_offset[t]).
  std::vector<double> target_scale;   ///< 1 unless target_transform = "standardize"
  std::vector<double> target_offset;  ///< 0 unless target_transform = "standardize"
  bool target_log10 = false;          ///< own = 10 ^ value

  std::string sha256;                ///< of raw inputs, targets and their layout before preprocessing
  std::string preprocessing_sha256;  ///< of split, statistics and transforms: part of the reference lock
  std::vector<std::string> notes;    ///< sentences: "12 rows with missing values were left out"
};

/// Reads, checks, splits and preprocesses (statistics from the training part only; split.h, preprocess.h).
///
/// Split: perm = torch.randperm(rows) seeded by test.seed; the test part is perm[:n], n = round(fraction · rows) with
/// halves to even, the training part perm[n:], both in that order. With fraction = 0 nothing is permuted; with a test
/// file both parts are the files as they stand. Targets fit the loss: class indices for cross_entropy and nll (and
/// where a classification names no loss), FP32 [rows, T] for every other loss, 0 and 1 for the two binary ones.
/// A built-in set with a test part of its own keeps it unless data.test is given. Language models: text.h.
/// \throws Error FileProblem, DataProblem (row and column in the facts), InvalidSetting.
Dataset load(const spec::Experiment& experiment);

/// The order of the training part's rows in one epoch (epochs from 0): a permutation seeded by training.seed + epoch,
/// or 0, 1, 2, … for order = "file". int64 [rows].
at::Tensor epoch_order(const spec::Experiment& experiment, std::int64_t rows, std::int64_t epoch);

/// Names of the built-in sets that this version has, sorted.
std::vector<std::string> built_in_names();

}  // namespace mantissa::data
