// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>

namespace mantissa::ui::editor {

class ExperimentEditor;
class UnsavedTexts;

/// Keeps a copy of what an editor holds while it is not saved. It lives as long as the editor, and takes its copy with
/// it: whoever closes an editor has been asked.
///
/// A copy is written at most `kPause` after a change: where the program is killed, or the power fails, what was typed
/// in the last two seconds is lost, and all before it is there.
class UnsavedCopy : public QObject {
  Q_OBJECT

 public:
  UnsavedCopy(ExperimentEditor& editor, std::shared_ptr<UnsavedTexts> texts);
  ~UnsavedCopy() override;

  /// What is not saved is kept now, not after the pause.
  void keepNow();
  /// The copy stays when the editor goes: nobody was asked.
  void setOutlives() { m_outlives = true; }
  bool outlives() const { return m_outlives; }
  void forget();

  /// From the first change after a copy to the next one.
  static constexpr int kPause = 2000;  ///< ms

 private:
  void follow();

  ExperimentEditor& m_editor;
  std::shared_ptr<UnsavedTexts> m_texts;
  QString m_copy;
  QTimer m_pause;
  bool m_isKept = false;
  bool m_outlives = false;
};

}  // namespace mantissa::ui::editor
