// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QString>
#include <QWidget>

#include <array>
#include <optional>

#include "ui/memory/ledger_words.h"
#include "ui/memory/typed_ledger.h"
#include "ui/shell/action_button.h"

class QFormLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSlider;

namespace mantissa::ui::memory {

class LedgerChoice;
class LedgerField;

/// The left side of the page: what can be typed, with sliders for what is tried out most, and the largest value of one
/// of them that fits.
class LedgerControls : public QWidget {
  Q_OBJECT

 public:
  explicit LedgerControls(QWidget* parent = nullptr);

  QSize sizeHint() const override;

  /// A button at the top; the first one is the primary.
  void addAction(QAction* action);

  /// All that stands in the fields, but for the times, which stand in the table of plans.
  TypedValues values() const;
  /// Not an edit.
  void setValues(const TypedValues& values);

  /// Where the ledger comes from: typed values, or an experiment.
  enum class Source { Typed, Experiment };
  Source source() const;
  /// What can be chosen, without an edit. \param experiment  its name; empty: none is open, and there is only what is
  /// typed
  void offerExperiment(const QString& experiment);
  void setSource(Source source);
  /// The ledgers that were saved, without an edit. \param shown  whose values stand in the fields; empty: of none
  void offerLedgers(const QStringList& names, const QString& shown);
  /// What stands in the box of names: a saved one, or one to save under.
  QString ledgerName() const;
  /// Kept ledgers to compare with, by name.
  QStringList comparedLedgers() const;
  void compareWith(const QString& name);
  /// The arms that were traced, one of which is looked at. \param chosen  its place
  void setArms(const QStringList& arms, int chosen);
  int chosenArm() const;
  QString armText() const { return m_arm->currentText(); }
  /// Not an edit. An arm of another name changes nothing.
  void chooseArm(const QString& arm);
  /// Whose largest value is asked for.
  LimitOf limit() const;

  /// What a traced step says of the field that limit() names.
  struct LimitAnswer {
    QString value;
    QString sentence;
    std::optional<std::int64_t> largestMicrobatch;  ///< for the slider; nothing: not known, or none
  };
  /// Problems of the fields that a traced step needs.
  void showAnswer(const CommonFields& fields, const LimitAnswer& limit);

  /// Problems at their fields, what is derived, and the answer about the largest value.
  void showAnswer(const TypedAnswer& answer);

  QPushButton* outsideOffer() const { return m_outsideOffer; }
  LedgerField* field(FieldId field) const { return m_fields[placeOf(field)]; }
  QComboBox* ledgerBox() const { return m_ledgerBox; }
  LedgerChoice* compareButton() const { return m_compare; }
  QComboBox* sourceBox() const { return m_source; }
  QComboBox* armBox() const { return m_arm; }
  QComboBox* stateBox() const { return m_state; }
  QComboBox* policyBox() const { return m_policy; }
  QComboBox* limitBox() const { return m_limit; }
  QLineEdit* limitAnswer() const { return m_limitAnswer; }
  QSlider* reserveSlider() const { return m_reserveSlider; }
  QSlider* microbatchSlider() const { return m_microbatchSlider; }

 Q_SIGNALS:
  /// A saved ledger was chosen, to be shown.
  void ledgerChosen(const QString& name);
  /// Another name stands in the box.
  void ledgerNameEdited();
  /// Another source was chosen.
  void sourceChosen();
  /// A person changed something; every notch of a slider that is dragged is one.
  void edited();

 private:
  void showRows();
  QLabel* addHeading(const QString& text);
  void addRow(const QString& text, QWidget* widget);
  LedgerField* addField(FieldId field, int kind, const QString& help);
  QSlider* addSlider(const QString& name);
  void listen();
  void followTexts();
  void fitSliderRange();
  void showLimit();
  void offerLimits();
  /// Where nothing was typed of what lies outside of the allocator: of traced steps the figure of
  /// core/memory/outside_table.h is taken, and the field says so. Typed sums are what was typed: there it can be taken.
  /// \param capacity  0: none
  static QString outsideWords();
  void offerOutside(std::int64_t capacity);

  QHBoxLayout* m_buttons;
  QFormLayout* m_form;
  QScrollArea* m_area;
  bool m_hasPrimary = false;
  std::array<LedgerField*, kFields> m_fields{};
  QPushButton* m_outsideOffer = nullptr;
  QString m_offered;  ///< what it writes into the field
  QComboBox* m_ledgerBox;
  LedgerChoice* m_compare;
  QComboBox* m_source;
  QComboBox* m_arm;
  QComboBox* m_state;
  QComboBox* m_policy;
  QLabel* m_othersHeading = nullptr;
  QSlider* m_reserveSlider = nullptr;
  QSlider* m_microbatchSlider = nullptr;
  QComboBox* m_limit;
  QLineEdit* m_limitAnswer;
  QLabel* m_limitSentence;
  std::optional<engine::Ledger> m_ledger;  ///< for the answer about the largest value
  std::int64_t m_fixedBytes = 0;           ///< that were derived
  std::int64_t m_mostSamples = 0;          ///< that fit; 0: not known
};

}  // namespace mantissa::ui::memory
