// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/text_file.h"

#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "ui/shell/edited_size.h"

namespace mantissa::ui::editor {
namespace {

constexpr qint64 kLargest = shell::kLargestEdited;
const QByteArray kByteOrderMark("\xEF\xBB\xBF");

[[noreturn]] void fail(const QString& path, const std::string& problem, const std::string& remedy) {
  ErrorFacts facts;
  facts.file = path.toStdString();
  facts.problem = problem;
  facts.remedy = remedy;
  throw Error(ErrorKind::FileProblem, std::move(facts));
}

/// At most one byte more than may be there: a file may grow while it is read.
QByteArray beginningOf(QFile& device, qint64 most) { return device.read(most + 1); }

}  // namespace

OnDisk onDisk(const QString& path) {
  const QFileInfo info(path);
  OnDisk found;
  if (!info.exists()) return found;
  QFile device(path);
  if (info.isDir()) {
    found.kind = OnDisk::Kind::Folder;
  } else if (info.isFile() && info.size() > kLargest) {
    found.kind = OnDisk::Kind::TooLarge;
  } else if (!info.isFile() || !device.open(QIODevice::ReadOnly)) {  // a pipe, say, may never end
    found.kind = OnDisk::Kind::Unreadable;
  } else {
    found.bytes = beginningOf(device, kLargest);
    found.kind = device.error() != QFileDevice::NoError ? OnDisk::Kind::Unreadable
                 : found.bytes.size() > kLargest        ? OnDisk::Kind::TooLarge
                                                        : OnDisk::Kind::Bytes;
    if (found.kind != OnDisk::Kind::Bytes) found.bytes.clear();
  }
  return found;
}

TextFile readTextFile(const QString& path) {
  const QFileInfo info(path);
  if (!info.exists()) fail(path, "there is no such file", "Choose another one");
  if (!info.isFile()) fail(path, "is not a file", "Choose an experiment file");
  if (info.size() > kLargest) fail(path, "is larger than 1 MiB", "Experiment files are small TOML files");
  QFile device(path);
  if (!device.open(QIODevice::ReadOnly)) {
    fail(path, "cannot be read (" + device.errorString().toStdString() + ")", "Check the permissions of the file");
  }
  TextFile file;
  file.bytes = beginningOf(device, kLargest);
  if (device.error() != QFileDevice::NoError) fail(path, "reading failed", "Check the disk");
  if (file.bytes.size() > kLargest) fail(path, "is larger than 1 MiB", "Experiment files are small TOML files");
  if (file.bytes.contains('\0')) fail(path, "is not a text file", "Choose an experiment file");
  QByteArray bytes = file.bytes;
  file = formOf(bytes);
  file.path = path;
  file.bytes = bytes;
  if (file.hasByteOrderMark) bytes.remove(0, kByteOrderMark.size());
  QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
  file.text = decoder(bytes);
  if (decoder.hasError()) fail(path, "is not UTF-8", "Save the file as UTF-8 with another program");
  file.text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
  return file;
}

TextFile formOf(const QByteArray& bytes) {
  TextFile file;
  const auto lines = bytes.count('\n');
  const auto withReturns = bytes.count("\r\n");
  file.hasByteOrderMark = bytes.startsWith(kByteOrderMark);
  file.hasCarriageReturns = 2 * withReturns > lines;
  file.hasMixedEndings = withReturns != 0 && withReturns != lines;
  return file;
}

QByteArray bytesOf(const TextFile& file, const QString& text) {
  QByteArray bytes = text.toUtf8();
  if (file.hasCarriageReturns) bytes.replace("\n", "\r\n");
  if (file.hasByteOrderMark) bytes.prepend(kByteOrderMark);
  return bytes;
}

bool isChangedOutside(const TextFile& file) {
  const QFileInfo info(file.path);
  if (!info.isFile() || info.size() != file.bytes.size()) return true;
  QFile device(file.path);
  return !device.open(QIODevice::ReadOnly) || beginningOf(device, file.bytes.size()) != file.bytes;
}

void writeTextFile(TextFile& file, const QString& text) {
  const QFileInfo info(file.path);
  // The folder would allow to replace it; whoever took the right to write away did not want that.
  if (info.exists() && !info.isWritable()) {
    fail(file.path, "is read-only", "Save it under another name, or allow yourself to write the file");
  }
  const QByteArray bytes = bytesOf(file, text);
  AtomicFile out(QFile::encodeName(file.path).toStdString());
  out.write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
  out.commit();
  file.bytes = bytes;
  file.text = text;
  file.hasMixedEndings = false;
}

}  // namespace mantissa::ui::editor
