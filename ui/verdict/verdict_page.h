// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "ui/shell/page.h"
#include "ui/verdict/judging.h"
#include "ui/verdict/verdict_data.h"

class QLabel;
class QPushButton;
class QStackedLayout;

namespace mantissa::ui::shell {
class EmptyState;
class GlanceStrip;
class MessageStrips;
class Settings;
class StripPlace;
}  // namespace mantissa::ui::shell

namespace mantissa::ui::verdict {

class Afterwards;
class RulesPanel;
class VerdictLoader;
class VerdictResults;

/// The verdict on the trial that is selected in the tree, with everything it rests on. Until one is selected it is the
/// first trial of the newest experiment.
///
/// What is shown is read on a thread of its own, when the page is looked at: what was shown before stays for a moment,
/// then the page says what it reads.
class VerdictPage : public shell::Page {
  Q_OBJECT

 public:
  explicit VerdictPage(QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("verdict"); }
  QString title() const override { return tr("Verdict"); }
  shell::HelpTopic help() const override;
  void setArchive(const QString& path, const models::TrialList& trials) override;
  void selectTrial(std::int64_t id) override;
  void selectExperiment(std::int64_t id) override;
  void useActions(shell::ActionList& actions) override;
  void useSettings(shell::Settings& settings) override;
  /// Without a call nothing can be judged again or joined here.
  void setJudging(Judging judging);
  bool isSettled() const override;
  bool takeStrips(shell::MessageStrips& strips) override;
  /// Whether the rules are shown.
  QByteArray saveLayout() const override;
  void restoreLayout(const QByteArray& layout) override;

  shell::GlanceStrip* strip() const { return m_strip; }
  RulesPanel* rulesPanel() const { return m_rules; }
  VerdictResults* results() const { return m_results; }
  Afterwards* afterwards() const { return m_afterwards; }
  shell::MessageStrips* strips() const { return m_strips; }
  /// What is shown; null: nothing.
  const SharedVerdict& shown() const { return m_shown; }
  /// What stands in place of a verdict; empty where one is shown.
  QString note() const;

 Q_SIGNALS:
  /// The experiment of the trial is to be opened in the editor, as a copy.
  void editRequested(std::int64_t experiment);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeLayout();
  void fitRules();
  void listenToCharts();
  const record::TrialRow* wanted() const;
  void refresh();
  void read();
  void take(const SharedVerdict& verdict);
  void fail(const QString& sentence);
  void say(const QString& sentence);
  void enableActions();

  QString m_archive;
  models::TrialList m_trials;
  std::int64_t m_selected = 0;  ///< 0: none, the newest is shown
  bool m_isStale = true;        ///< what is shown is not what was asked for last
  SharedVerdict m_shown;
  VerdictLoader* m_loader;
  QTimer m_patience;
  shell::Settings* m_settings = nullptr;
  shell::ActionList* m_actions = nullptr;
  QAction* m_edit = nullptr;
  QAction* m_steps = nullptr;
  shell::MessageStrips* m_strips;
  shell::StripPlace* m_stripPlace;
  shell::GlanceStrip* m_strip;
  RulesPanel* m_rules;
  VerdictResults* m_results;
  Afterwards* m_afterwards;
  shell::EmptyState* m_empty;
  shell::EmptyState* m_note;
  QString m_noteText;
  QWidget* m_reading;
  QLabel* m_readingWords;
  QPushButton* m_cancel;
  QWidget* m_body;
  QStackedLayout* m_stack;
};

}  // namespace mantissa::ui::verdict
