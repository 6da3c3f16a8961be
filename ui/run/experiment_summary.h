// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <utility>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::ui::run {

/// What an experiment is about, as label and value, in the order in which people ask.
std::vector<std::pair<QString, QString>> experimentSummary(const spec::Experiment& experiment);

/// Each trial: its name, and its policy in a line ("FP16, scale from 2^16, growth every 2,000").
std::vector<std::pair<QString, QString>> policySummary(const spec::Experiment& experiment);

}  // namespace mantissa::ui::run
