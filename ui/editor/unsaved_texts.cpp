// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/unsaved_texts.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace mantissa::ui::editor {
namespace {

constexpr qint64 kLargestCopy = qint64{64} << 20;  // bytes; what is larger is no copy of an experiment's text

QString lockOf(const QString& copy) {
  const QString program = QFileInfo(copy).completeBaseName().section(QLatin1Char('.'), 0, 0);
  return QFileInfo(copy).dir().filePath(program + QStringLiteral(".lock"));
}

std::optional<UnsavedText> read(const QString& copy) {
  QFile file(copy);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const QByteArray bytes = file.read(kLargestCopy + 1);
  if (bytes.size() > kLargestCopy) return std::nullopt;
  const QJsonObject object = QJsonDocument::fromJson(bytes).object();
  if (!object[QLatin1String("text")].isString()) return std::nullopt;
  UnsavedText text;
  text.copy = copy;
  text.file = object[QLatin1String("file")].toString();
  text.name = object[QLatin1String("name")].toString();
  text.print = object[QLatin1String("print")].toString().toLatin1();
  text.text = object[QLatin1String("text")].toString();
  text.when = QDateTime::fromString(object[QLatin1String("when")].toString(), Qt::ISODate);
  return text;
}

}  // namespace

UnsavedTexts::UnsavedTexts(QString folder)
    : m_folder(std::move(folder)), m_program(QUuid::createUuid().toString(QUuid::WithoutBraces)) {}

UnsavedTexts::~UnsavedTexts() {
  if (m_lock < 0) return;
  const QDir folder(m_folder);
  if (folder.entryList({m_program + QStringLiteral(".*.json")}).isEmpty()) {
    QFile::remove(folder.filePath(m_program + QStringLiteral(".lock")));
  }
  ::close(m_lock);
}

QString UnsavedTexts::newCopy() {
  return QDir(m_folder).filePath(QStringLiteral("%1.%2.json").arg(m_program).arg(++m_copies));
}

bool UnsavedTexts::takeLock() {
  if (m_lock >= 0) return true;
  if (!QDir().mkpath(m_folder)) return false;
  QFile::setPermissions(m_folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);  // texts are the user's own
  const QByteArray path = QFile::encodeName(QDir(m_folder).filePath(m_program + QStringLiteral(".lock")));
  m_lock = ::open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (m_lock >= 0) ::flock(m_lock, LOCK_EX);  // a file system without locks offers copies twice, and loses none
  return m_lock >= 0;
}

void UnsavedTexts::keep(const UnsavedText& text) {
  if (!takeLock()) {
    spdlog::warn("Changes that are not saved cannot be kept in {}.", m_folder.toStdString());
    return;
  }
  QJsonObject object;
  object[QLatin1String("file")] = text.file;
  object[QLatin1String("name")] = text.name;
  object[QLatin1String("print")] = QString::fromLatin1(text.print);
  object[QLatin1String("text")] = text.text;
  object[QLatin1String("when")] = text.when.toUTC().toString(Qt::ISODate);
  const QByteArray bytes = QJsonDocument(object).toJson(QJsonDocument::Compact);
  try {
    AtomicFile out(QFile::encodeName(text.copy).toStdString());
    out.write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    out.commit();
  } catch (const Error& error) {
    spdlog::warn("Changes that are not saved cannot be kept. {}", error.what());
  }
}

void UnsavedTexts::forget(const QString& copy) {
  QFile::remove(copy);
  const QString lock = lockOf(copy);
  const QString others = QFileInfo(lock).completeBaseName() + QStringLiteral(".*.json");
  const bool isMine = QFileInfo(lock).completeBaseName() == m_program;
  if (!isMine && QFileInfo(lock).dir().entryList({others}).isEmpty()) QFile::remove(lock);
}

bool UnsavedTexts::isHeld(const QString& copy) const {
  if (QFileInfo(lockOf(copy)).completeBaseName() == m_program) return true;
  const int lock = ::open(QFile::encodeName(lockOf(copy)).constData(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return false;
  const bool isFree = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return !isFree;
}

QVector<UnsavedText> UnsavedTexts::left() const {
  QVector<UnsavedText> texts;
  const QDir folder(m_folder);
  for (const QString& name : folder.entryList({QStringLiteral("*.json")}, QDir::Files)) {
    const QString copy = folder.filePath(name);
    if (isHeld(copy)) continue;
    if (const std::optional<UnsavedText> text = read(copy)) texts << *text;
  }
  std::stable_sort(texts.begin(), texts.end(),
                   [](const UnsavedText& one, const UnsavedText& other) { return one.when < other.when; });
  return texts;
}

QByteArray UnsavedTexts::printOf(const QByteArray& bytes) {
  return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

}  // namespace mantissa::ui::editor
