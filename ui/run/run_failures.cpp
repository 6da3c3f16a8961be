// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_failures.h"

#include <algorithm>

#include <QCoreApplication>

#include "ui/measured_text.h"
#include "ui/models/name_words.h"

namespace mantissa::ui::run {
namespace {

constexpr int kLines = 6;

QString say(const char* text) { return QCoreApplication::translate("RunFailures", text); }

}  // namespace

QString withLines(const QString& head, const QStringList& lines) {
  // One line more takes no more room than the words that it is left out.
  const bool isLong = lines.size() > kLines + 1;
  QStringList shown = QStringList{head} + (isLong ? lines.mid(0, kLines) : lines);
  if (isLong) {
    shown << say(QT_TRANSLATE_NOOP("RunFailures", "and %1 more, which the log names"))
                 .arg(wholeText(lines.size() - kLines));
  }
  return shown.join(u'\n');
}

void RunFailures::begin(const QString& name) {
  if (m_isOver && m_failed.isEmpty()) m_begun = 0;
  m_isOver = false;
  m_name = name;
  ++m_begun;
}

void RunFailures::add(const QString& reason, bool isWhole) {
  if (m_failed.isEmpty() || m_failed.back().run != m_begun) m_failed.push_back({m_begun, m_name, {}, false});
  m_failed.back().reasons << reason;
  m_failed.back().isWhole = m_failed.back().isWhole || isWhole;
}

void RunFailures::addRun(const QString& reason) { add(reason, true); }

bool RunFailures::addArm(const QString& arm, const QString& reason) {
  const QString sentence =
      say(QT_TRANSLATE_NOOP("RunFailures", "%1 has failed: %2")).arg(models::isolated(arm), reason);
  const bool isKnown =
      !m_failed.isEmpty() && m_failed.back().run == m_begun && m_failed.back().reasons.contains(sentence);
  if (!isKnown) add(sentence, false);
  return !isKnown;
}

bool RunFailures::forget(const QString& reason) {
  for (auto failed = m_failed.begin(); failed != m_failed.end(); ++failed) {
    if (failed->reasons.removeAll(reason) == 0) continue;
    if (failed->reasons.isEmpty()) m_failed.erase(failed);
    return true;
  }
  return false;
}

void RunFailures::end(int waiting) { m_isOver = waiting == 0; }

QString RunFailures::sentence(int waiting) const {
  QStringList lines;
  for (const Failed& failed : m_failed) {
    const QString reasons = failed.reasons.join(u' ');
    // What is wrong with a file begins with its name.
    lines << (reasons.contains(failed.name) ? reasons
                                            : QStringLiteral("%1: %2").arg(models::isolated(failed.name), reasons));
  }
  if (runs(waiting) == 1) return lines.join(u'\n');
  const bool areWhole = std::all_of(m_failed.begin(), m_failed.end(), [](const Failed& one) { return one.isWhole; });
  const QString head = areWhole ? say(QT_TRANSLATE_NOOP("RunFailures", "%1 of %2 runs failed:"))
                                : say(QT_TRANSLATE_NOOP("RunFailures", "%1 of %2 runs failed, in whole or in part:"));
  return withLines(head.arg(wholeText(m_failed.size()), wholeText(runs(waiting))), lines);
}

}  // namespace mantissa::ui::run
