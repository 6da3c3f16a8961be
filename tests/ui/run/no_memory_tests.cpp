// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that does not suffice for what the window shows ends neither the window nor a run in it. One size of
// allocation fails on demand: that of a column's chunk, and of a text made to measure.
#include <spdlog/spdlog.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/archive/writer.h"
#include "tests/ui/run/run_page_fixtures.h"
#include "tests/ui/shell/strip_sentences.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/editor/archived_text.h"
#include "ui/plot/value_column.h"
#include "ui/run/experiment_loader.h"
#include "ui/run/past_loader.h"
#include "ui/run/run_data.h"
#include "ui/run/run_page.h"

namespace {

constexpr std::size_t kChunkBytes = mantissa::ui::plot::ValueColumn::kChunk * sizeof(double);
std::atomic<bool> g_fails{false};

}  // namespace

#ifndef __SANITIZE_ADDRESS__
void* operator new(std::size_t size) {
  if (g_fails && size == kChunkBytes) throw std::bad_alloc();
  if (void* const memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

using namespace mantissa;
using namespace mantissa::ui;

class NoMemoryTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
#ifdef __SANITIZE_ADDRESS__
    QSKIP("AddressSanitizer has allocation functions of its own, which cannot fail on demand");
#endif
  }
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void cleanup() { g_fails = false; }

  void steps_end_where_memory_does_and_the_rest_is_counted() {
    run::RunData data;
    record::TrialRow arm;
    arm.id = 1;
    data.setArms({arm});
    std::vector<record::StepRecord> steps;
    // A column takes its second chunk with its 4,097th value.
    for (std::int64_t number = 1; number <= 4200; ++number) {
      record::StepRecord& step = steps.emplace_back();
      step.trial = 1;
      step.step = step.iteration = step.applied_updates = number;
      step.loss = 1;
    }
    worker::StepBatch batch;
    batch.chunks = {std::make_shared<const std::vector<record::StepRecord>>(steps.begin(), steps.begin() + 100)};
    QVERIFY(data.take({batch}));
    batch.chunks = {std::make_shared<const std::vector<record::StepRecord>>(steps.begin() + 100, steps.end())};
    g_fails = true;
    QVERIFY(data.take({batch}));
    g_fails = false;
    QVERIFY(data.isFull());
    QCOMPARE(data.steps(), qint64{4096});
    QCOMPARE(data.missed(), qint64{104});
    QCOMPARE(data.arm(1)->series(run::Quantity::Loss)->size(), std::size_t{4096});
    QVERIFY(!data.take({batch}));
    data.clear();
    QVERIFY(!data.isFull());
  }

  void a_run_goes_on_and_the_page_says_where_its_charts_end() {
    auto* const page = new run::RunPage(test::stub(test::slowSteps));
    test::WindowFixture fixture({page});
    QVERIFY(fixture.isShown());
    fixture.window().open(test::writeExperiment(fixture.path("digits.toml")));
    g_fails = true;
    QTest::keyClick(&fixture.window(), Qt::Key_F5);
    QTRY_VERIFY(page->shownData().missed() > 20);
    g_fails = false;
    QTRY_COMPARE(
        test::stripSentences(page),
        QStringList{QStringLiteral("No memory for all steps: charts and counters end at step 0. The archive has "
                                   "them, and a run goes on into it.")});
    QCOMPARE(page->controller()->state(), worker::JobState::Running);
    page->controller()->stop();
    QTRY_COMPARE(page->controller()->state(), worker::JobState::Idle);
  }

  void what_cannot_be_read_on_a_thread_is_told() {
    makeArchive();
    g_fails = true;
    run::PastLoader past;
    const QSignalSpy pastFailed(&past, &run::PastLoader::failed);
    run::PastRequest request;
    request.arm = 1;
    request.quantities.set(static_cast<std::size_t>(run::Quantity::Loss));
    past.load(path(), {request});
    QTRY_COMPARE(pastFailed.count(), 1);

    run::ExperimentLoader experiment;
    bool isTold = false;
    connect(&experiment, &run::ExperimentLoader::loaded, this,
            [&](std::int64_t, const run::ArchivedExperiment& what) { isTold = !what.experiment; });
    experiment.load(path(), 1, 1);
    QTRY_VERIFY(isTold);

    editor::ArchivedText text;
    const QSignalSpy textFailed(&text, &editor::ArchivedText::failed);
    text.read(path(), 1);
    QTRY_COMPARE(textFailed.count(), 1);
  }

 private:
  QString path() const { return m_folder->filePath(QStringLiteral("a.db")); }

  /// With a step, and a text that takes as many bytes as a chunk.
  void makeArchive() const {
    archive::Writer writer(path().toStdString());
    record::ExperimentStart experiment;
    experiment.name = "digits";
    experiment.text = std::string(kChunkBytes - 1, '#');
    record::TrialStart start;
    start.experiment = writer.begin_experiment(experiment);
    start.kind = record::TrialKind::Reference;
    start.name = "reference";
    record::StepRecord step;
    step.trial = writer.begin_trial(start);
    step.step = step.iteration = step.applied_updates = 1;
    step.loss = 1;
    writer.append(step);
    writer.close();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(NoMemoryTests)
#include "no_memory_tests.moc"
