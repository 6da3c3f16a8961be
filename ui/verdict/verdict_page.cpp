// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/verdict_page.h"

#include <spdlog/spdlog.h>

#include <QAction>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "ui/models/name_words.h"
#include "ui/plot/picture_view.h"
#include "ui/shell/action_list.h"
#include "ui/shell/empty_state.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"
#include "ui/shell/strip_place.h"
#include "ui/verdict/afterwards.h"
#include "ui/verdict/mature_table.h"
#include "ui/verdict/rules_panel.h"
#include "ui/verdict/verdict_loader.h"
#include "ui/verdict/verdict_results.h"
#include "ui/verdict/verdict_statements.h"

namespace mantissa::ui::verdict {
namespace {

constexpr int kPatience = 100;  // ms: what is sooner there than the eye needs no word
constexpr char kReadTopic[] = "read";
constexpr char kExportTopic[] = "export";

/// Whether an arm says the same as before: what was read of it is still what is there.
bool standsAlike(const record::TrialRow& one, const record::TrialRow& other) {
  return one.id == other.id && one.end.status == other.end.status && one.finished_at == other.finished_at;
}

bool isJudged(record::TrialKind kind) { return kind == record::TrialKind::Trial || kind == record::TrialKind::Foreign; }

}  // namespace

VerdictPage::VerdictPage(QWidget* parent)
    : shell::Page(parent),
      m_loader(new VerdictLoader(this)),
      m_strips(new shell::MessageStrips),
      m_stripPlace(new shell::StripPlace),
      m_strip(new shell::GlanceStrip(kStatements)),
      m_rules(new RulesPanel),
      m_results(new VerdictResults),
      m_afterwards(new Afterwards(*m_strips, *m_results->mature(), this)),
      m_empty(new shell::EmptyState(
          tr("No trial to judge"),
          tr("Here stands a trial's verdict with what it rests on: the rules that were fixed before the first step, "
             "decisions that flipped, deviations, slices. Run an experiment, and its trials are judged."))),
      m_note(new shell::EmptyState(tr("Nothing is judged here"), {})),
      m_reading(new QWidget),
      m_readingWords(new QLabel),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_body(new QWidget),
      m_stack(new QStackedLayout(this)) {
  makeLayout();
  listenToCharts();
  m_patience.setSingleShot(true);
  m_patience.setInterval(kPatience);
  connect(&m_patience, &QTimer::timeout, this, [this] {
    const record::TrialRow* const trial = wanted();
    if (!m_loader->isBusy() || trial == nullptr) return;
    m_readingWords->setText(
        tr("Reading the verdict on %1…").arg(models::isolated(QString::fromStdString(trial->start.name))));
    m_stack->setCurrentWidget(m_reading);
  });
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    m_loader->cancel();
    m_patience.stop();
    say(tr("Reading was cancelled. Select the trial again to read its verdict."));
  });
  connect(m_loader, &VerdictLoader::loaded, this, &VerdictPage::take);
  connect(m_loader, &VerdictLoader::failed, this, &VerdictPage::fail);
  connect(m_results, &VerdictResults::judgementChosen, m_rules, &RulesPanel::showJudgement);
  connect(m_afterwards, &Afterwards::told, this, &VerdictPage::told);
  connect(m_afterwards, &Afterwards::changed, this, [this](std::int64_t trial) {
    if (m_shown && m_shown->trial.id == trial) refresh();
  });
  connect(m_results, &VerdictResults::stepsWanted, this, [this] {
    if (m_shown) Q_EMIT trialChosen(m_shown->trial.id);
  });
}

void VerdictPage::makeLayout() {
  auto* const area = new QScrollArea;
  area->setWidget(m_results);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);  // what is in it has the keyboard, and brings itself into view
  area->setAccessibleName(tr("Results"));
  auto* const columns = new QHBoxLayout;
  columns->setSpacing(8);
  columns->addWidget(m_rules);
  auto* const results = new QVBoxLayout;
  results->setSpacing(0);
  results->addWidget(area, 1);
  m_stripPlace->add(m_strips);
  results->addWidget(m_stripPlace);
  columns->addLayout(results, 1);
  auto* const layout = new QVBoxLayout(m_body);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(m_strip);
  layout->addLayout(columns, 1);

  m_readingWords->setTextFormat(Qt::PlainText);
  m_readingWords->setAlignment(Qt::AlignCenter);
  auto* const reading = new QVBoxLayout(m_reading);
  reading->setSpacing(16);
  reading->addStretch(1);
  reading->addWidget(m_readingWords);
  reading->addWidget(m_cancel, 0, Qt::AlignHCenter);
  reading->addStretch(2);
  for (QWidget* const one : std::initializer_list<QWidget*>{m_empty, m_note, m_reading, m_body}) {
    m_stack->addWidget(one);
  }
  m_stack->setCurrentWidget(m_empty);
}

void VerdictPage::listenToCharts() {
  std::vector<plot::ChartWidget*> charts = m_results->charts();
  charts.push_back(m_rules->fixedRules());
  charts.push_back(m_rules->postHocRules());
  for (plot::ChartWidget* const chart : charts) {
    connect(chart, &plot::ChartWidget::exportAsked, this, [this, chart] {
      if (m_settings != nullptr) chart->setExportFolder(m_settings->startFolder(QStringLiteral("export"), {}));
    });
    connect(chart, &plot::ChartWidget::exported, this, [this](const QString& path) {
      if (m_settings != nullptr) m_settings->setFolderOf(QStringLiteral("export"), path);
      m_strips->dismiss(QString::fromLatin1(kExportTopic));
      const QString sentence = tr("Written to %1").arg(QDir::toNativeSeparators(path));
      spdlog::info("{}", sentence.toStdString());
      Q_EMIT told(sentence);
    });
    connect(chart, &plot::ChartWidget::exportFailed, this, [this](const QString& sentence) {
      spdlog::warn("{}", sentence.toStdString());
      m_strips->show(shell::MessageStrip::Kind::Failure, sentence, QString::fromLatin1(kExportTopic));
    });
  }
}

void VerdictPage::useActions(shell::ActionList& actions) {
  m_actions = &actions;
  if (QAction* const open = actions.find(QStringLiteral("open"))) m_empty->addAction(open);
  if (const QAction* const toggle = actions.find(QStringLiteral("toggle_controls"))) {
    connect(toggle, &QAction::triggered, this, [this] {
      if (isVisibleTo(window())) m_rules->setVisible(m_rules->isHidden());
    });
  }
  m_edit = actions.add(QStringLiteral("verdict_edit_copy"), tr("Tools"), tr("&Edit the rules as a copy"),
                       QKeySequence(tr("Ctrl+Alt+E")),
                       tr("Opens the experiment of this trial as a new one, with its rules: those of this trial stay "
                          "as they were fixed"),
                       [this] {
                         if (m_shown) Q_EMIT editRequested(m_shown->trial.experiment_id);
                       });
  m_rules->addAction(m_edit);
  m_steps = actions.add(QStringLiteral("verdict_steps"), tr("Tools"), tr("Show curves and &steps"),
                        QKeySequence(tr("Ctrl+Alt+G")), tr("Shows the judged trial on the Run page"), [this] {
                          if (m_shown) Q_EMIT trialChosen(m_shown->trial.id);
                        });
  m_rules->addAction(m_steps);
  m_afterwards->useActions(actions, *m_rules);
  enableActions();
}

void VerdictPage::useSettings(shell::Settings& settings) {
  m_settings = &settings;
  m_afterwards->useSettings(settings);
}

void VerdictPage::setJudging(Judging judging) { m_afterwards->setJudging(std::move(judging)); }

void VerdictPage::enableActions() {
  if (m_actions == nullptr) return;
  const QString why = m_shown ? QString() : tr("No trial is shown on the Verdict page");
  const bool isForeign = m_shown && m_shown->isForeign();
  m_actions->setEnabled(m_edit, m_shown != nullptr && !isForeign,
                        isForeign ? tr("The run was made elsewhere: there is no experiment to copy. Export its rules, "
                                       "change that file and judge by it")
                                  : why);
  m_actions->setEnabled(m_steps, m_shown != nullptr, why);
  if (!m_shown) m_afterwards->show(m_archive, nullptr, {});
}

bool VerdictPage::takeStrips(shell::MessageStrips& strips) {
  if (m_stack->currentWidget() != m_body) return false;
  m_stripPlace->add(&strips);
  return true;
}

bool VerdictPage::isSettled() const { return !m_loader->isBusy() && !m_afterwards->isBusy(); }

QByteArray VerdictPage::saveLayout() const { return m_rules->isHidden() ? QByteArray("hidden") : QByteArray(); }

void VerdictPage::restoreLayout(const QByteArray& layout) { m_rules->setHidden(layout == "hidden"); }

QString VerdictPage::note() const { return m_stack->currentWidget() == m_note ? m_noteText : QString(); }

/// The arm to show; null: there is none.
const record::TrialRow* VerdictPage::wanted() const {
  if (!m_trials) return nullptr;
  const record::TrialRow* newest = nullptr;
  for (const record::TrialRow& arm : *m_trials) {
    if (arm.id == m_selected) return &arm;
    if (!isJudged(arm.start.kind)) continue;
    if (newest == nullptr || arm.experiment_id > newest->experiment_id) newest = &arm;
  }
  return newest;
}

void VerdictPage::setArchive(const QString& path, const models::TrialList& trials) {
  const bool isOther = path != m_archive;
  const bool isRunning = trials && std::any_of(trials->begin(), trials->end(), [](const record::TrialRow& arm) {
                           return arm.end.status == record::Status::Running;
                         });
  m_archive = path;
  m_trials = trials;
  if (isOther) m_selected = 0;
  const record::TrialRow* const trial = wanted();
  // While arms run all are read about once a second: those that have ended are what they were. Where none does,
  // somebody has asked to look again, and there may be another judgement.
  const bool isKnown = m_shown && trial != nullptr && !isOther && standsAlike(m_shown->trial, *trial);
  if (isKnown && isRunning && !m_isStale) return;
  refresh();
}

void VerdictPage::selectTrial(std::int64_t id) {
  if (id == m_selected && !m_isStale && note().isEmpty()) return;
  m_selected = id;
  refresh();
}

void VerdictPage::selectExperiment(std::int64_t id) {
  if (!m_trials) return;
  for (const record::TrialRow& arm : *m_trials) {
    if (arm.experiment_id == id && isJudged(arm.start.kind)) return selectTrial(arm.id);
  }
}

void VerdictPage::refresh() {
  m_isStale = true;
  if (isVisible()) read();
}

void VerdictPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  read();  // there may be another judgement
}

void VerdictPage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  fitRules();
}

/// In a small window the results need the room more; words of the panel stay whole.
void VerdictPage::fitRules() {
  constexpr int kNarrowest = 220;  // px
  constexpr int kWidest = 300;
  const int least = std::max(kNarrowest, m_rules->layout()->minimumSize().width());
  m_rules->setFixedWidth(std::max(least, std::min(kWidest, width() / 4)));
}

void VerdictPage::say(const QString& sentence) {
  m_noteText = sentence;
  m_note->setSentence(sentence);
  m_shown.reset();
  m_stack->setCurrentWidget(m_note);
  enableActions();
  Q_EMIT stripPlaceChanged();
}

void VerdictPage::read() {
  m_isStale = false;
  const record::TrialRow* const trial = wanted();
  if (trial == nullptr) {
    m_loader->cancel();
    m_shown.reset();
    m_stack->setCurrentWidget(m_empty);
    enableActions();
    Q_EMIT stripPlaceChanged();
    return;
  }
  const QString name = models::isolated(QString::fromStdString(trial->start.name));
  if (!isJudged(trial->start.kind)) {
    m_loader->cancel();
    return say(trial->start.kind == record::TrialKind::Reference
                   ? tr("%1 is a reference: it is not judged, trials are judged against it. Select one of its trials.")
                         .arg(name)
                   : tr("%1 measures the reference against itself: it is not judged. Select a trial.").arg(name));
  }
  m_loader->load(m_archive, trial->id);
  m_patience.start();
}

void VerdictPage::take(const SharedVerdict& verdict) {
  m_patience.stop();
  m_strips->dismiss(QString::fromLatin1(kReadTopic));
  m_shown = verdict;
  int place = 1;
  QString subject = QString::fromStdString(verdict->trial.experiment + '/' + verdict->trial.start.name);
  if (m_trials) place = models::placeOf(verdict->trial, *m_trials);
  m_strip->setStatements(statementsOf(*verdict));
  m_rules->showRules(*verdict);
  m_results->showVerdict(verdict, place, subject);
  m_afterwards->show(m_archive, verdict, subject);
  fitRules();
  m_stack->setCurrentWidget(m_body);
  enableActions();
  Q_EMIT stripPlaceChanged();
}

void VerdictPage::fail(const QString& sentence) {
  m_patience.stop();
  spdlog::warn("verdict: {}", sentence.toStdString());
  say(tr("The verdict cannot be read: %1").arg(sentence));
}

}  // namespace mantissa::ui::verdict
