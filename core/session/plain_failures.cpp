// SPDX-License-Identifier: Apache-2.0
#include "core/session/plain_failures.h"

#include <exception>
#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/train/failure_text.h"

namespace mantissa::session {

void with_plain_words(const std::string& file, const std::function<void()>& call) {
  constexpr char kKept[] = "What was committed to the archive is kept";
  try {
    call();
  } catch (const Error&) {
    throw;
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    throw Error(
        ErrorKind::OutOfMemory,
        {"the system grants no further thread", file, 0, 0, "", error.code().message(), "",
         std::string("Raise the limit of processes or memory (ulimit -u, ulimit -v), or set data.prefetch = 0. ") +
             kKept});
  } catch (const std::exception& error) {
    const std::optional<std::string> words = train::out_of_memory(error, "between the steps of the run");
    if (!words) throw;
    throw Error(ErrorKind::OutOfMemory,
                {words->substr(0, words->size() - 1), file, 0, 0, "", "", "",
                 std::string("Take a smaller model, a smaller batch, or fewer trials at once (--trial). ") + kKept});
  }
}

}  // namespace mantissa::session
