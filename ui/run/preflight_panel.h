// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

#include "core/session/preflight.h"
#include "core/spec/experiment.h"

class QGridLayout;
class QLabel;
class QPushButton;

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
  /// \param arm  whose part of a step is being made; empty: not known yet
  /// \param seconds  how long it has been at that
  void showWaiting(const QString& arm = {}, int seconds = 0);
  /// A run has been asked for, and begins when the step that is being made ends.
  void showRunWaiting(const QString& arm, int seconds);
  void endWaiting();  ///< nothing will be found out any more
  void showCancelled();
  bool isWaiting() const { return m_isWaiting; }
  void showFailure(const QString& sentence);
  void showLines(const std::vector<PreflightLine>& lines);

 Q_SIGNALS:
  void cancelRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();
  void showNote(const QString& sentence, bool isWaiting, bool canCancel);

  QLabel* m_title;
  QLabel* m_note;
  QPushButton* m_cancel;
  QGridLayout* m_grid;
  std::vector<PreflightLine> m_lines;
  bool m_isWaiting = false;
};

}  // namespace mantissa::ui::run
