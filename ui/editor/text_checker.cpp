// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/text_checker.h"

#include <QFileInfo>

#include "core/spec/check_text.h"
#include "ui/editor/paths_in_text.h"

namespace mantissa::ui::editor {
namespace {

TextProblems problemsOf(const std::string& text, const std::string& file) {
  const spec::TextCheck check = spec::check_text(text, file);
  TextProblems problems;
  problems.isToml = check.is_toml;
  for (const Error& error : check.problems) problems.problems << problemOf(error.facts());
  for (const std::string& warning : check.warnings) problems.warnings << QString::fromStdString(warning);
  if (problems.isToml) {
    const QFileInfo info(QString::fromStdString(file));
    problems.missing = missingFiles(QString::fromStdString(text), info.isAbsolute() ? info.absolutePath() : QString());
  }
  return problems;
}

}  // namespace

TextChecker::TextChecker(QObject* parent) : QObject(parent), m_worker(new QObject) {
  m_thread.setObjectName(QStringLiteral("text checker"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.start();
  m_pause.setSingleShot(true);
  m_pause.setInterval(kPause);
  connect(&m_pause, &QTimer::timeout, this, &TextChecker::start);
}

TextChecker::~TextChecker() {
  m_thread.quit();
  m_thread.wait();
}

void TextChecker::check(const QString& text, const QString& file) {
  m_text = text;
  m_file = file;
  m_isPending = true;
  ++m_job;
  m_pause.start();
}

void TextChecker::checkNow(const QString& text, const QString& file) {
  check(text, file);
  m_pause.stop();
  start();
}

void TextChecker::start() {
  const auto work = [this, text = m_text.toStdString(), file = m_file.toStdString(), job = m_job] {
    const TextProblems problems = problemsOf(text, file);
    QMetaObject::invokeMethod(
        this,
        [this, problems, job] {
          if (job != m_job) return;
          m_isPending = false;
          Q_EMIT checked(problems);
        },
        Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, work, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::editor
