// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/record/verdict_context.h"

namespace mantissa::report {

/// What stands beside a verdict and is no rule, for people: qualities beside trivial predictors, distributions, paired
/// decisions, inputs. \param indent  blanks before each line
std::string context_section(const record::VerdictContext& context, int indent);

/// "the drop of accuracy is 20 % of what the linear model lacks to the reference"; empty where neither is known.
std::string weight_sentence(const record::WeighedQuality& quality, const record::ContextScore& score);

/// The same for programs, with every histogram.
nlohmann::ordered_json context_document(const record::VerdictContext& context);

}  // namespace mantissa::report
