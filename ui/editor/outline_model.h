// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QHash>
#include <QVector>

namespace mantissa::ui::editor {

class TomlText;

/// The tables of a text as a tree: what the form has a page for, and every optimizer, trial and rule of the text.
class OutlineModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role {
    PathRole = Qt::UserRole + 1,  ///< QString: the page's table: "trial[0]"; empty: the keys above all tables
    ProblemRole,                  ///< QString: what is wrong on the page; empty: nothing
  };

  explicit OutlineModel(QObject* parent = nullptr);

  /// Rows that are the same keep their indexes.
  void showText(const TomlText& toml);
  /// \param problems  words by the path of a page
  void showProblems(const QHash<QString, QString>& problems);

  QModelIndex indexOf(const QString& path) const;
  /// The page that a key or a table of the text stands on.
  QString pageOf(const QString& path) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Page {
    QString path;
    QString title;
    bool isInText = false;
    QVector<Page> below;
  };
  static QVector<Page> pagesOf(const TomlText& toml);
  static bool areSame(const QVector<Page>& left, const QVector<Page>& right);
  const Page* page(const QModelIndex& index) const;
  void tellAll();

  QVector<Page> m_pages;
  QHash<QString, QString> m_problems;
};

}  // namespace mantissa::ui::editor
