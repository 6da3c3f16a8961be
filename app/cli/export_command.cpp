// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/reader.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text_list.h"
#include "core/report/case_export.h"
#include "core/report/golden_export.h"
#include "core/report/json_documents.h"
#include "core/report/memory_table.h"
#include "core/report/pt_file.h"
#include "core/report/safetensors.h"
#include "core/report/step_export.h"
#include "core/session/archived_evidence.h"

namespace mantissa::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string what;
  std::string trial;
  std::string file = "-";
  std::string format;  ///< empty: by the file's ending
  std::string at = "final";
};

[[noreturn]] void refuse(ErrorKind kind, const std::string& option, const std::string& problem,
                         const std::string& found, const std::string& expected) {
  throw Error(kind, {problem, "", 0, 0, option, "'" + found + "'", expected, ""});
}

/// The formats of each thing, the usual one first.
std::vector<std::string> formats_of(const std::string& what) {
  if (what == "steps" || what == "cases" || what == "golden" || what == "memory") return {"csv", "json"};
  if (what == "weights") return {"safetensors", "pt"};
  if (what == "checkpoint") return {"safetensors"};
  if (what == "experiment") return {"toml", "json"};
  refuse(ErrorKind::InvalidSetting, "export", "", what,
         "steps, cases, golden, memory, weights, checkpoint or experiment");
}

std::string format_of(const ExportOptions& options, bool json) {
  const std::vector<std::string> formats = formats_of(options.what);
  const auto is_known = [&formats](const std::string& format) {
    for (const std::string& candidate : formats) {
      if (candidate == format) return true;
    }
    return false;
  };
  if (!options.format.empty()) {
    if (is_known(options.format)) return options.format;
    refuse(ErrorKind::InvalidSetting, "--format", options.what + " cannot be written in this format", options.format,
           joined(formats, " or "));
  }
  if (options.file == "-") return json && is_known("json") ? "json" : formats.front();
  std::string ending = fs::path(options.file).extension().string();
  if (ending.empty()) return formats.front();
  for (char& letter : ending) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  if (const std::string format = ending.substr(1); is_known(format)) return format;
  throw Error(ErrorKind::InvalidSetting,
              {options.what + " cannot be written with this ending", "", 0, 0, "-o", "'" + options.file + "'",
               "the ending ." + joined(formats, " or ."), "--format " + joined(formats, " or ") + " takes any name"});
}

void require_known_moment(const std::string& what, const std::string& at) {
  const bool is_step = !at.empty() && at.find_first_not_of("0123456789") == std::string::npos;
  if (at == "final" || at == "best" || is_step || (at == "initial" && what == "weights")) return;
  refuse(ErrorKind::InvalidSetting, "--at", "", at,
         what == "weights" ? "initial, final, best or a step that has a checkpoint"
                           : "final, best or a step that has a checkpoint");
}

/// All arms of a run start from the reference's weights, which are kept once; a child starts from its own.
std::vector<record::TensorBytes> weights_of(const archive::Reader& reader, const record::TrialRow& trial,
                                            const std::string& at) {
  const bool of_reference = at == "initial" && trial.start.reference != 0 && trial.start.parent == 0;
  return reader.weights(of_reference ? trial.start.reference : trial.id, at);
}

fs::path canonical_or_as_given(const fs::path& path) {
  std::error_code code;
  fs::path canonical = fs::canonical(path, code);
  return code ? path : canonical;
}

/// Whether both names lead to one file, through links of either kind; a file that is not there yet is told by its
/// folder and its name.
bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  if (fs::equivalent(a, b, ignored)) return true;
  if (fs::exists(a, ignored) || fs::exists(b, ignored)) return false;
  const auto folder = [](const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); };
  return a.filename() == b.filename() && fs::equivalent(folder(a), folder(b), ignored);
}

/// Regular files only: reading from a pipe would take what is meant for another.
bool is_database(const fs::path& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);  // https://sqlite.org/fileformat2.html, 1.3.1
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::array<char, kMagic.size()> begin{};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  return file != nullptr && std::fread(begin.data(), 1, begin.size(), file.get()) == begin.size() &&
         std::string_view(begin.data(), begin.size()) == kMagic;
}

/// An export may replace an older export, never what cannot be made again.
void refuse_precious_target(const std::string& target, const std::string& archive, const std::string& experiment) {
  const auto refuse_target = [&target](const std::string& problem) {
    refuse(ErrorKind::InvalidSetting, "-o", problem, target, "another file");
  };
  for (const fs::path& base : {fs::path(archive), canonical_or_as_given(archive)}) {
    for (const char* const ending : {"", "-wal", "-shm", "-journal"}) {
      if (is_same_file(target, base.string() + ending)) refuse_target("belongs to the archive that is exported from");
    }
  }
  if (is_database(target)) refuse_target("is an archive or another database, which an export would destroy");
  if (!experiment.empty() && is_same_file(target, experiment)) refuse_target("is the experiment file of this trial");
}

[[noreturn]] void refuse_without_golden(const record::TrialRow& trial) {
  throw Error(ErrorKind::InvalidSetting,
              {"no outputs are kept in full of this trial", "", 0, 0, "export golden",
               "trial " + std::to_string(trial.id) + " (" + trial.experiment + '/' + trial.start.name + ')',
               "a trial that came to its frozen cases, of a run with cases.golden",
               "Set golden = 8 under [cases] and run again; export cases has the outputs of tasks without positions"});
}

/// Writes what was asked for and returns the number of rows, or of tensors.
std::int64_t write(const ExportOptions& options, const std::string& format, const archive::Reader& reader,
                   const record::TrialRow& trial, const report::Sink& sink) {
  const report::TableFormat table = format == "json" ? report::TableFormat::Json : report::TableFormat::Csv;
  std::int64_t count = 0;
  if (options.what == "steps") {
    report::StepExport steps(table, sink);
    reader.steps(trial.id, [&](const record::StepRecord& step) {
      steps.add(step);
      ++count;
      return true;
    });
    steps.finish();
  } else if (options.what == "cases") {
    const std::vector<record::CaseRow> cases = reader.cases(trial.id);
    report::export_cases(table, cases, sink, session::archived_decisions(reader, trial.id, cases));
    count = static_cast<std::int64_t>(cases.size());
  } else if (options.what == "golden") {
    const std::vector<record::CaseRow> cases = reader.cases(trial.id);
    const auto is_golden = [](const record::CaseRow& row) { return row.golden.has_value(); };
    if (std::none_of(cases.begin(), cases.end(), is_golden)) refuse_without_golden(trial);
    count = report::export_golden(table, cases, sink);
  } else if (options.what == "memory") {
    report::export_memory(table, trial.end.memory.value_or(record::MemoryComparison()), sink);
    count = static_cast<std::int64_t>(record::kMemoryCategories);  // inputs are left out, the peak is there
  } else if (options.what == "weights") {
    const std::vector<record::TensorBytes> tensors = weights_of(reader, trial, options.at);
    format == "pt" ? report::write_pt(tensors, sink) : report::write_safetensors(tensors, sink);
    count = static_cast<std::int64_t>(tensors.size());
  } else if (options.what == "checkpoint") {
    const record::ArmState state = reader.state(trial.id, reader.checkpoint_step(trial.id, options.at));
    report::write_checkpoint(state, sink);
    count = static_cast<std::int64_t>(state.tensors.size());
  } else {
    const record::ExperimentStart experiment = reader.experiment(trial.experiment_id);
    sink(format == "json" ? experiment.resolved + '\n' : experiment.text);
    count = 1;
  }
  return count;
}

int export_one(Program& program, const ExportOptions& options) {
  const std::string format = format_of(options, program.json);
  if (options.what == "weights" || options.what == "checkpoint") {
    require_known_moment(options.what, options.at);
  } else if (options.at != "final") {
    refuse(ErrorKind::InvalidSetting, "--at", "only weights and checkpoints have a moment", options.at,
           "nothing beside " + options.what);
  }
  const std::string archive = program.existing_archive();
  const archive::Reader reader(archive);
  const record::TrialRow trial = program.find(reader, options.trial);
  if (options.file == "-") {
    if ((format == "safetensors" || format == "pt") && Console::results_on_terminal()) {
      refuse(ErrorKind::InvalidSetting, "-o", "the bytes of tensors are not for a terminal", options.file, "a file");
    }
    write(options, format, reader, trial, [&program](std::string_view bytes) { program.console.result(bytes); });
    return exit_code::kDone;
  }

  refuse_precious_target(options.file, archive, reader.experiment(trial.experiment_id).file);
  AtomicFile file(options.file);
  const std::int64_t count =
      write(options, format, reader, trial, [&file](std::string_view bytes) { file.write(bytes); });
  file.commit();
  if (program.json) {
    program.console.result(report::document_text({{"export",
                                                   {{"what", options.what},
                                                    {"trial", trial.id},
                                                    {"file", options.file},
                                                    {"format", format},
                                                    {"count", count}}}}));
  } else {
    program.console.message(options.file + ": " + options.what + " of trial " + std::to_string(trial.id) + " (" +
                            trial.experiment + '/' + trial.start.name + "), " + format);
  }
  return exit_code::kDone;
}

}  // namespace

void add_export(Program& program) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* const command = program.add_command(
      "export",
      "Steps, frozen cases, golden outputs, memory, weights, a checkpoint or the experiment of a trial, in full "
      "precision",
      [&program, options] { return export_one(program, *options); });
  command->add_option("WHAT", options->what, "steps, cases, golden, memory, weights, checkpoint or experiment")
      ->required();
  command->add_option("TRIAL", options->trial, "An id, experiment/trial, a name (the newest), last, or reference")
      ->required();
  command->add_option("-o,--output", options->file, "The file; - or nothing: standard output")->type_name("FILE");
  command->add_option("--format", options->format,
                      "csv, json, safetensors, pt, toml; default: by the file's ending, which must fit");
  command->add_option(
      "--at", options->at,
      "weights, checkpoint: final (default), best or a step that has a checkpoint; weights: initial, too");
  command->footer(
      "cases: one row a frozen case. decision is an index, 0 or 1 of a threshold, and -1 of a tie that is a decision;\n"
      "with rules.flips.decision = \"top-k\" bit i of it is set for output i, of a ranking it is empty. Of both, the\n"
      "last columns say it in words, decided, decided_reference and decided_same_weights: the set as \"{1, 4, 7}\",\n"
      "the ranking as \"2 > 0 = 1\", the largest output first. They are those of trials, not of the reference's row.\n"
      "\n"
      "golden: every output of the first cases of the frozen set, as many as cases.golden asks for, one row a case:\n"
      "case, kind, slice, target, output_reference[i], output_same_weights[i] (the reference's weights under the\n"
      "trial's policy) and output[i] (the trial's own weights). Numbers read back equal in every bit. The inputs are\n"
      "not in the archive: the case's id leads to its row in the data.");
}

}  // namespace mantissa::cli
