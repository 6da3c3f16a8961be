// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "core/base/error.h"

namespace mantissa::session {

/// What the machine or LibTorch threw where nobody closer could say more, as an error with a sentence: memory, threads
/// and open files as OutOfMemory, anything else as CallOrder with the essence of its words and without its stack.
///
/// \param file    what was being read or run, as the user wrote it
/// \param doing   "between the steps of the run", "while the data file was read"
/// \param remedy  of memory, a full sentence without the full stop
Error plain_error(const std::exception& error, const std::string& file, const std::string& doing,
                  const std::string& remedy);

/// Calls and lets nothing but an Error out.
template <class Call>
auto with_plain_errors(const std::string& file, const std::string& doing, const std::string& remedy, const Call& call)
    -> decltype(call()) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw plain_error(error, file, doing, remedy);
  }
}

/// The same for a run, whose machine refuses outside of the arms: within a step or an evaluation it would have failed
/// its arm alone. \param file  of the experiment, for the message; empty: none
void with_plain_words(const std::string& file, const std::function<void()>& call);

}  // namespace mantissa::session
