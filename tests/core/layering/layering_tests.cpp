// SPDX-License-Identifier: Apache-2.0
// Dependencies point one way. One table says which; includes, link lines and the finished program are compared with it.
#include <QtTest/QtTest>

#include <QtCore/QProcess>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

struct Layer {
  Names may_use;  // folders of core
  bool torch = false;
};

/// What each folder may include and link. A folder that is not named here has no place yet: the test asks for one.
const std::map<std::string, Layer>& layers() {
  static const Names values = {"base", "spec", "record"};
  const auto with = [](Names names, const Names& more) {
    names.insert(more.begin(), more.end());
    return names;
  };
  static const Names numerics = with(values, {"data", "model", "precision"});
  static const Names everything =
      with(numerics, {"observe", "train", "diagnose", "judge", "archive", "report", "memory", "perf", "cuda"});
  static const std::map<std::string, Layer> table = {
      {"core/base", {{}}},
      {"core/record", {{"base"}}},
      {"core/spec", {{"base", "record"}}},
      {"core/judge", {with(values, {"perf"})}},
      {"core/archive", {values}},
      {"core/compare", {values}},
      {"core/report", {values}},
      {"core/perf", {values}},
      {"core/memory", {with(values, {"perf"})}},
      {"core/cuda", {{"base"}, true}},
      {"core/precision", {values, true}},
      {"core/data", {values, true}},
      {"core/model", {with(values, {"precision"}), true}},
      {"core/observe", {numerics, true}},
      {"core/train", {with(numerics, {"observe"}), true}},
      {"core/diagnose", {with(numerics, {"observe", "train"}), true}},
      {"core/session", {everything, true}},
      {"app", {with(values, {"session", "archive", "compare", "judge", "memory", "perf", "report"})}},
      {"ui", {with(values, {"session", "archive", "compare", "judge", "memory", "perf", "report"})}},
  };
  return table;
}

const fs::path& root() {
  static const fs::path path = MANTISSA_SOURCE_DIR;
  return path;
}

/// "core/spec" for core/spec/parse.h, "app" for app/cli/main.cpp.
std::string layer_of(const std::string& file) {
  const auto first = file.find('/');
  return file.compare(0, 5, "core/") == 0 ? file.substr(0, file.find('/', first + 1)) : file.substr(0, first);
}

std::vector<std::string> sources_below(const std::string& folder) {
  std::vector<std::string> files;
  if (!fs::exists(root() / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
    const auto kind = entry.path().extension();
    if (kind == ".h" || kind == ".cpp") files.push_back(entry.path().lexically_relative(root()).generic_string());
  }
  return files;
}

std::vector<std::string> includes_of(const std::string& file) {
  static const std::regex include("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
  std::vector<std::string> found;
  std::ifstream in(root() / file);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_search(line, match, include)) found.push_back(match[1]);
  }
  return found;
}

bool is_torch(const std::string& include) {
  static const std::regex torch("^(torch|ATen|c10|caffe2)/|^core/torch_headers\\.h$");
  return std::regex_search(include, torch);
}

bool is_qt(const std::string& include) {
  static const std::regex qt("^(Qt[A-Z][A-Za-z]*/.*|Q[A-Z][A-Za-z]*|q[a-z]+\\.h)$");
  return std::regex_match(include, qt);
}

/// Everything of this repository that a file sees, with the path that leads there ("a.cpp > b.h > c.h").
void collect_seen(const std::string& file, const std::string& trail, std::map<std::string, std::string>& seen) {
  for (const auto& include : includes_of(file)) {
    if (!seen.emplace(include, trail + " > " + include).second) continue;
    if (fs::exists(root() / include)) collect_seen(include, seen.at(include), seen);
  }
}

QByteArray text(const Names& wrong) {
  std::string all = "\n";
  for (const auto& line : wrong) all += "  " + line + "\n";
  return QByteArray::fromStdString(all);
}

#define VERIFY_NONE(wrong) QVERIFY2((wrong).empty(), text(wrong).constData())

}  // namespace

class LayeringTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_folder_of_core_has_a_place_in_the_table() {
    Names wrong;
    for (const auto& entry : fs::directory_iterator(root() / "core")) {
      const auto folder = "core/" + entry.path().filename().string();
      if (entry.is_directory() && layers().count(folder) == 0) wrong.insert(folder);
    }
    VERIFY_NONE(wrong);
  }

  void table_has_no_cycle() {
    // Each folder is taken away once all that it may use are gone; in a cycle none can go.
    auto left = layers();
    for (bool any = true; any;) {
      any = false;
      for (auto layer = left.begin(); layer != left.end();) {
        bool free = true;
        for (const auto& used : layer->second.may_use) free = free && left.count("core/" + used) == 0;
        any = any || free;
        layer = free ? left.erase(layer) : std::next(layer);
      }
    }
    Names wrong;
    for (const auto& layer : left) wrong.insert(layer.first);
    VERIFY_NONE(wrong);
  }

  void folders_include_only_what_the_table_allows() {
    Names wrong;
    std::size_t checked = 0;
    for (const auto& [folder, layer] : layers()) {
      for (const auto& file : sources_below(folder)) {
        for (const auto& include : includes_of(file)) {
          if (include.compare(0, 5, "core/") != 0 || is_torch(include)) continue;
          ++checked;
          const auto target = layer_of(include);
          if (target != folder && layer.may_use.count(target.substr(5)) == 0)
            wrong.insert(file + " includes " + include);
        }
      }
    }
    VERIFY_NONE(wrong);
    QVERIFY2(checked > 10, "hardly any include was found: the reader of includes is at fault");
  }

  void folders_without_torch_never_see_it() {
    Names wrong;
    for (const auto& [folder, layer] : layers()) {
      if (layer.torch) continue;
      for (const auto& file : sources_below(folder)) {
        std::map<std::string, std::string> seen;
        collect_seen(file, file, seen);
        for (const auto& [include, trail] : seen) {
          if (is_torch(include)) wrong.insert(trail);
        }
      }
    }
    VERIFY_NONE(wrong);
  }

  void engine_and_command_line_never_see_qt() {
    Names wrong;
    for (const auto* folder : {"core", "app/cli"}) {
      for (const auto& file : sources_below(folder)) {
        for (const auto& include : includes_of(file)) {
          if (is_qt(include)) wrong.insert(file + " includes " + include);
        }
      }
    }
    VERIFY_NONE(wrong);
  }

  void only_the_window_includes_the_window() {
    Names wrong;
    for (const auto* folder : {"core", "app/cli"}) {
      for (const auto& file : sources_below(folder)) {
        for (const auto& include : includes_of(file)) {
          if (include.compare(0, 3, "ui/") == 0 ||
              (folder == std::string("core") && include.compare(0, 4, "app/") == 0))
            wrong.insert(file + " includes " + include);
        }
      }
    }
    VERIFY_NONE(wrong);
  }

  void targets_link_only_what_the_table_allows() {
    Names wrong;
    std::size_t checked = 0;
    for (const auto& entry : fs::directory_iterator(MANTISSA_LINKS_DIR)) {
      const auto folder = entry.path().stem().string();
      const auto& layer = layers().at("core/" + folder);
      ++checked;
      std::ifstream in(entry.path());
      for (std::string library; std::getline(in, library);) {
        const bool torch = library.find("torch") != std::string::npos;
        const bool qt = library.find("Qt") != std::string::npos;
        const bool ours = !torch && library.compare(0, 9, "mantissa_") == 0;
        if (qt || (torch && !layer.torch) || (ours && layer.may_use.count(library.substr(9)) == 0))
          wrong.insert("mantissa_" + folder + " links " + library);
      }
    }
    VERIFY_NONE(wrong);
    QVERIFY(checked > 1);
  }

  void command_line_program_loads_no_qt() {
#ifdef MANTISSA_CLI
    // All that the loader would load, libraries of libraries included.
    QProcess loader;
    loader.start("ldd", {MANTISSA_CLI});
    QVERIFY(loader.waitForFinished());
    const auto libraries = loader.readAllStandardOutput();
    QVERIFY2(libraries.contains("libtorch_cpu.so"), libraries.constData());
    QVERIFY2(!libraries.contains("libQt"), libraries.constData());
#else
    QSKIP("mantissa-cli is not part of this build");
#endif
  }
};

QTEST_APPLESS_MAIN(LayeringTests)
#include "layering_tests.moc"
