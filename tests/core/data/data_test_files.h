// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clocale>
#include <cstdint>
#include <string>
#include <string_view>

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// A folder of small files that goes away with the test.
class TestFiles {
 public:
  std::string write(const char* name, std::string_view bytes) const {
    const QString path = folder_.filePath(QString::fromUtf8(name));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write a test file");
    file.write(bytes.data(), static_cast<qint64>(bytes.size()));
    return path.toStdString();
  }
  std::string folder() const { return folder_.path().toStdString(); }

 private:
  QTemporaryDir folder_;
};

/// test = { fraction = …, seed = … }
inline spec::TestPart test_share(double fraction, std::uint64_t seed) {
  spec::TestPart part;
  part.fraction = fraction;
  part.seed = seed;
  return part;
}

/// test = { path = … }
inline spec::TestPart test_file(const std::string& path) {
  spec::TestPart part;
  part.path = path;
  return part;
}

/// The German locale, made where it can be, for as long as the object lives.
class GermanLocale {
 public:
  explicit GermanLocale(const std::string& folder) {
    const QString target = QString::fromStdString(folder + "/de_DE.UTF-8");
    const int code = QProcess::execute("localedef", {"-i", "de_DE", "-f", "UTF-8", target});
    if (code != 0 && code != 1) return;  // 1: made, with warnings
    qputenv("LOCPATH", QByteArray::fromStdString(folder));
    in_force_ = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr && std::localeconv()->decimal_point[0] == ',';
  }
  ~GermanLocale() {
    std::setlocale(LC_ALL, "C");
    qunsetenv("LOCPATH");
  }
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;

  bool in_force() const { return in_force_; }

 private:
  bool in_force_ = false;
};

/// The facts of the Error that `call` throws; an empty `problem`, `found` and `expected` if it throws none.
template <typename Call>
ErrorFacts facts_of(ErrorKind kind, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.kind() == kind) return error.facts();
    ErrorFacts other;
    other.problem = std::string("an error of another kind: ") + error.what();
    return other;
  }
  return {};
}

}  // namespace mantissa::data
