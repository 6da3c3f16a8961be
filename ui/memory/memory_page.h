// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include <optional>
#include <vector>

#include "ui/memory/shown_ledger.h"
#include "ui/memory/typed_ledger.h"
#include "ui/shell/page.h"

namespace mantissa::ui::shell {
class GlanceStrip;
class MessageStrips;
class Settings;
class StripPlace;
}  // namespace mantissa::ui::shell

namespace mantissa::ui::memory {

class LedgerControls;
class LedgerResults;

/// What memory a training step needs, what fits a device with its reserve, and which plan finishes in time.
///
/// Everything is worked out anew at every change of a field, while a slider is dragged, too; nothing waits. Where a
/// field is wrong it says so, and nothing that was shown before stands in for the answer.
class MemoryPage : public shell::Page {
  Q_OBJECT

 public:
  explicit MemoryPage(QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("memory"); }
  QString title() const override { return tr("Memory"); }
  shell::HelpTopic help() const override;
  void useActions(shell::ActionList& actions) override;
  void useSettings(shell::Settings& settings) override { m_settings = &settings; }
  bool takeStrips(shell::MessageStrips& strips) override;
  bool isSettled() const override { return !m_redraw.isActive(); }

  LedgerControls* controls() const { return m_controls; }
  LedgerResults* results() const { return m_results; }
  shell::GlanceStrip* strip() const { return m_strip; }
  shell::MessageStrips* strips() const { return m_strips; }
  const ShownLedger& shown() const { return m_shown; }

  /// What is typed, with the times of steps.
  TypedValues values() const;
  void setValues(const TypedValues& values);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr char kExportTopic[] = "export";
  static constexpr char kTimeTopic[] = "time";

  void makeLayout();
  void listenToCharts();
  void recompute();
  void redrawSoon();
  void solve();
  void takeTime(std::size_t plan, const QString& text);
  void enableActions();

  std::vector<TypedTime> m_times;
  TypedAnswer m_answer;
  ShownLedger m_shown;
  QTimer m_redraw;

  shell::Settings* m_settings = nullptr;  ///< of the window; null: the page stands alone
  shell::ActionList* m_actions = nullptr;
  QAction* m_solve = nullptr;
  shell::MessageStrips* m_strips;
  shell::StripPlace* m_stripPlace;
  shell::GlanceStrip* m_strip;
  LedgerControls* m_controls;
  LedgerResults* m_results;
};

}  // namespace mantissa::ui::memory
