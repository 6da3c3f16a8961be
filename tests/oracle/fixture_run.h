// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace mantissa::oracle {

/// The fixtures were made under one instruction set; without it the last bits differ for no fault of anybody.
bool cpu_can_repeat_the_fixtures();

/// The interpreter that packaging/oracle-environment.sh makes, or the one that MANTISSA_ORACLE_PYTHON names. It need
/// not be there.
QString python();

/// Runs a script of tests/oracle with that interpreter, at most nine minutes. Returns what went wrong; empty: nothing.
QByteArray run_script(const QString& script, const QStringList& arguments);

/// Runs mantissa-cli in the environment that official PyTorch had when it made a folder's results.
class CommandLine {
 public:
  explicit CommandLine(const QString& folder);

  /// Exit code; -1 if the program crashed, did not end or was not built.
  int run(const QStringList& arguments);

  QByteArray last_words;  ///< what the last run said on stderr

 private:
  QProcessEnvironment environment_ = QProcessEnvironment::systemEnvironment();
};

/// Runs the folder's experiment.toml and compares every step of every arm and its final weights with the results that
/// official PyTorch left there (README.md). Returns the differences, a line each; empty where every bit is equal.
/// \param stop_after  the run stops after so many steps and is resumed; 0: it does not
/// \param changes  to the experiment, as --set takes them
QByteArray differences_from_pytorch(const QString& folder, int stop_after = 0, const QStringList& changes = {});

}  // namespace mantissa::oracle
