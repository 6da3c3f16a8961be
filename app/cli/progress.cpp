// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.h"

#include <algorithm>
#include <cmath>

#include "core/report/plain_words.h"
#include "core/report/tables.h"

namespace mantissa::cli {
namespace {

using report::count_words;
using report::duration_words;
using report::number_words;

constexpr std::chrono::milliseconds kBarInterval(100);
constexpr std::chrono::seconds kLineInterval(3);
constexpr int kLongestBar = 24;
constexpr int kShortestBar = 6;

std::string bar_of(std::int64_t done, std::int64_t all, int width) {
  const std::int64_t filled = all > 0 ? std::clamp<std::int64_t>(done * width / all, 0, width) : 0;
  std::string bar;
  for (std::int64_t place = 0; place < width; ++place) bar += place < filled ? "━" : "─";
  return bar;
}

std::string cut(const std::string& text, int columns) {
  std::size_t end = 0;
  for (int width = 0; end < text.size(); ++end) {
    const bool starts_code_point = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (starts_code_point && ++width > columns) break;
  }
  return text.substr(0, end);
}

std::string time_left(const session::Progress& progress) {
  return std::isfinite(progress.remaining_seconds) && progress.step > 0 ? duration_words(progress.remaining_seconds)
                                                                        : "";
}

int width_of(const std::string& text) { return static_cast<int>(report::display_width(text)); }

std::string arm_words(const session::Progress::Arm& arm, bool with_loss) {
  std::string text = "  " + arm.name;
  if (arm.failed) return text + " failed";
  if (with_loss) text += ' ' + number_words(arm.loss);
  if (arm.scale != 0.0) text += ' ' + report::scale_words(arm.scale);
  if (arm.skipped > 0) text += ' ' + count_words(arm.skipped) + " skipped";
  return text;
}

std::string joined_words(const std::vector<session::Progress::Arm>& arms, bool with_loss) {
  std::string text;
  for (const session::Progress::Arm& arm : arms) text += arm_words(arm, with_loss);
  return text;
}

/// As many arms as fit into `columns`, and how many there are besides: "  fp16 2^16  and 3 more".
std::string first_words(const std::vector<session::Progress::Arm>& arms, int columns) {
  const auto rest_words = [](std::size_t count) { return "  and " + std::to_string(count) + " more"; };
  std::string text;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::string longer = text + arm_words(arms[i], false);
    const std::size_t rest = arms.size() - i - 1;
    if (width_of(longer + (rest > 0 ? rest_words(rest) : "")) > columns) return text + rest_words(rest + 1);
    text = longer;
  }
  return text;
}

}  // namespace

ProgressDisplay::ProgressDisplay(Console& console)
    : console_(console), terminal_(Console::messages_on_terminal()), last_shown_(Clock::now()) {}

void ProgressDisplay::on_note(const std::string& sentence) { console_.message(sentence); }

void ProgressDisplay::on_phase(const std::string& phase) {
  phase_ = phase;
  if (terminal_) {
    console_.transient(phase);
  } else {
    console_.message(phase);
  }
}

void ProgressDisplay::on_progress(const session::Progress& progress) {
  const Clock::time_point now = Clock::now();
  if (terminal_) {
    // The last step is always drawn, so that a finished bar is full.
    if (now - last_shown_ < kBarInterval && progress.step < progress.steps) return;
    // One column less: a full line would wrap.
    console_.transient(progress_bar(progress, Console::terminal_columns() - 1));
  } else {
    if (now - last_shown_ < kLineInterval) return;
    console_.message(progress_line(progress));
  }
  last_shown_ = now;
}

std::string progress_bar(const session::Progress& progress, int columns) {
  std::string start = ' ' + count_words(progress.step) + '/' + count_words(progress.steps) + ' ' +
                      report::share_words(progress.step, progress.steps);
  const std::string left = time_left(progress);
  if (!left.empty()) start += "  ETA " + left;
  start += "  loss " + number_words(progress.loss_reference);

  // On a narrow terminal the bar gives way first, then the trials' losses: scale and skips are what one watches for.
  // Then whole arms from the end, where the repeats of the reference stand.
  std::string text = start + joined_words(progress.arms, true);
  if (width_of(text) + kShortestBar > columns) text = start + joined_words(progress.arms, false);
  if (width_of(text) + kShortestBar > columns) {
    text = start + first_words(progress.arms, columns - kShortestBar - width_of(start));
  }
  const int bar = std::clamp(columns - width_of(text), kShortestBar, kLongestBar);
  return cut(bar_of(progress.step, progress.steps, bar) + text, columns);
}

std::string progress_line(const session::Progress& progress) {
  std::string text = "step " + count_words(progress.step) + " of " + count_words(progress.steps) + " (" +
                     report::share_words(progress.step, progress.steps) + "), loss " +
                     number_words(progress.loss_reference);
  for (const session::Progress::Arm& arm : progress.arms) {
    text += "; " + arm.name + ": ";
    if (arm.failed) {
      text += "failed";
      continue;
    }
    text += "loss " + number_words(arm.loss);
    if (arm.scale != 0.0) text += ", scale " + report::scale_words(arm.scale);
    text += ", " + report::skip_sentence(arm.skipped, progress.step);
  }
  const std::string left = time_left(progress);
  if (!left.empty()) text += "; " + left + " left";
  return text;
}

}  // namespace mantissa::cli
