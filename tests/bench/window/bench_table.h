// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <cstdio>
#include <string>

namespace mantissa::bench {

/// The lines that a person reads: figure, value, and the most that it may be.
class Table {
 public:
  Table() { std::printf("%-66s %12s  %-9s %s\n", "figure", "value", "at most", ""); }

  /// \param format  of `value` and `most`, with the unit: "%.1f ms"
  void add(const std::string& figure, const char* format, double value, double most) const {
    char valueText[64];
    char mostText[64];
    std::snprintf(valueText, sizeof valueText, format, value);
    std::snprintf(mostText, sizeof mostText, format, most);
    std::printf("%-66s %12s  %-9s %s\n", figure.c_str(), valueText, mostText, value <= most ? "" : "EXCEEDED");
    std::fflush(stdout);
  }

  /// A figure without a limit.
  void add(const std::string& figure, const char* format, double value) const {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    std::printf("%-66s %12s\n", figure.c_str(), text);
    std::fflush(stdout);
  }
};

/// What is measured, and how long that takes.
struct Sizes {
  long steps = 1'000'000;
  long stepsPerSecond = 10'000;
  int frames = 60;
  int trials = 1000;
  int starts = 9;
  int pairs = 5;
  long trainingSteps = 20000;  // the first second of a run, with its first frames, is a small part of it
};

void benchFeed(const Table& table, const Sizes& sizes);
void benchRedraw(const Table& table, const Sizes& sizes);
void benchMemory(const Table& table, const Sizes& sizes);
void benchStart(const Table& table, const Sizes& sizes);
/// The argument that makes the program train alone (`trainAlone`) instead of printing its table.
constexpr char kTrainingAlone[] = "--training-alone";
/// Trains as the window's engine does, without a window, and prints the seconds that the reference's steps took.
int trainAlone(const QString& experiment, const QString& archive);
void benchTraining(const Table& table, const Sizes& sizes);

}  // namespace mantissa::bench
