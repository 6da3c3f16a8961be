// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/shell/message_strip.h"

namespace mantissa::test {

/// What the message strips somewhere below a widget say, oldest first.
inline QStringList stripSentences(const QWidget* place) {
  QStringList sentences;
  for (const auto* const strip : place->findChildren<ui::shell::MessageStrip*>()) sentences << strip->sentence();
  return sentences;
}

}  // namespace mantissa::test
