// SPDX-License-Identifier: Apache-2.0
#include "core/spec/parse.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/given_file.h"
#include "core/spec/check_keys.h"
#include "core/spec/experiment_parts.h"
#include "core/spec/names.h"
#include "core/spec/overrides.h"
#include "core/spec/table_reader.h"
#include "core/spec/toml_reader.h"
#include "core/spec/toml_writer.h"

namespace mantissa::spec {
namespace {

constexpr std::int64_t format_version = 1;
constexpr std::size_t largest_file = std::size_t{16} << 20U;  // more is no experiment

[[noreturn]] void file_problem(const std::string& path, const std::string& problem, const std::string& remedy,
                               int line = 0) {
  ErrorFacts facts;
  facts.file = path;
  facts.line = line;
  facts.problem = problem;
  facts.remedy = remedy;
  throw Error(ErrorKind::FileProblem, std::move(facts));
}

std::string file_text(const std::string& path) {
  if (!is_handed_over(path)) refuse_special_file(path, "the experiment file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!stream) fail_to_open(path, errno, "Check the path");
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stream.get())) {
    text.append(buffer.data(), count);
    if (text.size() > largest_file) file_problem(path, "larger than 16 MiB", "Experiment files are small TOML files");
  }
  if (std::ferror(stream.get()) != 0) file_problem(path, "reading failed", "Check the disk");
  return text;
}

/// The line (from 1) of the first byte that is not UTF-8, or 0.
int line_of_bad_utf8(const std::string& text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') ++line;
    std::size_t more = 0;
    if (byte >= 0xF0 && byte <= 0xF4) {
      more = 3;
    } else if (byte >= 0xE0 && byte < 0xF0) {
      more = 2;
    } else if (byte >= 0xC2 && byte < 0xE0) {
      more = 1;
    } else if (byte >= 0x80) {
      return line;
    }
    for (std::size_t k = 1; k <= more; ++k) {
      if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return line;
    }
    i += 1 + more;
  }
  return 0;
}

void collect_positions(const Setting& setting, std::map<std::string, Position>& positions) {
  if (!setting.path.empty() && setting.position.line > 0) positions[setting.path] = setting.position;
  for (const Setting& member : setting.members) collect_positions(member, positions);
  for (const Setting& item : setting.items) {
    if (item.kind == Setting::Kind::Table) collect_positions(item, positions);
  }
}

Experiment to_experiment(const Setting& root, const std::string& file) {
  const TableReader table(&root);
  Experiment experiment;
  read_head(&root, file, experiment);
  for (const Part& part : parts_in(folder_of(file))) part.read(table.find(part.table), experiment);
  collect_positions(root, experiment.positions);
  return experiment;
}

}  // namespace

void refuse_what_is_no_text(const std::string& text, const std::string& file) {
  if (text.empty()) file_problem(file, "the file is empty", "See: mantissa-cli help experiment");
  if (text.find('\0') != std::string::npos) file_problem(file, "not a text file", "Save it as UTF-8 text");
  if (const int line = line_of_bad_utf8(text)) file_problem(file, "not UTF-8", "Save the file as UTF-8", line);
}

void check_version(const Setting& root) {
  const Setting* const version = root.find("mantissa");
  if (version == nullptr) {
    Setting place;
    place.label = "mantissa";
    refuse_place(place, "missing", "Say which version of the format the file has: mantissa = 1");
  }
  if (version->kind != Setting::Kind::Integer) refuse(*version, "the version of the format, 1");
  if (version->integer != format_version) {
    refuse(*version, "version " + std::to_string(format_version), "another version of the format",
           version->integer > format_version ? "A newer version of Mantissa may read it" : "");
  }
}

std::vector<Part> parts_in(const std::string& folder) {
  return {
      {"data",
       [=](const Setting* table, Experiment& experiment) { read_data(table, folder, experiment); },
       {},
       {"source", "path", "inputs", "targets", "task"}},
      {"model",
       [=](const Setting* table, Experiment& experiment) { read_model(table, folder, experiment); },
       {},
       {"kind", "path"}},
      {"training", read_training, {"data", "model"}, {"loss"}},
      {"reference", read_reference},
      {"trial", read_trials, {"model", "training"}},
      {"cases",
       [=](const Setting* table, Experiment& experiment) { read_cases(table, folder, experiment); },
       {"data"},
       {"latency_batches"}},
      {"utility", read_utility, {"data", "training"}, {"matrix"}},
      {"rules", read_rules, {"data", "model", "training", "cases", "utility"}},
      {"context", read_context, {"data"}},
      {"budget", read_budget},
      {"expect", read_expect, {"trial"}},
  };
}

void read_head(const Setting* root, const std::string& file, Experiment& experiment) {
  const TableReader table(root);
  experiment.file = file;
  const Setting* const name = table.find("name");
  experiment.name = name != nullptr ? name_value(*name) : name_from_stem(std::filesystem::path(file).stem().string());
  if (const Setting* const description = table.find("description")) {
    if (description->kind != Setting::Kind::Text) refuse(*description, "a text");
    experiment.description = description->text;
  }
}

std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

std::string resolved(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).string();  // an absolute path replaces the folder
}

Experiment read_experiment(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_experiment(file_text(path), path, overrides);
}

Experiment parse_experiment(const std::string& text, const std::string& file,
                            const std::vector<std::string>& overrides) {
  refuse_what_is_no_text(text, file);
  Setting root = read_toml(text, file);
  apply_overrides(root, overrides);
  name_paths(root);
  try {
    check_version(root);
    check_keys(root);
    Experiment experiment = to_experiment(root, file);
    experiment.text = text;
    experiment.overrides = overrides;
    return experiment;
  } catch (const Error& error) {
    // An override stands on the command line, not in the file.
    if (error.facts().subject.compare(0, 6, "--set ") == 0) throw;
    throw error.in_file(file);
  }
}

Experiment with_rules_of_file(const std::string& path, Experiment experiment) {
  return with_rules_of_text(file_text(path), path, std::move(experiment));
}

Experiment with_rules_of_text(const std::string& text, const std::string& path, Experiment experiment) {
  refuse_what_is_no_text(text, path);
  Setting root = read_toml(text, path);
  name_paths(root);
  try {
    check_version(root);
    check_keys(root);
    const Setting* const rules = root.find("rules");
    if (rules == nullptr) {
      Setting place;
      place.label = "rules";
      refuse_place(place, "no rules in the file", "Write them under [rules]: mantissa-cli help rules");
    }
    experiment.file = path;  // where messages about the rules point to
    experiment.positions.clear();
    collect_positions(root, experiment.positions);
    experiment.rules.reset();
    experiment.warnings.clear();
    read_utility(root.find("utility"), experiment);  // without one that of the experiment stays
    read_rules(rules, experiment);
    return experiment;
  } catch (const Error& error) {
    throw error.in_file(path);
  }
}

Experiment read_foreign_experiment(const std::string& path, const std::string& trial) {
  return foreign_experiment_of_text(file_text(path), path, trial);
}

Experiment foreign_experiment_of_text(const std::string& text, const std::string& path, const std::string& trial) {
  refuse_what_is_no_text(text, path);
  Setting root = read_toml(text, path);
  name_paths(root);
  try {
    check_version(root);
    check_keys(root);
    Experiment experiment;
    experiment.made_elsewhere = true;
    read_head(&root, path, experiment);
    TableReader(root.find("data")).word("task", experiment.data.task);
    const TableReader training(root.find("training"));
    training.word("loss", experiment.training.loss);
    training.integer("ignore_index", experiment.training.ignore_index, std::numeric_limits<std::int64_t>::min());
    experiment.training.device.clear();
    training.text("device", experiment.training.device);
    if (const Setting* const trials = root.find("trial")) {
      for (const Setting& item : trials->items) {
        const TableReader table(&item);
        Trial told;
        table.text("name", told.name);
        if (trials->items.size() > 1 && told.name != trial) continue;
        if (table.has("autocast")) {
          table.word("autocast", told.autocast);
          table.text("cast_policy", told.cast_policy);
          experiment.trials.push_back(told);
        }
      }
    }
    collect_positions(root, experiment.positions);
    experiment.text = text;
    return experiment;
  } catch (const Error& error) {
    throw error.in_file(path);
  }
}

std::string checked_trial_name(const std::string& name, const std::string& option) {
  Setting setting;
  setting.kind = Setting::Kind::Text;
  setting.text = name;
  setting.label = option;
  return trial_name_value(setting);
}

std::string with_overrides(const std::string& text, const std::vector<std::string>& overrides) {
  if (overrides.empty()) return text;
  Setting root = read_toml(text, {});
  apply_overrides(root, overrides);
  std::string changed;
  for (const std::string& override_text : overrides) changed += "# --set " + on_one_line(override_text) + '\n';
  return changed + '\n' + to_toml(root);
}

}  // namespace mantissa::spec
