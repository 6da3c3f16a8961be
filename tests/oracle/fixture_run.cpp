// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/fixture_run.h"

#include <string>
#include <vector>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include "tests/oracle/files.h"

namespace mantissa::oracle {
namespace {

constexpr std::size_t most_differences = 8;

std::vector<std::string> differences_of(const QString& folder, const QString& arm, const QString& steps,
                                        const QString& weights) {
  const std::string expected = (folder + "/" + arm).toStdString();
  auto result = differences(read_csv(expected + ".csv"), read_csv(steps.toStdString()), most_differences);
  const auto rest = differences(read_safetensors(expected + ".safetensors"), read_safetensors(weights.toStdString()),
                                most_differences);
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

}  // namespace

bool cpu_can_repeat_the_fixtures() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

QString python() {
  const QString given = qEnvironmentVariable("MANTISSA_ORACLE_PYTHON");
  if (!given.isEmpty()) return given;
  const QString cache = qEnvironmentVariable("XDG_CACHE_HOME", QDir::homePath() + "/.cache");
  return cache + "/mantissa/oracle/bin/python";
}

QByteArray run_script(const QString& script, const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PYTHONDONTWRITEBYTECODE", "1");
  process.setProcessEnvironment(environment);
  process.start(python(), QStringList(MANTISSA_SOURCE_DIR "/tests/oracle/" + script) + arguments);
  if (!process.waitForFinished(540'000)) return script.toUtf8() + " did not end";
  if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0) return {};
  return script.toUtf8() + " failed: " + process.readAllStandardError();
}

CommandLine::CommandLine(const QString& folder) {
  QFile file(folder + "/made_with.json");
  if (!file.open(QIODevice::ReadOnly)) return;
  const auto made_with = nlohmann::json::parse(file.readAll().toStdString());
  for (const auto& [name, value] : made_with.at("environment").items()) {
    environment_.insert(QString::fromStdString(name), QString::fromStdString(value.get<std::string>()));
  }
}

int CommandLine::run(const QStringList& arguments) {
#ifdef MANTISSA_CLI
  QProcess process;
  process.setProcessEnvironment(environment_);
  process.start(QStringLiteral(MANTISSA_CLI), arguments);
  const bool ended = process.waitForFinished(300'000) && process.exitStatus() == QProcess::NormalExit;
  last_words = "mantissa-cli " + arguments.join(' ').toUtf8() + ":\n" + process.readAllStandardError();
  return ended ? process.exitCode() : -1;
#else
  last_words = "mantissa-cli " + arguments.join(' ').toUtf8() + " was not built";
  return -1;
#endif
}

QByteArray differences_from_pytorch(const QString& folder, int stop_after, const QStringList& changes) {
  const QTemporaryDir temporary;
  const QString archive = temporary.filePath("oracle.db");
  CommandLine cli(folder);
  // 0 accepted, 1 a trial failed (planned in one fixture), 2 undecided: no rules are fixed in these experiments.
  int code = 0;
  QStringList run{"run", folder + "/experiment.toml", "--archive", archive, "-q", "--gains", "off"};
  for (const QString& change : changes) run << "--set" << change;
  if (stop_after == 0) {
    code = cli.run(run);
  } else {
    code = cli.run(run << "--stop-after" << QString::number(stop_after));
    if (code != 0) return cli.last_words;
    code = cli.run({"resume", "last", "--archive", archive, "-q", "--gains", "off"});
  }
  if (code < 0 || code > 2) return cli.last_words;

  const QStringList arms = QDir(folder).entryList({"*.csv"}, QDir::Files, QDir::Name);
  if (arms.size() < 2) return "a reference and at least one trial are expected in " + folder.toUtf8();
  QByteArray faults;
  for (const QString& file : arms) {
    const QString arm = file.chopped(4);
    const QString steps = temporary.filePath(arm + ".csv");
    const QString weights = temporary.filePath(arm + ".safetensors");
    for (const QStringList& command :
         {QStringList{"export", "steps", arm, "--archive", archive, "-o", steps, "--format", "csv"},
          QStringList{"export", "weights", arm, "--at", "final", "--archive", archive, "-o", weights, "--format",
                      "safetensors"}}) {
      if (cli.run(command) != 0) return cli.last_words;
    }
    for (const std::string& fault : differences_of(folder, arm, steps, weights)) {
      faults += arm.toUtf8() + ", " + QByteArray::fromStdString(fault) + '\n';
    }
  }
  return faults;
}

}  // namespace mantissa::oracle
