// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/error.h"
#include "core/record/checkpoint.h"
#include "core/record/judgement.h"
#include "core/record/outcomes.h"
#include "core/record/trial.h"
#include "core/record/verdict_context.h"
#include "core/report/loss_summary.h"

namespace mantissa::report {

/// The JSON documents that programs read. Each carries `"mantissa": 1` and has a JSON Schema under resources/schemas.
/// Non-finite numbers are the strings "NaN", "Infinity", "-Infinity"; what was not measured is null.
/// Every document ends with a line feed.

std::string list_document(const std::vector<record::TrialRow>& trials);
/// \param contexts  by trial: what stands beside its verdict
std::string run_document(const record::RunSummary& summary, const std::string& archive, int exit_code,
                         const std::map<std::int64_t, record::VerdictContext>& contexts = {});
std::string show_document(const record::TrialRow& trial, const record::ExperimentStart& experiment,
                          const LossSummary& losses, const record::History& history,
                          const std::optional<record::MatureQuality>& mature = {},
                          const std::optional<record::VerdictContext>& context = {});
std::string judgement_document(const record::TrialRow& trial, const record::Judgement& judgement,
                               const record::Verdict& of_run, const std::string& rules_of_run, int exit_code,
                               const std::optional<record::MatureQuality>& mature = {},
                               const std::optional<record::VerdictContext>& context = {});
/// \param added  how many outcomes were new
std::string outcomes_document(const record::TrialRow& trial, std::int64_t added,
                              const std::optional<record::MatureQuality>& mature);
std::string error_document(ErrorKind kind, const ErrorFacts& facts, int exit_code);

// For the documents of other parts of the product:

/// A number as the documents write it.
nlohmann::ordered_json json_number(double value);

/// Puts `"mantissa": 1` in front and writes the text; bytes that are no UTF-8 become U+FFFD.
std::string document_text(const nlohmann::ordered_json& members);

/// "invalid-setting", "file-problem", …
std::string to_text(ErrorKind kind);

}  // namespace mantissa::report
