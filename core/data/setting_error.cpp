// SPDX-License-Identifier: Apache-2.0
#include "core/data/setting_error.h"

#include <utility>

namespace mantissa::data {

Error setting_error(const spec::Experiment& experiment, const std::string& key, ErrorFacts facts) {
  facts.file = experiment.file;
  facts.subject = key;
  for (std::string place = key;;) {
    const spec::Position position = experiment.position(place);
    facts.line = position.line;
    facts.column = position.column;
    const auto dot = place.rfind('.');
    if (position.line > 0 || dot == std::string::npos) break;
    place.resize(dot);
  }
  return Error(ErrorKind::InvalidSetting, std::move(facts));
}

}  // namespace mantissa::data
