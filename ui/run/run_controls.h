// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <QString>

#include <utility>
#include <vector>

#include "ui/shell/action_button.h"
#include "ui/shell/shape_icon.h"

class QAction;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace mantissa::ui::shell {
class FlowLayout;
}

namespace mantissa::ui::run {

class PreflightPanel;
class PresetPanel;
class QueuePanel;

/// The left side of the page: what can be done with the run, and what is run.
class RunControls : public QWidget {
  Q_OBJECT

 public:
  explicit RunControls(QWidget* parent = nullptr);

  QSize sizeHint() const override;

  /// A button at the top; the first one is the primary.
  void addAction(QAction* action, shell::IconShape icon,
                 shell::ActionButton::Shape shape = shell::ActionButton::Shape::Text);
  /// What takes the first button's place while the run that is shown can go on; `run` stands below it then.
  void setGoOnAction(QAction* goOn, QAction* run);
  void offerGoOn(bool offered);
  /// The keyboard to the primary button, where it can be pressed.
  void focusPrimary();
  /// The keyboard to the second button, where it was at one that cannot be pressed any more.
  void focusNextAfterPrimary();

  /// A button beside the experiment's name.
  void setEditAction(QAction* action);

  /// \param summary, policies  as experiment_summary.h makes them
  void showExperiment(const QString& name, const QString& file, const std::vector<std::pair<QString, QString>>& summary,
                      const std::vector<std::pair<QString, QString>>& policies);
  void setNote(const QString& sentence);
  /// When the rules were fixed, and their hash; empty: they are not.
  void setRulesNote(const QString& sentence, const QString& details);

  PresetPanel* presets() const { return m_presets; }
  PreflightPanel* preflight() const { return m_preflight; }
  QueuePanel* queue() const { return m_queue; }

 protected:
  /// A button that is disabled under the keyboard hands its focus to no other: the next key would press that.
  bool focusNextPrevChild(bool next) override;

 private:
  void fillSummary(const std::vector<std::pair<QString, QString>>& rows);
  void fillPolicies(const std::vector<std::pair<QString, QString>>& rows);

  shell::FlowLayout* m_buttons;
  QPushButton* m_primary = nullptr;
  QPushButton* m_second = nullptr;
  QPushButton* m_goOn = nullptr;
  QPushButton* m_again = nullptr;  ///< below the others: from the first step
  QLabel* m_name;
  QHBoxLayout* m_heading;
  QLabel* m_file;
  QFormLayout* m_summary;
  QLabel* m_policiesTitle;
  QFormLayout* m_policies;
  PresetPanel* m_presets;
  PreflightPanel* m_preflight;
  QueuePanel* m_queue;
  QLabel* m_note;
  QLabel* m_rules;
};

}  // namespace mantissa::ui::run
