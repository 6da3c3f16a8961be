// SPDX-License-Identifier: Apache-2.0
#include "core/session/model_prints.h"

#include <utility>

#include "core/model/model_prints.h"

namespace mantissa::session {

void send_model_prints_to(std::function<void(const std::string& line)> sink) { model::send_prints_to(std::move(sink)); }

}  // namespace mantissa::session
