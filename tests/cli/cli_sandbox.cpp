// SPDX-License-Identifier: Apache-2.0
#include "cli_sandbox.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include <QFile>
#include <QFileInfo>

nlohmann::json Outcome::json() const {
  nlohmann::json value = nlohmann::json::parse(out.toStdString(), nullptr, false);
  return value.is_discarded() ? nlohmann::json() : value;
}

namespace {

/// IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 bits of the fraction.
float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const float magnitude = exponent == 31  ? (fraction != 0 ? std::nanf("") : HUGE_VALF)
                          : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// The numbers of a safetensors tensor of type F32, BF16 or F16; none of another type.
std::vector<float> floats(const std::string& dtype, const QByteArray& data) {
  const std::size_t bytes_each = dtype == "F32" ? 4 : 2;
  if (dtype != "F32" && dtype != "BF16" && dtype != "F16") return {};
  std::vector<float> values(static_cast<std::size_t>(data.size()) / bytes_each);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const char* const begin = data.constData() + i * bytes_each;
    std::uint16_t narrow = 0;
    if (bytes_each == 2) std::memcpy(&narrow, begin, 2);
    if (dtype == "F16") {
      values[i] = half_value(narrow);
    } else if (dtype == "BF16") {  // the upper half of a float32
      const std::uint32_t wide = std::uint32_t{narrow} << 16;
      std::memcpy(&values[i], &wide, 4);
    } else {
      std::memcpy(&values[i], begin, 4);
    }
  }
  return values;
}

}  // namespace

CliSandbox::CliSandbox() : environment_(QProcessEnvironment::systemEnvironment()) {
  environment_.insert(QStringLiteral("HOME"), folder_.path());
  environment_.remove(QStringLiteral("XDG_DATA_HOME"));
  environment_.remove(QStringLiteral("XDG_STATE_HOME"));
}

QString CliSandbox::program() { return QStringLiteral(MANTISSA_BINARY_DIR "/mantissa-cli"); }

QString CliSandbox::write(const QString& name, const QByteArray& bytes) const {
  QFile file(path(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write a test file");
  return file.fileName();
}

QString CliSandbox::take_case(const QString& name) const {
  const QString source = QStringLiteral(MANTISSA_SOURCE_DIR "/tests/cases/") + name;
  const QString target = path(QFileInfo(source).fileName());
  QFile::remove(target);
  if (!QFile::copy(source, target)) qFatal("cannot copy %s", qPrintable(source));
  return target;
}

void CliSandbox::start(QProcess& process, const QStringList& arguments) const {
  process.setProcessEnvironment(environment_);
  process.setWorkingDirectory(standing_in_.isEmpty() ? folder_.path() : standing_in_);
  if (set_up_child_) process.setChildProcessModifier(set_up_child_);
  process.start(program(), arguments);
}

Outcome CliSandbox::run_plain(const QStringList& arguments) const {
  QProcess process;
  start(process, arguments);
  if (!process.waitForFinished(300000)) return {};
  const int exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  return {exit, process.readAllStandardOutput(), process.readAllStandardError()};
}

Outcome CliSandbox::run(const QStringList& arguments) const {
  QStringList line = arguments + QStringList{QStringLiteral("--archive"), archive()};
  const bool trains = arguments.value(0) == QLatin1String("run") || arguments.value(0) == QLatin1String("resume");
  if (trains && !arguments.contains(QStringLiteral("--gains")))
    line += QStringList{QStringLiteral("--gains"), QStringLiteral("off")};
  return run_plain(line);
}

std::vector<QHash<QString, QString>> CliSandbox::table(const QStringList& arguments) const {
  const Outcome outcome = run(arguments);
  if (outcome.exit != 0) return {};
  QStringList lines = QString::fromUtf8(outcome.out).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  if (lines.isEmpty()) return {};
  const QStringList titles = lines.takeFirst().split(QLatin1Char(','));
  std::vector<QHash<QString, QString>> rows;
  for (const QString& line : lines) {
    const QStringList cells = line.split(QLatin1Char(','));
    QHash<QString, QString> row;
    for (qsizetype i = 0; i < titles.size() && i < cells.size(); ++i) row.insert(titles[i], cells[i]);
    rows.push_back(row);
  }
  return rows;
}

std::map<std::string, std::vector<float>> CliSandbox::weights(const QString& trial, const QString& at) const {
  const Outcome outcome = run({QStringLiteral("export"), QStringLiteral("weights"), trial, QStringLiteral("--at"), at});
  std::map<std::string, std::vector<float>> tensors;
  if (outcome.exit != 0 || outcome.out.size() < 8) return tensors;
  // safetensors: 8 bytes little-endian length of the header, the JSON header, the data.
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, outcome.out.constData(), sizeof header_size);
  const auto header = nlohmann::json::parse(outcome.out.mid(8, static_cast<qsizetype>(header_size)).toStdString());
  const QByteArray data = outcome.out.mid(8 + static_cast<qsizetype>(header_size));
  for (const auto& [name, facts] : header.items()) {
    if (name == "__metadata__") continue;
    const auto first = facts["data_offsets"][0].get<qsizetype>();
    const auto last = facts["data_offsets"][1].get<qsizetype>();
    const std::vector<float> values = floats(facts["dtype"], data.mid(first, last - first));
    if (!values.empty()) tensors[name] = values;
  }
  return tensors;
}

float only_value(const std::map<std::string, std::vector<float>>& weights, const std::string& name) {
  const auto found = weights.find(name);
  return found == weights.end() || found->second.empty() ? std::nanf("") : found->second.front();
}
