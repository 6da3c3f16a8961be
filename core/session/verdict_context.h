// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/record/verdict_context.h"

namespace mantissa::archive {
class Reader;
}

namespace mantissa::session {

/// What stands beside the verdict on an archived trial and is no rule. Where a part was not measured it says why: of a
/// run that was made elsewhere nobody here has seen the inputs. For whatever arm; never throws for what is not there.
/// \throws Error UnknownTrial, ArchiveDamaged as archive::Reader does
record::VerdictContext verdict_context(const archive::Reader& reader, std::int64_t trial);

}  // namespace mantissa::session
