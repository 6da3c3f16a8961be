// SPDX-License-Identifier: GPL-3.0-or-later
// Documents: closable tabs behind the pages.
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "ui/shell/document.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"

namespace mantissa::ui::shell {

void MainWindow::addDocument(Document* document) {
  m_documents << document;
  const int index = m_tabs->addTab(document, QString());
  auto* const close = new QToolButton;
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setFocusPolicy(Qt::NoFocus);  // Ctrl+W does it from the keyboard
  connect(close, &QToolButton::clicked, this, [this, document] { closeDocument(document); });
  m_tabs->tabBar()->setTabButton(index, QTabBar::RightSide, close);
  connect(document, &Document::titleChanged, this, [this, document] { showTitle(document); });
  showTitle(document);
  showDocument(document);
}

void MainWindow::showTitle(Document* document) {
  const int index = m_tabs->indexOf(document);
  if (index < 0) return;
  QString words = document->title();
  words.replace(QLatin1Char('&'), QLatin1String("&&"));
  m_tabs->setTabText(index, document->isChanged() ? QStringLiteral("● %1").arg(words) : words);
  m_tabs->setTabToolTip(index, document->details());
  m_tabs->tabBar()->setAccessibleTabName(
      index, document->isChanged() ? tr("%1, changed").arg(document->title()) : document->title());
  QWidget* const close = m_tabs->tabBar()->tabButton(index, QTabBar::RightSide);
  close->setAccessibleName(tr("Close %1").arg(document->title()));
  close->setToolTip(tr("Close %1").arg(document->title()));
}

void MainWindow::showDocument(Document* document) {
  m_tabs->setCurrentWidget(document);
  document->setFocus();
}

bool MainWindow::closeDocument(Document* document) {
  showDocument(document);
  if (!document->mayClose()) return false;
  m_documents.removeOne(document);
  m_tabs->removeTab(m_tabs->indexOf(document));
  document->deleteLater();
  return true;
}

Document* MainWindow::currentDocument() const { return qobject_cast<Document*>(m_tabs->currentWidget()); }

void MainWindow::rememberFile(const QString& path) { m_settings.rememberFile(path); }

}  // namespace mantissa::ui::shell
