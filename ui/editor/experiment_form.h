// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>
#include <QWidget>

#include "ui/editor/policies_view.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QVBoxLayout;

namespace mantissa::ui::rules {
class RulesExplainer;
}

namespace mantissa::ui::editor {

class FormSection;
class TomlText;

/// The form beside the text: one page a table, made when it is looked at first. It shows what a text says and asks for
/// changes of it; it changes nothing itself. Below the pages of the rules stands what the rules mean.
class ExperimentForm : public QWidget {
  Q_OBJECT

 public:
  explicit ExperimentForm(QWidget* parent = nullptr);

  QSize minimumSizeHint() const override { return QWidget::minimumSizeHint().expandedTo({300, 0}); }

  /// \param folder  that paths are relative to; empty: none yet
  void showText(const TomlText& toml, const QString& folder);
  /// Keeps what it shows, greyed: the text cannot be read. Empty words: it can again.
  void setStale(const QString& words);
  /// \param problems  words by the path of a key
  void showProblems(const QHash<QString, QString>& problems);

  /// The page of a table: "trial[0]".
  void showPage(const QString& table);
  const QString& page() const { return m_page; }
  /// The page's fields; nullptr where it has none of its own: the list of trials.
  FormSection* section() const;
  /// See Field.
  bool takeBackTyping();
  void finishTyping();
  PoliciesView* policies() const { return m_policies; }
  /// On the pages of the rules alone.
  rules::RulesExplainer* rules() const { return m_rules; }

 Q_SIGNALS:
  void edited(const QString& path, const QString& value, bool isTyping);
  void cleared(const QString& path);
  /// The keyboard came into the field of a key.
  void entered(const QString& path);
  /// An item of a list of tables: "trial[0]".
  void copyRequested(const QString& path);
  void removalRequested(const QString& path);
  void pageRequested(const QString& path);
  void presetRequested(const mantissa::ui::editor::PolicyPreset& preset);

 private:
  void makePage();
  void tellOthers();
  void tellPageProblem();

  QString m_page;
  QHash<QString, FormSection*> m_sections;
  QHash<QString, QString> m_problems;
  QString m_text;  ///< what is shown: pages that are made later show it, too
  QString m_folder;
  QLabel* m_title;
  QLabel* m_help;
  QLabel* m_stale;
  QLabel* m_problem;  ///< of the page as a whole: a key that is missing
  QPushButton* m_copy;
  QPushButton* m_remove;
  QCheckBox* m_showAll;
  QScrollArea* m_area;
  QSplitter* m_halves;  ///< the page, and what its rules mean
  QVBoxLayout* m_pages;
  PoliciesView* m_policies;
  rules::RulesExplainer* m_rules;
};

}  // namespace mantissa::ui::editor
