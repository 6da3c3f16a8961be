// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include "ui/shell/help_topic.h"

namespace mantissa::ui::shell {

class MessageStrips;

/// Something that is open in a closable tab of its own, behind the pages: an experiment file.
class Document : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  /// The word on its tab: the file's name.
  virtual QString title() const = 0;
  /// What the tab says when the pointer rests on it: the whole path.
  virtual QString details() const = 0;
  /// What F1 tells of documents of this kind.
  virtual HelpTopic help() const = 0;
  /// Whether closing it would lose something.
  virtual bool isChanged() const = 0;
  /// Asked before its tab or the window closes; asks the person where something would be lost. False: it stays.
  virtual bool mayClose() = 0;
  /// As pages do: see Page.
  virtual bool takeStrips(MessageStrips& /*strips*/) { return false; }

 Q_SIGNALS:
  /// Title, details or whether it is changed: the tab follows.
  void titleChanged();
};

}  // namespace mantissa::ui::shell
