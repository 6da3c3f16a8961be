// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <QByteArray>
#include <QHash>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

/// What one call of the program came to.
struct Outcome {
  int exit = -1;
  QByteArray out;
  QByteArray err;

  nlohmann::json json() const;  ///< stdout as one JSON document; null where it is none
};

/// A folder of its own with an archive of its own, and the program in it.
class CliSandbox {
 public:
  CliSandbox();

  QString path(const QString& name) const { return folder_.filePath(name); }
  QString archive() const { return path(QStringLiteral("archive.db")); }

  /// Writes a file into the folder and returns its path.
  QString write(const QString& name, const QByteArray& bytes) const;

  /// Copies tests/cases/<name> into the folder, without its number.
  QString take_case(const QString& name) const;

  /// What every program gets before it starts: limits, say.
  void set_up_children(std::function<void()> set_up) { set_up_child_ = std::move(set_up); }

  /// Where programs start; the folder unless told.
  void stand_in(const QString& folder) { standing_in_ = folder; }

  /// Runs `mantissa-cli … --archive <archive>` in the folder until it ends; `run` and `resume` with `--gains off`
  /// unless told.
  Outcome run(const QStringList& arguments) const;

  /// The same without `--archive`.
  Outcome run_plain(const QStringList& arguments) const;

  /// Starts it and returns at once.
  void start(QProcess& process, const QStringList& arguments) const;

  /// An exported table: one map of column to cell a row.
  std::vector<QHash<QString, QString>> table(const QStringList& arguments) const;

  /// `export weights TRIAL`, the tensors in FP32, BF16 and FP16.
  std::map<std::string, std::vector<float>> weights(const QString& trial,
                                                    const QString& at = QStringLiteral("final")) const;

  /// Variables that the program sees besides PATH, HOME and the like.
  void set_environment(const QString& name, const QString& value) { environment_.insert(name, value); }

  static QString program();

 private:
  QTemporaryDir folder_;
  QProcessEnvironment environment_;
  std::function<void()> set_up_child_;
  QString standing_in_;
};

/// The 0th value of a tensor, NaN where it is not there.
float only_value(const std::map<std::string, std::vector<float>>& weights, const std::string& name);
