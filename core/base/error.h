// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace mantissa {

/// What went wrong, for programs. The sentence for people is made where they read it (app/cli, ui).
enum class ErrorKind {
  InvalidSetting,   ///< a value in an experiment, on the command line or in an API call is outside its range
  NotYetAvailable,  ///< a documented key or feature that this version does not have
  FileProblem,      ///< a file that was given is missing, unreadable, a folder, or not of the expected kind
  DataProblem,      ///< the content of a data file is wrong (row and column in the facts)
  ModelProblem,     ///< a model file or a model that does not fit the data
  UnknownTrial,     ///< no such trial in the archive
  CallOrder,        ///< methods called in an order that has no meaning: a mistake of the calling program
  ArchiveDamaged,   ///< not an archive, or a damaged one
  ArchiveNewer,     ///< written by a newer version that this one must not read
  ArchiveReadOnly,  ///< the archive cannot be written
  ArchiveLocked,    ///< another process holds the archive longer than the busy timeout
  DiskFull,         ///< no space left while writing
  WriteFailed,      ///< any other failure while writing a file
  OutOfMemory,      ///< an allocation failed
  DeviceProblem,    ///< the device that was asked for is missing or failed
  ForwardFailed,    ///< the model threw during forward or backward
};

/// The facts that a message is made of. Every field may be empty except `problem`.
struct ErrorFacts {
  std::string problem;   ///< what is wrong, lower case, no full stop: "a class the model cannot output"
  std::string file;      ///< as the user wrote it
  int line = 0;          ///< from 1; 0: not known
  int column = 0;        ///< from 1; 0: not known
  std::string subject;   ///< key path, column name, tensor or trial: "trial[fp16].scaler.init_scale"
  std::string found;     ///< the value found, quoted as it stands
  std::string expected;  ///< the value expected: "a number above 0"
  std::string remedy;    ///< what to do, a full sentence without the full stop
};

/// The one exception type for expected failures. Mistakes of our own are asserts.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, ErrorFacts facts);

  ErrorKind kind() const noexcept { return kind_; }
  const ErrorFacts& facts() const noexcept { return facts_; }

  /// All facts on one line, for logs.
  const char* what() const noexcept override { return text_.c_str(); }

  /// The same error with the file filled in where it is still unknown: for readers that know no path.
  Error in_file(const std::string& file) const;

 private:
  ErrorKind kind_;
  ErrorFacts facts_;
  std::string text_;
};

/// "concrete.csv, line 14, column age: found 'n/a', expected a number. Set data.missing = "drop"."
///
/// The plain sentence that both programs show; translated texts are made in ui/ from the same facts.
std::string sentence(const ErrorFacts& facts);

}  // namespace mantissa
