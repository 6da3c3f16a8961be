// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/arguments.h"

#include <QCommandLineParser>
#include <QRegularExpression>

namespace mantissa::workbench {
namespace {

const QStringList kPages = {"archive", "run", "editor", "compare", "memory", "diagnose", "verdict", "report", "gains"};

// Of a picture. Smaller ones show no page; larger ones take gigabytes, and painting them minutes.
constexpr int kLeastSide = 240;
constexpr int kMostSide = 16'000;

std::optional<QSize> sizeOf(const QString& text) {
  static const QRegularExpression pattern(QStringLiteral("^([1-9][0-9]{0,4})x([1-9][0-9]{0,4})$"));
  const QRegularExpressionMatch match = pattern.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  const auto fits = [](int side) { return side >= kLeastSide && side <= kMostSide; };
  if (!fits(size.width()) || !fits(size.height())) return std::nullopt;
  return size;
}

}  // namespace

std::optional<Arguments> readArguments(const QStringList& words, QString* problem) {
  QCommandLineParser parser;
  const QCommandLineOption help(QStringList{"h", "help"});
  const QCommandLineOption version(QStringLiteral("version"));
  const QCommandLineOption archive(QStringLiteral("archive"), {}, QStringLiteral("A"));
  const QCommandLineOption screenshot(QStringLiteral("screenshot"), {}, QStringLiteral("PAGE"));
  const QCommandLineOption output(QStringList{"out", "o", "output"}, {}, QStringLiteral("P.png"));
  const QCommandLineOption size(QStringLiteral("size"), {}, QStringLiteral("WxH"));
  const QCommandLineOption theme(QStringLiteral("theme"), {}, QStringLiteral("T"));
  parser.addOptions({help, version, archive, screenshot, output, size, theme});
  if (!parser.parse(QStringList(QStringLiteral("mantissa")) + words)) {
    *problem = parser.errorText() + QStringLiteral(" See: mantissa --help.");
    return std::nullopt;
  }
  Arguments arguments;
  arguments.files = parser.positionalArguments();
  arguments.archive = parser.value(archive);
  arguments.screenshotPage = parser.value(screenshot);
  arguments.screenshotFile = parser.value(output);
  arguments.help = parser.isSet(help);
  arguments.version = parser.isSet(version);
  if (parser.isSet(screenshot) && !kPages.contains(arguments.screenshotPage)) {
    *problem = QStringLiteral("--screenshot: found '%1', expected one of %2.")
                   .arg(arguments.screenshotPage, kPages.join(QStringLiteral(", ")));
    return std::nullopt;
  }
  if (parser.isSet(screenshot) != parser.isSet(output)) {
    *problem =
        QStringLiteral("--screenshot PAGE and --out FILE go together: one names the page, the other the picture.");
    return std::nullopt;
  }
  if (parser.isSet(output) && arguments.screenshotFile.isEmpty()) {
    *problem = QStringLiteral("--out: found an empty name, expected the name of the picture.");
    return std::nullopt;
  }
  if (parser.isSet(size)) {
    const std::optional<QSize> wanted = sizeOf(parser.value(size));
    if (!wanted) {
      *problem = QStringLiteral(
                     "--size: found '%1', expected WIDTHxHEIGHT in pixels, from %2x%2 to %3x%3, for instance "
                     "1600x1000.")
                     .arg(parser.value(size))
                     .arg(kLeastSide)
                     .arg(kMostSide);
      return std::nullopt;
    }
    arguments.size = *wanted;
  }
  if (parser.isSet(theme)) {
    const QStringList names = {"system", "light", "dark"};
    const int index = static_cast<int>(names.indexOf(parser.value(theme)));
    if (index < 0) {
      *problem = QStringLiteral("--theme: found '%1', expected light, dark or system.").arg(parser.value(theme));
      return std::nullopt;
    }
    arguments.theme = static_cast<ui::shell::ThemeMode>(index);
  }
  return arguments;
}

QString helpText() {
  return QStringLiteral(
      "mantissa [FILE…]                 opens experiment files and archives in the workbench\n"
      "\n"
      "  --archive A                    the archive, which the first run makes; without it the last one\n"
      "  --theme light|dark|system      colours, for this start\n"
      "  --screenshot PAGE --out P.png  draws a page into a picture, without a window; PAGE is one of\n"
      "                                 archive, run, editor, compare, memory, diagnose, verdict, report, gains\n"
      "  --size 1600x1000               size of the picture\n"
      "  --version, --help\n"
      "\n"
      "mantissa-cli does the same work without a window.\n");
}

}  // namespace mantissa::workbench
