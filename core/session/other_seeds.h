// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/spec/experiment.h"

namespace mantissa::archive {
class Reader;
}

namespace mantissa::session {

/// The finished trials of this name in experiments of the archive that are the same but for training.seed: data, model,
/// training, policies, cases and rules. Of several with one seed the newest; the seed of `experiment` is left out.
/// Nothing where no rule asks for seeds. \param experiment  the id of the experiment that is judged
std::vector<judge::OtherSeed> other_seeds(const archive::Reader& reader, std::int64_t experiment,
                                          const std::string& trial, const std::optional<spec::Rules>& rules,
                                          const judge::DecisionRule& decision);

}  // namespace mantissa::session
