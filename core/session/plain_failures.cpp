// SPDX-License-Identifier: Apache-2.0
#include "core/session/plain_failures.h"

#include <optional>
#include <system_error>

#include "core/base/given_file.h"
#include "core/train/failure_text.h"

namespace mantissa::session {

Error plain_error(const std::exception& error, const std::string& file, const std::string& doing,
                  const std::string& remedy) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again) {
    return Error(ErrorKind::OutOfMemory,
                 {"the system grants no further thread", file, 0, 0, "", of_system->code().message(), "",
                  "Raise the limit of processes or memory (ulimit -u, ulimit -v), or set data.prefetch = 0"});
  }
  if (of_system != nullptr && is_limit_of_open_files(of_system->code().value())) {
    return Error(ErrorKind::OutOfMemory,
                 {"the system opens no further file", file, 0, 0, "", of_system->code().message(), "", kMoreOpenFiles});
  }
  if (const std::optional<std::string> words = train::out_of_memory(error, doing)) {
    return Error(ErrorKind::OutOfMemory, {words->substr(0, words->size() - 1), file, 0, 0, "", "", "", remedy});
  }
  return Error(ErrorKind::CallOrder, {"something that was not foreseen went wrong " + doing, file, 0, 0, "",
                                      train::condensed(error), "", "Please report this text"});
}

void with_plain_words(const std::string& file, const std::function<void()>& call) {
  with_plain_errors(file, "between the steps of the run",
                    "Take a smaller model, a smaller batch, or fewer trials at once. What was committed to the "
                    "archive is kept",
                    call);
}

}  // namespace mantissa::session
