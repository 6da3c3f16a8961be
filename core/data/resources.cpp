// SPDX-License-Identifier: Apache-2.0
#include "core/data/resources.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/error.h"

namespace mantissa::data {

namespace {

namespace fs = std::filesystem;

bool holds_resources(const fs::path& folder) {
  std::error_code code;
  return fs::is_directory(folder / "data", code);
}

}  // namespace

std::string resources_folder() {
  if (const char* given = std::getenv("MANTISSA_RESOURCES"); given != nullptr && *given != '\0') {
    if (holds_resources(given)) return fs::path(given).string();
    ErrorFacts facts;
    facts.subject = "MANTISSA_RESOURCES";
    facts.problem = "no resources there";
    facts.found = '\'' + std::string(given) + '\'';
    facts.expected = "a folder that holds data/";
    facts.remedy = "Correct the environment variable or unset it";
    throw Error(ErrorKind::FileProblem, std::move(facts));
  }
  std::vector<fs::path> candidates;
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  if (!code) {
    const fs::path prefix = program.parent_path().parent_path();
    candidates = {prefix / "resources", prefix / "share" / "mantissa" / "resources"};
  }
  candidates.emplace_back(MANTISSA_SOURCE_RESOURCES);
  std::string tried;
  for (const fs::path& candidate : candidates) {
    if (holds_resources(candidate)) return candidate.string();
    tried += (tried.empty() ? "" : ", ") + candidate.string();
  }
  ErrorFacts facts;
  facts.problem = "the resources that belong to the program are missing";
  facts.found = "none of " + tried;
  facts.expected = "a folder that holds data/";
  facts.remedy = "Install the program again, or set MANTISSA_RESOURCES to its resources folder";
  throw Error(ErrorKind::FileProblem, std::move(facts));
}

}  // namespace mantissa::data
