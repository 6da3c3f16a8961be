// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

#include "core/session/preflight.h"
#include "core/spec/experiment.h"

class QFormLayout;
class QLabel;

namespace mantissa::ui::run {

/// A line of the pre-flight: what, how it stands, and what that means in a word.
struct PreflightLine {
  enum class State { Plain, Good, Warn, Bad };
  QString what;
  QString value;
  QString detail;  ///< tooltip; empty: none
  State state = State::Plain;
};

/// What a pre-flight found, for people.
/// \param freeBytes  on the archive's disk; nothing: unknown
std::vector<PreflightLine> preflightLines(const session::Preflight& found, const spec::Experiment& experiment,
                                          std::optional<qint64> freeBytes);

/// Before Run: what will run, how long it takes, what it needs, and which rules are fixed from then on.
class PreflightPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PreflightPanel(QWidget* parent = nullptr);

  void clear();  ///< takes no room
  void showWaiting();
  void endWaiting();  ///< nothing will be found out any more
  void showFailure(const QString& sentence);
  void showLines(const std::vector<PreflightLine>& lines);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();

  QLabel* m_title;
  QLabel* m_note;
  QFormLayout* m_form;
  std::vector<PreflightLine> m_lines;
};

}  // namespace mantissa::ui::run
