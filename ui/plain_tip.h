// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace mantissa::ui {

/// What a tool tip shows as it is, names that look like markup ("<b>x</b>") included: Qt takes texts with tags for rich
/// text, and there is no other way to tell it. For every tip that holds a name, a path or a message.
inline QString plainTip(const QString& text) {
  // What Qt::mightBeRichText looks for.
  if (!text.contains(u'<') && !text.contains(QLatin1String("&lt;"))) return text;
  return QStringLiteral("<p style=\"white-space:pre-wrap\">%1</p>").arg(text.toHtmlEscaped());
}

/// The text of a button, a tab or an action in which '&' is no mnemonic.
inline QString withoutMnemonic(QString text) { return text.replace(u'&', QLatin1String("&&")); }

}  // namespace mantissa::ui
