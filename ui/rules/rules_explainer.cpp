// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/rules_explainer.h"

#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTextCursor>
#include <QTextEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/spec/parse.h"
#include "ui/models/error_words.h"
#include "ui/models/name_words.h"
#include "ui/shell/flow_layout.h"

namespace mantissa::ui::rules {
namespace {

constexpr std::size_t kMostRuns = 40;
constexpr int kLeastHeight = 120;  // px of the words

QString momentText(const QString& utc) {
  const QDateTime moment = QDateTime::fromString(utc, Qt::ISODate).toLocalTime();
  return moment.isValid() ? moment.toString(QStringLiteral("yyyy-MM-dd HH:mm")) : utc;
}

QString problemOf(const std::exception& error) {
  if (const auto* const known = dynamic_cast<const Error*>(&error)) return models::errorText(*known);
  return QString::fromUtf8(error.what());
}

/// The rules of a text, of whatever else it says.
spec::Experiment rulesIn(const std::string& text, const std::string& file, const RunFacts* run) {
  spec::Experiment experiment;
  if (run != nullptr) {
    for (const RunFacts::Trial& trial : run->trials) {
      if (trial.problem.empty()) experiment.data.task = trial.evidence.task;
    }
  }
  return spec::with_rules_of_text(text, file, std::move(experiment));
}

}  // namespace

/// What the thread found.
struct RulesExplainer::Answer {
  std::vector<RunChoice> choices;
  std::int64_t shown = 0;  ///< the run that is spoken of; 0: none
  QString status;
  std::optional<std::vector<ExplainedRule>> rules;  ///< nothing: the text cannot be read
};

/// The run that was read last: typing reads it once.
struct RulesExplainer::Cache {
  std::string archive;
  std::int64_t version = 0;
  std::vector<record::TrialRow> arms;
  SharedRun run;
};

RulesExplainer::RulesExplainer(QWidget* parent)
    : QWidget(parent),
      m_runs(new QComboBox),
      m_words(new QTextEdit),
      m_status(new QLabel),
      m_cache(std::make_shared<Cache>()),
      m_work(QStringLiteral("rules explainer")) {
  makeLayout();
  connect(m_runs, &QComboBox::activated, this, [this](int row) {
    m_chosen = m_runs->itemData(row).toLongLong();
    refresh();
  });
}

void RulesExplainer::makeLayout() {
  auto* const presets = new shell::FlowLayout;
  presets->setSpacing(4);
  const std::pair<const char*, QString> kPresets[] = {
      {"default", tr("The rules that were calibrated on the shipped experiments, for a network as a whole")},
      {"assert_close", tr("torch.testing.assert_close: made per operator, it rejects sound networks")},
      {"onnx", tr("ONNX's backend tests: made per operator, it rejects sound networks")},
      {"torchdynamo", tr("torchdynamo's rule against FP64: made per operator; needs reference.float64")}};
  for (const auto& [name, help] : kPresets) {
    const QString preset = QString::fromLatin1(name);
    auto* const button =
        new QPushButton(preset == QLatin1String("default") ? preset : tr("%1, per operator").arg(preset));
    button->setObjectName(QStringLiteral("preset_") + preset);
    button->setAutoDefault(false);
    button->setToolTip(help);
    button->setWhatsThis(help);
    button->setAccessibleName(tr("Preset %1").arg(preset));
    connect(button, &QPushButton::clicked, this, [this, preset] { Q_EMIT presetRequested(preset); });
    presets->addWidget(button);
  }
  auto* const title = new QLabel(tr("What the rules mean"));
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  auto* const presetsTitle = new QLabel(tr("Take a preset"));
  m_runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_runs->setMinimumContentsLength(12);
  m_runs->setAccessibleName(tr("Run whose outputs the rules are explained by"));
  m_runs->setToolTip(tr("The archived run whose outputs are spoken of"));
  auto* const of = new QLabel(tr("By the outputs of"));
  of->setBuddy(m_runs);
  auto* const row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(of);
  row->addWidget(m_runs, 1);
  m_words->setReadOnly(true);
  m_words->setAcceptRichText(false);
  m_words->setTabChangesFocus(true);
  m_words->setMinimumHeight(kLeastHeight);
  m_words->setAccessibleName(tr("What the rules mean"));
  m_status->setTextFormat(Qt::PlainText);
  m_status->setWordWrap(true);
  m_status->setForegroundRole(QPalette::PlaceholderText);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(presetsTitle);
  layout->addLayout(presets);
  layout->addSpacing(4);
  layout->addWidget(title);
  layout->addLayout(row);
  layout->addWidget(m_words, 1);
  layout->addWidget(m_status);
}

void RulesExplainer::setArchive(const QString& archive, const EvidenceReader& read) {
  if (archive != m_archive) m_chosen = 0;
  m_archive = archive;
  m_read = read;
  refresh();
}

void RulesExplainer::setText(const QString& text, const QString& file, const QString& name, bool hasRules) {
  m_text = text;
  m_file = file;
  m_name = name;
  m_hasRules = hasRules;
  refresh();
}

void RulesExplainer::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();  // the archive may have another run
}

void RulesExplainer::refresh() {
  m_isStale = true;
  if (!isVisible()) return;
  m_isStale = false;
  if (m_words->document()->isEmpty()) m_status->setText(tr("Reading…"));
  m_work.start([this, cache = m_cache, archive = m_archive.toStdString(), read = m_read, text = m_text.toStdString(),
                file = m_file.toStdString(), name = m_name.toStdString(), hasRules = m_hasRules,
                chosen = m_chosen](const std::function<bool()>&) -> models::BackgroundWork::Answer {
    Answer answer;
    SharedRun run;
    try {
      if (archive.empty() || !read) {
        answer.status = tr("No archive is open: everything is said of outputs of size 1.");
      } else {
        const archive::Reader reader(archive);
        const bool isOther = cache->archive != archive || cache->version != reader.version();
        if (isOther) *cache = {archive, reader.version(), reader.trials(), nullptr};
        answer.choices = runChoices(cache->arms, name, kMostRuns);
        const auto wanted = std::find_if(answer.choices.begin(), answer.choices.end(), [&](const RunChoice& one) {
          return chosen != 0 ? one.experiment == chosen : one.name.toStdString() == name;
        });
        if (wanted == answer.choices.end()) {
          answer.status =
              tr("The archive has no run of this experiment: everything is said of outputs of size 1. Another run may "
                 "be chosen.");
        } else {
          answer.shown = wanted->experiment;
          if (!cache->run || cache->run->experiment != answer.shown) cache->run = readRun(archive, answer.shown, read);
          run = cache->run;
        }
      }
    } catch (const std::exception& error) {
      answer.status = tr("The run cannot be read: %1").arg(problemOf(error));
    }
    try {
      if (!hasRules) {
        answer.rules.emplace();
        answer.rules->push_back(
            {tr("No rules"), {tr("Only non-finite values are judged, and a clean trial is undecided.")}});
      } else {
        const spec::Experiment experiment = rulesIn(text, file, run.get());
        answer.rules = explain(*experiment.rules, run.get());
        if (run) {
          const bool isSame = spec::canonical_json_of_rules(experiment) == run->rules;
          answer.status = isSame ? tr("These are the rules of that run, fixed since %1.").arg(momentText(run->fixedAt))
                                 : tr("Other rules than those of that run, which are fixed since %1: judging it by "
                                      "these would be post hoc.")
                                       .arg(momentText(run->fixedAt));
        }
      }
    } catch (const std::exception& error) {
      answer.status = tr("%1 What stands above was read last.").arg(problemOf(error));
    }
    return [this, answer] { take(answer); };
  });
}

void RulesExplainer::take(const Answer& answer) {
  {
    const QSignalBlocker blocker(m_runs);
    m_runs->clear();
    if (answer.shown == 0) m_runs->addItem(tr("no run: size 1"), 0);
    for (const RunChoice& one : answer.choices) {
      m_runs->addItem(QStringLiteral("%1, %2").arg(models::isolated(one.name), momentText(one.startedAt)),
                      static_cast<qlonglong>(one.experiment));
    }
    m_runs->setCurrentIndex(std::max(0, m_runs->findData(static_cast<qlonglong>(answer.shown))));
    m_runs->setEnabled(!answer.choices.empty());
  }
  m_status->setText(answer.status);
  if (answer.rules) showRules(*answer.rules);
}

/// Where a person reads stays where it is while the words change.
void RulesExplainer::showRules(const std::vector<ExplainedRule>& rules) {
  const int place = m_words->verticalScrollBar()->value();
  m_words->clear();
  QTextCursor cursor(m_words->document());
  QTextCharFormat plain;
  QTextCharFormat bold;
  bold.setFontWeight(QFont::Bold);
  QTextBlockFormat block;
  bool isFirst = true;
  const auto add = [&](const QString& words, const QTextCharFormat& format, double above) {
    block.setTopMargin(isFirst ? 0 : above);
    if (isFirst) {
      cursor.setBlockFormat(block);
    } else {
      cursor.insertBlock(block);
    }
    isFirst = false;
    cursor.insertText(words, format);
  };
  constexpr double kBetweenRules = 8;  // px
  for (const ExplainedRule& rule : rules) {
    add(rule.heading, bold, kBetweenRules);
    for (const QString& sentence : rule.sentences) add(sentence, plain, 2);
  }
  m_words->verticalScrollBar()->setValue(place);
}

}  // namespace mantissa::ui::rules
