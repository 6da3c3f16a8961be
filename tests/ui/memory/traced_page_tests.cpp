// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory page on an experiment that the engine traces.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QLocale>
#include <QTest>

#include <algorithm>
#include <memory>
#include <numeric>

#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_field.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/memory_page.h"
#include "ui/memory/plans_view.h"
#include "ui/plot/picture_view.h"
#include "ui/plot/plot_view.h"
#include "ui/shell/action_list.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/theme.h"
#include "ui/worker/session_engine.h"
#include "ui/worker/training_controller.h"

using namespace mantissa;
using namespace mantissa::ui;
using namespace mantissa::ui::memory;

namespace {

constexpr int kPatience = 120'000;  // ms: the machine may be busy with other tests

/// Live bytes after each event, added up once more.
std::int64_t peakOf(const record::StepTrace& trace) {
  std::vector<std::int64_t> sizes(trace.blocks.size(), 0);
  std::int64_t peak = 0;
  for (const record::MemoryEvent& event : trace.events) {
    sizes[static_cast<std::size_t>(event.block)] = event.kind == record::MemoryEvent::Kind::Allocate ? event.bytes : 0;
    // Slow and plain on purpose.
    peak = std::max(peak, std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  }
  return peak;
}

}  // namespace

class TracedPageTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    m_theme = std::make_unique<shell::Theme>(*qApp);
    m_controller =
        std::make_unique<worker::TrainingController>([] { return std::make_unique<worker::SessionEngine>(); });
    m_page = std::make_unique<MemoryPage>();
    m_page->useActions(m_actions);
    m_page->useController(m_controller.get());
    m_page->resize(1320, 950);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
  }
  void cleanupTestCase() {
    m_page.reset();
    m_controller.reset();
    m_theme.reset();
  }

  void without_an_experiment_there_is_only_what_is_typed() {
    QCOMPARE(m_page->controls()->sourceBox()->count(), 1);
    m_page->openExperiment(QStringLiteral("/no/such.toml"));
    QCOMPARE(m_page->controls()->sourceBox()->count(), 1);
  }

  void an_open_experiment_can_be_chosen_and_says_that_it_is_not_traced() {
    m_page->openExperiment(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/digits-mlp.toml"));
    QCOMPARE(m_page->controls()->sourceBox()->count(), 2);
    m_page->controls()->sourceBox()->setCurrentIndex(1);
    QVERIFY(m_page->shown().why.contains(QStringLiteral("is not traced yet")));
    QVERIFY(!m_page->controls()->field(FieldId::PerSample)->isVisible());
    QVERIFY(m_page->controls()->field(FieldId::Microbatch)->isVisible());
    QVERIFY(m_actions.find(QStringLiteral("memory_solve"))->isEnabled());
  }

  void solve_traces_it_on_the_engines_thread() {
    m_actions.find(QStringLiteral("memory_solve"))->trigger();
    QVERIFY(m_page->shown().why.contains(QStringLiteral("being traced")));
    QVERIFY(m_page->strips()->count() > 0);  // with its way to cancel
    QTRY_VERIFY_WITH_TIMEOUT(m_page->traced() != nullptr, kPatience);
    QCOMPARE(m_page->strips()->count(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(m_page->isSettled(), kPatience);
    QVERIFY(m_page->shown().why.isEmpty());
  }

  void categories_add_up_to_the_peak_of_the_trace() {
    const ShownTable& table = m_page->shown().categories;
    const int arm = 3;  // category, how, FP32, arm, saved, source
    std::int64_t sum = 0;
    for (int row = 0; row < static_cast<int>(record::kMemoryCategories); ++row)
      sum += table.cell(row, arm).exact.toLongLong();
    QCOMPARE(table.cell(record::kMemoryCategories, arm).exact.toLongLong(), sum);
    // A trace at these very sizes was made.
    const auto& traced = *m_page->traced();
    const session::ArmForecast& chosen = traced.forecasts[static_cast<std::size_t>(m_page->controls()->chosenArm())];
    QVERIFY(chosen.policy != "FP32");
    const auto memory = std::find_if(traced.trace.arms.begin(), traced.trace.arms.end(),
                                     [&](const auto& one) { return one.name == chosen.arm; });
    const auto trace = std::find_if(memory->traces.begin(), memory->traces.end(), [&](const auto& one) {
      return one.microbatch == traced.trace.planned.microbatch && one.microbatches == traced.trace.planned.accumulation;
    });
    QVERIFY(trace != memory->traces.end());
    QCOMPARE(sum, peakOf(*trace));
    QCOMPARE(static_cast<std::int64_t>(m_page->results()->timeline()->content().points[0].y), sum);
  }

  void autocast_shrinks_no_weights() {
    const ShownTable& table = m_page->shown().categories;
    QCOMPARE(table.cell(0, 2).exact, table.cell(0, 3).exact);  // parameters
    QVERIFY(table.cell(6, 3).exact.toLongLong() > 0);          // cast copies: added
    QVERIFY(table.cell(6, 4).text.startsWith(QChar(0x2212)) || table.cell(6, 4).text == QStringLiteral("0.00"));
  }

  void another_microbatch_needs_no_other_trace() {
    const Traced before = m_page->traced();
    const std::int64_t need = m_page->shown().stack.total;
    auto* const line = m_page->controls()->field(FieldId::Microbatch)->spin()->findChild<QLineEdit*>();
    line->setText(QStringLiteral("2000"));
    QCOMPARE(m_page->traced(), before);
    QTRY_VERIFY_WITH_TIMEOUT(!m_page->isOld(), kPatience);
    QVERIFY(m_page->shown().stack.total > need);
    QVERIFY(m_page->shown().sentence.contains(QStringLiteral("2,000")));
  }

  void plans_keep_the_experiments_effective_batch() {
    QTRY_VERIFY_WITH_TIMEOUT(m_page->isSettled(), kPatience);
    const auto& planned = m_page->traced()->trace.planned;
    const ShownPlans& plans = m_page->shown().plans;
    QVERIFY(!plans.plans.empty());
    for (const auto& plan : plans.plans) {
      QCOMPARE(plan.microbatch * plan.accumulation, planned.microbatch * planned.accumulation);
    }
    QVERIFY(plans.best.has_value());  // times were measured
    QVERIFY(m_page->strip()->answerOf(3).startsWith(QStringLiteral("★")));
  }

  void the_selected_plan_is_handed_over_for_the_experiments_text() {
    QString file;
    qint64 batch = 0;
    qint64 accumulate = 0;
    connect(m_page.get(), &MemoryPage::planRequested, this,
            [&](const QString& path, qint64 microbatch, qint64 accumulation, bool) {
              file = path;
              batch = microbatch;
              accumulate = accumulation;
            });
    QAction* const use = m_actions.find(QStringLiteral("memory_use_plan"));
    m_actions.find(QStringLiteral("memory_solve"))->trigger();
    QVERIFY(use->isEnabled());
    use->trigger();
    QVERIFY(file.endsWith(QStringLiteral("digits-mlp.toml")));
    const auto& best = m_page->shown().plans.plans[*m_page->shown().plans.best];
    QCOMPARE(batch, best.microbatch);
    QCOMPARE(accumulate, best.accumulation);
  }

  void a_wrong_field_leaves_no_old_picture_here_either() {
    auto* const line = m_page->controls()->field(FieldId::Microbatch)->spin()->findChild<QLineEdit*>();
    line->setText(QStringLiteral("-1"));
    QVERIFY(m_page->shown().why.contains(QStringLiteral("Found '-1'")));
    QVERIFY(m_page->results()->timeline()->content().series.empty());
    line->setText(QStringLiteral("64"));
    QTRY_VERIFY_WITH_TIMEOUT(m_page->isSettled(), kPatience);
    QVERIFY(m_page->shown().why.isEmpty());
  }

  void each_source_keeps_what_was_typed_for_it() {
    m_page->controls()->sourceBox()->setCurrentIndex(0);
    QCOMPARE(m_page->controls()->field(FieldId::Microbatch)->text(), QStringLiteral("16"));
    QCOMPARE(m_page->strip()->answerOf(2), QStringLiteral("54 samples"));
    m_page->controls()->sourceBox()->setCurrentIndex(1);
    QCOMPARE(m_page->controls()->field(FieldId::Microbatch)->text(), QStringLiteral("64"));
    const QString picture = qEnvironmentVariable("MANTISSA_PICTURE");
    QTRY_VERIFY_WITH_TIMEOUT(m_page->isSettled(), kPatience);
    if (!picture.isEmpty()) m_page->grab().save(picture);
  }

  void a_trace_can_be_cancelled() {
    m_page->openExperiment(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/digits-mlp.toml"));
    QVERIFY(m_page->traced() == nullptr);
    m_actions.find(QStringLiteral("memory_solve"))->trigger();
    QVERIFY(m_controller->tracesMemory());
    m_actions.find(QStringLiteral("memory_solve"))->trigger();  // it cancels now
    QTRY_VERIFY_WITH_TIMEOUT(m_page->shown().why.contains(QStringLiteral("is not traced yet")), kPatience);
    QVERIFY(m_page->traced() == nullptr);
  }

 private:
  shell::ActionList m_actions;
  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<worker::TrainingController> m_controller;
  std::unique_ptr<MemoryPage> m_page;
};

QTEST_MAIN(TracedPageTests)
#include "traced_page_tests.moc"
