// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include <optional>
#include <vector>

#include "core/spec/experiment.h"
#include "ui/memory/calibration_view.h"
#include "ui/memory/ledger_store.h"
#include "ui/memory/shown_ledger.h"
#include "ui/memory/traced_ledger.h"
#include "ui/memory/traced_plans.h"
#include "ui/memory/typed_ledger.h"
#include "ui/shell/page.h"

namespace mantissa::ui::shell {
class GlanceStrip;
class MessageStrips;
class Settings;
class StripPlace;
}  // namespace mantissa::ui::shell

namespace mantissa::ui::worker {
class TrainingController;
}

namespace mantissa::ui::memory {

class LedgerControls;
class LedgerResults;
class LedgerSolver;

/// What memory a training step needs, what fits a device with its reserve, and which plan finishes in time.
///
/// Everything is worked out anew at every change of a field, while a slider is dragged, too; nothing waits. Traced
/// steps are worked out on threads of their own: until one is there, what was shown before stays, and says so where
/// that takes longer than the eye. Where a field is wrong it says so, and nothing that was shown before stands in for
/// the answer.
class MemoryPage : public shell::Page {
  Q_OBJECT

 public:
  explicit MemoryPage(QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("memory"); }
  QString title() const override { return tr("Memory"); }
  shell::HelpTopic help() const override;
  void useActions(shell::ActionList& actions) override;
  void useSettings(shell::Settings& settings) override;
  bool takeStrips(shell::MessageStrips& strips) override;
  bool isSettled() const override;
  /// Whether the controls are shown.
  QByteArray saveLayout() const override;
  void restoreLayout(const QByteArray& layout) override;
  void setArchive(const QString& path, const models::TrialList& trials) override;
  void openExperiment(const QString& path) override;
  void holdExperiment(const QString& path) override { openExperiment(path); }

  /// Whose engine traces experiments; it is not owned, and may be gone before the page. Without it there is only what
  /// is typed.
  void useController(worker::TrainingController* controller);
  /// The experiment's file was written: what was traced of it is not of what it is now.
  void readAgain(const QString& path);

  LedgerControls* controls() const { return m_controls; }
  LedgerResults* results() const { return m_results; }
  shell::GlanceStrip* strip() const { return m_strip; }
  shell::MessageStrips* strips() const { return m_strips; }
  const ShownLedger& shown() const { return m_shown; }
  /// What was traced of the experiment that is open; null: nothing yet.
  const Traced& traced() const { return m_traced; }
  /// Whether what is shown is not yet that of the fields.
  bool isOld() const;

  /// What is typed, with the times of steps.
  TypedValues values() const;
  void setValues(const TypedValues& values);

 Q_SIGNALS:
  /// A plan is to be written into the experiment's file, where a person sees and saves it.
  void planRequested(const QString& file, qint64 batch, qint64 accumulate, bool activationCheckpointing);

 protected:
  void hideEvent(QHideEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr char kExportTopic[] = "export";
  static constexpr char kTimeTopic[] = "time";
  static constexpr char kTraceTopic[] = "trace";
  static constexpr char kArmTopic[] = "arm ";  ///< and its name
  static constexpr char kKeptTopic[] = "kept";
  static constexpr char kPlanTopic[] = "plan";

  void makeLayout();
  void listenToCharts();
  void recompute();
  void recomputeTyped();
  void recomputeTraced();
  void askTraced(const TracedQuestion& question);
  void showTraced();
  void forgetAnswers();
  void showComparison();
  void showShown();
  void changeSource();
  void takePairs(const MemoryPairs& pairs);
  bool isOfExperiment() const;
  void trace();
  void cancelTrace();
  void traceStopped();
  void tellTrace(const QString& sentence);
  void takeTraced(const Traced& traced);
  void takeExperiment(std::shared_ptr<const spec::Experiment> experiment);
  void redrawSoon();
  void solve();
  void usePlan();
  void writePlan(const QString& file, const engine::Plan& plan, bool isCheckpointed);
  QString planChanges(const engine::Plan& plan, bool isCheckpointed) const;
  void saveLedger();
  void forgetLedger();
  void keepLedgers(const QString& shown);
  void showSavedLedger(const QString& name);
  void showKeptTrace(const QString& name, const KeptLedger& kept);
  QString whyNotKept() const;
  void keepState();
  void restoreState();
  void restoreExperiment();
  QString whyNoPlan() const;
  void takeTime(std::size_t plan, const QString& text);
  void enableActions();

  worker::TrainingController* m_controller = nullptr;
  std::shared_ptr<const spec::Experiment> m_experiment;  ///< that is open; null: none
  Traced m_traced;
  bool m_isTracing = false;
  bool m_isTraceWaiting = false;  ///< for what runs to end
  bool m_cancelsTrace = false;    ///< that the trace stops is what a person, or another experiment, has asked for
  TypedValues m_otherValues;      ///< of the source that is not looked at
  LedgerSolver* m_solver;
  std::optional<TracedQuestion> m_asked;               ///< of a ledger, newest
  std::shared_ptr<const TracedAnswer> m_tracedAnswer;  ///< to it or to one before it; null: none yet
  bool m_isAsking = false;
  std::optional<SolverQuestion> m_askedPlans;
  std::shared_ptr<const SolverAnswer> m_solved;  ///< as the answer above
  QTimer m_patience;                             ///< after it what is shown is told to be old
  std::optional<KeptLedger> m_wanted;            ///< to be shown when its experiment has been traced
  CalibrationLoader* m_loader;
  QString m_archive;
  int m_endedTrials = -1;  ///< of it; what was measured is read again where more have ended
  MemoryPairs m_pairs;
  LedgerStore m_store;
  std::vector<TypedTime> m_times;
  TypedAnswer m_answer;
  ShownLedger m_shown;
  QTimer m_redraw;
  QTimer m_keep;  ///< of what stands here, in the settings
  /// What stood here when the program was left, of an experiment that is not open yet.
  struct Restored {
    QString file;  ///< empty: there is none
    QString arm;
    bool isShown = false;  ///< it was the source
    TypedValues values;
  };
  Restored m_restored;

  shell::Settings* m_settings = nullptr;  ///< of the window; null: the page stands alone
  shell::ActionList* m_actions = nullptr;
  QAction* m_solve = nullptr;
  QAction* m_usePlan = nullptr;
  QAction* m_save = nullptr;
  QAction* m_forget = nullptr;
  shell::MessageStrips* m_strips;
  shell::StripPlace* m_stripPlace;
  shell::GlanceStrip* m_strip;
  LedgerControls* m_controls;
  LedgerResults* m_results;
};

}  // namespace mantissa::ui::memory
