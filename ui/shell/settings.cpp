// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings.h"

#include <QFileInfo>
#include <QStandardPaths>

namespace mantissa::ui::shell {
namespace {

// One list of the names, so that none is written differently in two places.
constexpr char kVersion[] = "version";
constexpr char kTheme[] = "theme";
constexpr char kArchive[] = "archive";
constexpr char kRecent[] = "recent_files";
constexpr char kEdited[] = "edited_files";
constexpr char kGeometry[] = "layout/window_geometry";
constexpr char kState[] = "layout/window_state";
constexpr char kArchiveWidth[] = "layout/archive_width";
constexpr char kArchiveWindow[] = "layout/archive_width_in_window";
constexpr char kLogRoom[] = "layout/log_room";
constexpr char kViewPage[] = "view/page";
constexpr char kViewArchive[] = "view/archive";
constexpr char kViewExperiment[] = "view/experiment";
constexpr char kViewTrial[] = "view/trial";
constexpr char kViewExpanded[] = "view/expanded";
constexpr char kPages[] = "layout/pages/";
constexpr char kLayout[] = "layout";
constexpr char kDismissed[] = "dismissed";
constexpr char kFolders[] = "folders/";
constexpr char kLedgers[] = "memory/ledgers";
constexpr char kMemoryPage[] = "memory/page";

constexpr int kCurrentVersion = 1;

}  // namespace

Settings::Settings() : m_values("mantissa", "workbench") { migrate(); }

Settings::Settings(const QString& file) : m_values(file, QSettings::IniFormat) { migrate(); }

void Settings::migrate() {
  // Layouts of another version may name docks that are no longer there; everything else keeps its meaning.
  if (m_values.value(kVersion, kCurrentVersion).toInt() != kCurrentVersion) resetLayout();
  m_values.setValue(kVersion, kCurrentVersion);
}

ThemeMode Settings::theme() const {
  const QString word = m_values.value(kTheme).toString();
  if (word == QLatin1String("light")) return ThemeMode::Light;
  if (word == QLatin1String("dark")) return ThemeMode::Dark;
  return ThemeMode::System;
}

void Settings::setTheme(ThemeMode mode) {
  const char* const words[] = {"system", "light", "dark"};
  m_values.setValue(kTheme, QLatin1String(words[static_cast<int>(mode)]));
}

QString Settings::archive() const { return m_values.value(kArchive).toString(); }

void Settings::setArchive(const QString& path) { m_values.setValue(kArchive, path); }

QStringList Settings::recentFiles() const { return m_values.value(kRecent).toStringList(); }

void Settings::rememberFile(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList files = recentFiles();
  files.removeAll(absolute);
  files.prepend(absolute);
  while (files.size() > kRecentFiles) files.removeLast();
  m_values.setValue(kRecent, files);
}

void Settings::forgetFile(const QString& path) {
  QStringList files = recentFiles();
  files.removeAll(path);
  m_values.setValue(kRecent, files);
}

void Settings::forgetRecentFiles() { m_values.remove(kRecent); }

QStringList Settings::editedFiles() const { return m_values.value(kEdited).toStringList(); }

void Settings::setEditedFiles(const QStringList& paths) { m_values.setValue(kEdited, paths); }

bool Settings::isDismissed(const QString& what) const {
  return m_values.value(kDismissed).toStringList().contains(what);
}

void Settings::dismiss(const QString& what) {
  constexpr int kMost = 100;
  QStringList all = m_values.value(kDismissed).toStringList();
  all.removeAll(what);
  all.prepend(what);
  while (all.size() > kMost) all.removeLast();
  m_values.setValue(kDismissed, all);
}

void Settings::recall(const QString& what) {
  if (!isDismissed(what)) return;
  QStringList all = m_values.value(kDismissed).toStringList();
  all.removeAll(what);
  m_values.setValue(kDismissed, all);
}

QString Settings::folder(const QString& kind) const { return m_values.value(kFolders + kind).toString(); }

void Settings::setFolderOf(const QString& kind, const QString& file) {
  m_values.setValue(kFolders + kind, QFileInfo(file).absolutePath());
}

QString Settings::startFolder(const QString& kind, const QString& beside) const {
  const QString last = folder(kind);
  if (QFileInfo(last).isDir()) return last;
  if (!beside.isEmpty()) return QFileInfo(beside).absolutePath();
  return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

QByteArray Settings::ledgers() const { return m_values.value(kLedgers).toByteArray(); }

void Settings::setLedgers(const QByteArray& ledgers) { m_values.setValue(kLedgers, ledgers); }

QByteArray Settings::memoryPage() const { return m_values.value(kMemoryPage).toByteArray(); }

void Settings::setMemoryPage(const QByteArray& page) { m_values.setValue(kMemoryPage, page); }

QByteArray Settings::windowGeometry() const { return m_values.value(kGeometry).toByteArray(); }

QByteArray Settings::windowState() const { return m_values.value(kState).toByteArray(); }

Settings::ArchiveWidth Settings::archiveWidth() const {
  const ArchiveWidth width{m_values.value(kArchiveWidth).toInt(), m_values.value(kArchiveWindow).toInt()};
  return width.tree > 0 && width.window > 0 ? width : ArchiveWidth();
}

int Settings::logRoom() const { return m_values.value(kLogRoom).toInt(); }

Settings::View Settings::view() const {
  View view;
  view.page = m_values.value(kViewPage).toString();
  view.archive = m_values.value(kViewArchive).toString();
  view.experiment = m_values.value(kViewExperiment).toLongLong();
  view.trial = m_values.value(kViewTrial).toLongLong();
  for (const QString& id : m_values.value(kViewExpanded).toStringList()) view.expanded << id.toLongLong();
  return view;
}

void Settings::setView(const View& view) {
  m_values.setValue(kViewPage, view.page);
  m_values.setValue(kViewArchive, view.archive);
  m_values.setValue(kViewExperiment, QVariant::fromValue<qlonglong>(view.experiment));
  m_values.setValue(kViewTrial, QVariant::fromValue<qlonglong>(view.trial));
  QStringList expanded;
  for (const std::int64_t id : view.expanded) expanded << QString::number(id);
  m_values.setValue(kViewExpanded, expanded);
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& state, const ArchiveWidth& archiveWidth,
                         int logRoom) {
  m_values.setValue(kGeometry, geometry);
  m_values.setValue(kState, state);
  m_values.setValue(kArchiveWidth, archiveWidth.tree);
  m_values.setValue(kArchiveWindow, archiveWidth.window);
  m_values.setValue(kLogRoom, logRoom);
}

QByteArray Settings::pageLayout(const QString& page) const { return m_values.value(kPages + page).toByteArray(); }

void Settings::setPageLayout(const QString& page, const QByteArray& layout) {
  m_values.setValue(kPages + page, layout);
}

void Settings::resetLayout() { m_values.remove(kLayout); }

}  // namespace mantissa::ui::shell
