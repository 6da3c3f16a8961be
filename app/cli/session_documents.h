// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/session/doctor.h"
#include "core/session/inspect.h"
#include "core/session/scaler_simulation.h"
#include "core/spec/experiment.h"

namespace mantissa::cli {

/// The results of `scaler`, `doctor`, `inspect` and `check` as text for people and as JSON documents.

std::string scaler_csv(const std::vector<session::SimulatedStep>& steps, bool indexed);
std::string scaler_document(const spec::Scaler& settings, const std::vector<session::SimulatedStep>& steps);

std::string doctor_page(const session::Environment& environment,
                        const std::vector<session::OperatorSupport>& operators);
std::string doctor_document(const session::Environment& environment,
                            const std::vector<session::OperatorSupport>& operators);

std::string data_page(const std::string& path, const session::InspectedData& data);
std::string data_document(const std::string& path, const session::InspectedData& data);

std::string model_page(const std::string& path, const session::InspectedModel& model);
std::string model_document(const std::string& path, const session::InspectedModel& model);

/// What an experiment file asks for.
std::string experiment_page(const spec::Experiment& experiment);
std::string experiment_document(const spec::Experiment& experiment);

/// `notes` come from the check of data and model.
std::string check_document(const spec::Experiment& experiment, const std::vector<std::string>& notes);

}  // namespace mantissa::cli
