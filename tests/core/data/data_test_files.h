// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <QByteArray>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"

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
