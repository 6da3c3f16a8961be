// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/exit_code.h"
#include "app/cli/input_file.h"
#include "app/cli/program.h"
#include "app/cli/session_documents.h"
#include "core/base/error.h"
#include "core/session/inspect.h"
#include "core/spec/parse.h"

namespace mantissa::cli {
namespace {

enum class Kind { Experiment, Data, Model };

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// An experiment begins, after blank lines and comments, with `mantissa = …` or a table; data never does.
bool reads_as_experiment(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t' || line.front() == '\r'))
      line.remove_prefix(1);
    if (line.empty() || line.front() == '#') continue;
    return line.front() == '[' || starts_with(line, "mantissa");
  }
  return false;
}

[[noreturn]] void refuse_kind(const std::string& path, const std::string& kind) {
  throw Error(ErrorKind::NotYetAvailable,
              {"not yet available in this version", path, 0, 0, "", kind,
               "an experiment, a CSV, IDX or text file (also .gz), a TorchScript model or a weights file", ""});
}

Kind kind_of(const std::string& path) {
  constexpr std::size_t kEnough = 65536;
  const std::string start = read_start(path, kEnough);
  if (ends_with(path, ".safetensors") || (start.size() > 8 && start[8] == '{' && start[7] == '\0')) return Kind::Model;
  if (start.empty()) {
    throw Error(ErrorKind::FileProblem,
                {"the file is empty", path, 0, 0, "", "", "an experiment, a CSV file or a TorchScript model", ""});
  }
  if (starts_with(start, "PK\x03\x04")) {
    if (ends_with(path, ".npz")) refuse_kind(path, "an NPZ archive");
    return Kind::Model;
  }
  if (starts_with(start, "PK\x05\x06")) {
    throw Error(ErrorKind::FileProblem, {"the zip archive is empty", path, 0, 0, "", "", "", "Save the file again"});
  }
  if (starts_with(start, "\x93NUMPY")) refuse_kind(path, "a NumPy array");
  if (starts_with(start, "SQLite format 3")) {
    throw Error(ErrorKind::FileProblem,
                {"this is an archive", path, 0, 0, "", "", "an experiment, a CSV file or a TorchScript model",
                 "mantissa-cli list --archive " + path + " shows what it holds"});
  }
  if (start.front() == '\x80') return Kind::Model;  // a pickle: torch.save's old format
  if (ends_with(path, ".toml") || reads_as_experiment(start)) return Kind::Experiment;
  return Kind::Data;
}

int inspect(Program& program, const std::string& path) {
  std::string page, document;
  switch (kind_of(path)) {
    case Kind::Experiment: {
      const spec::Experiment experiment = spec::read_experiment(path);
      page = experiment_page(experiment);
      document = experiment_document(experiment);
      break;
    }
    case Kind::Data: {
      const session::InspectedData data = session::inspect_data(path);
      page = data_page(path, data);
      document = data_document(path, data);
      break;
    }
    case Kind::Model: {
      const session::InspectedModel model = session::inspect_model(path);
      page = model_page(path, model);
      document = model_document(path, model);
      break;
    }
  }
  if (program.json) {
    program.console.result(document);
  } else {
    program.console.result_for_people(page);
  }
  return exit_code::kDone;
}

}  // namespace

void add_inspect(Program& program) {
  const auto path = std::make_shared<std::string>();
  CLI::App* const command = program.add_command("inspect", "What an experiment, a data file or a model file holds",
                                                [&program, path] { return inspect(program, *path); });
  command->add_option("FILE", *path, "Its kind is found by its content")->required();
}

}  // namespace mantissa::cli
