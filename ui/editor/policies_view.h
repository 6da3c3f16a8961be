// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>
#include <QWidget>

class QVBoxLayout;

namespace mantissa::ui::editor {

class TomlText;

/// A precision policy that a trial can begin with.
struct PolicyPreset {
  QString title;  ///< "FP16, DeepSpeed scaler"
  QString help;
  QString name;  ///< of the trial: "fp16-deepspeed"
  QString autocast;
  QString scaler;  ///< preset of the scaler; empty: the default
  QString more;    ///< another line of the block; empty: none
};

const QVector<PolicyPreset>& policyPresets();

/// The lines below [[trial]] that make this policy; `name` is free among the trials. \param inBraces  as members of
/// braces
QString policyLines(const PolicyPreset& preset, const QString& name, bool inBraces);

/// "FP16, DeepSpeed scaler": the policy of a trial of the text.
QString policyTitle(const TomlText& toml, const QString& trial);
/// What is other than in its preset: "init scale 1024, kept in FP32: loss"; empty: nothing.
QString policyDetails(const TomlText& toml, const QString& trial);

/// All trials of a text as cards, and the policies that another one can begin with.
class PoliciesView : public QWidget {
  Q_OBJECT

 public:
  explicit PoliciesView(QWidget* parent = nullptr);

  void showText(const TomlText& toml);

 Q_SIGNALS:
  /// \param trial  "trial[0]"
  void openRequested(const QString& trial);
  void copyRequested(const QString& trial);
  void removalRequested(const QString& trial);
  void presetRequested(const mantissa::ui::editor::PolicyPreset& preset);

 private:
  void addCard(const TomlText& toml, int place);

  QVBoxLayout* m_cards;
  QWidget* m_none;
  QString m_shown;  ///< what the cards say: made anew only where it changes
};

}  // namespace mantissa::ui::editor
