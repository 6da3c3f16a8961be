// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/background_work.h"
#include "ui/rules/rule_words.h"
#include "ui/rules/run_facts.h"

class QComboBox;
class QLabel;
class QMenu;
class QTextEdit;

namespace mantissa::ui::rules {

/// Says what the rules of a text mean at the size of the outputs of an archived run: all trials of the newest one of
/// the same experiment, or the run or trial that a person chooses. Without one it speaks of outputs of size 1. Offers
/// the presets.
///
/// The archive is read, and the words are made, on a thread of its own; a newer text or archive drops the reading of an
/// older one, and what was said stays until then. Window thread.
class RulesExplainer : public QWidget {
  Q_OBJECT

 public:
  explicit RulesExplainer(QWidget* parent = nullptr);

  /// Looks whether the archive has another run meanwhile, too. Without a call, or with an empty reader, no run is read.
  /// \param archive  empty: none is open
  void setArchive(const QString& archive, const EvidenceReader& read);
  /// \param file  its name in messages; \param name  of the experiment; \param hasRules  whether [rules] is in the text
  void setText(const QString& text, const QString& file, const QString& name, bool hasRules);

  /// Which rules are spoken of: "rules" of all, "rules.output[1]" of that one, "rules.output" of all of them.
  void showPage(const QString& page);

  /// While it is hidden nothing is read; it catches up when it is seen.
  bool isSettled() const { return !m_isStale && !m_work.isBusy(); }

  QComboBox* runs() const { return m_runs; }
  QMenu* presets() const { return m_presets; }
  QTextEdit* words() const { return m_words; }
  QLabel* status() const { return m_status; }

 Q_SIGNALS:
  /// "default", or of rules.output: "assert_close", "onnx", "torchdynamo".
  void presetRequested(const QString& preset);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Answer;
  struct Cache;

  void makeLayout();
  void refresh();
  void take(const Answer& answer);
  void showChoices(const Answer& answer);
  void showRules();
  std::vector<ExplainedRule> rulesOfPage() const;

  QString m_archive;
  EvidenceReader m_read;
  QString m_text, m_file, m_name;
  bool m_hasRules = false;
  std::int64_t m_chosen = 0;       ///< experiment; 0: the newest of the same name
  std::int64_t m_chosenTrial = 0;  ///< of it; 0: all
  bool m_isStale = true;
  QComboBox* m_runs;
  QMenu* m_presets;
  QTextEdit* m_words;
  QLabel* m_status;
  std::vector<RunChoice> m_choices;  ///< that are offered
  std::optional<RunChoice> m_shown;  ///< of them
  bool m_hasAnswer = false;
  std::vector<ExplainedRule> m_rules;  ///< all of the text
  std::vector<ExplainedRule> m_said;   ///< of the page
  QString m_page = QStringLiteral("rules");
  std::shared_ptr<Cache> m_cache;  ///< used by the thread alone
  models::BackgroundWork m_work;   ///< last: what it waits for at the end uses the rest
};

}  // namespace mantissa::ui::rules
