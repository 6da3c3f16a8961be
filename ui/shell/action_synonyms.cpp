// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_synonyms.h"

#include <QCoreApplication>

namespace mantissa::ui::shell {
namespace {

struct Synonyms {
  const char* action;
  const char* words;
};

// A translation gives the words of its own language, as many as it has.
const Synonyms kSynonyms[] = {
    {"open", QT_TRANSLATE_NOOP("ActionSynonyms", "load file import database sqlite toml")},
    {"open_archive", QT_TRANSLATE_NOOP("ActionSynonyms", "load database sqlite db results history other")},
    {"reload", QT_TRANSLATE_NOOP("ActionSynonyms", "refresh update again")},
    {"forget_recent", QT_TRANSLATE_NOOP("ActionSynonyms", "clear history privacy delete")},
    {"quit", QT_TRANSLATE_NOOP("ActionSynonyms", "exit leave end close")},
    {"page_archive", QT_TRANSLATE_NOOP("ActionSynonyms", "table all trials results history tab")},
    {"page_run", QT_TRANSLATE_NOOP("ActionSynonyms", "live charts curves train monitor tab")},
    {"page_compare", QT_TRANSLATE_NOOP("ActionSynonyms", "difference diff side tab")},
    {"page_memory", QT_TRANSLATE_NOOP("ActionSynonyms", "ram gpu batch budget oom tab")},
    {"page_diagnose", QT_TRANSLATE_NOOP("ActionSynonyms", "debug nan infinity overflow operator tab")},
    {"page_verdict", QT_TRANSLATE_NOOP("ActionSynonyms", "accept reject judge rules result tab")},
    {"page_report", QT_TRANSLATE_NOOP("ActionSynonyms", "export pdf html document tab")},
    {"page_gains", QT_TRANSLATE_NOOP("ActionSynonyms", "speed performance time throughput tab")},
    {"find_action", QT_TRANSLATE_NOOP("ActionSynonyms", "command palette search")},
    {"filter_tree", QT_TRANSLATE_NOOP("ActionSynonyms", "find search trial experiment")},
    {"toggle_tree", QT_TRANSLATE_NOOP("ActionSynonyms", "sidebar panel dock left")},
    {"toggle_log", QT_TRANSLATE_NOOP("ActionSynonyms", "messages console output print panel dock")},
    {"toggle_controls", QT_TRANSLATE_NOOP("ActionSynonyms", "sidebar panel settings")},
    {"theme_0", QT_TRANSLATE_NOOP("ActionSynonyms", "theme auto automatic appearance settings preferences colors")},
    {"theme_1", QT_TRANSLATE_NOOP("ActionSynonyms", "theme day bright white appearance settings preferences colors")},
    {"theme_2", QT_TRANSLATE_NOOP("ActionSynonyms", "theme night black appearance settings preferences colors")},
    {"chart_menu", QT_TRANSLATE_NOOP("ActionSynonyms", "plot export save picture image data download")},
    {"chart_table", QT_TRANSLATE_NOOP("ActionSynonyms", "plot values numbers flip")},
    {"chart_copy", QT_TRANSLATE_NOOP("ActionSynonyms", "plot clipboard picture image")},
    {"chart_png", QT_TRANSLATE_NOOP("ActionSynonyms", "plot save picture image download file")},
    {"chart_svg", QT_TRANSLATE_NOOP("ActionSynonyms", "plot save picture vector drawing download file")},
    {"chart_csv", QT_TRANSLATE_NOOP("ActionSynonyms", "plot save data numbers chart download file spreadsheet")},
    {"chart_logarithmic", QT_TRANSLATE_NOOP("ActionSynonyms", "plot log linear scale y")},
    {"chart_difference", QT_TRANSLATE_NOOP("ActionSynonyms", "plot minus delta diff subtract chart")},
    {"chart_smoothing", QT_TRANSLATE_NOOP("ActionSynonyms", "plot smooth ema average mean noise chart raw")},
    {"reset_layout", QT_TRANSLATE_NOOP("ActionSynonyms", "settings preferences default windows docks restore")},
    {"help", QT_TRANSLATE_NOOP("ActionSynonyms", "manual documentation guide shortcuts keys keyboard glossary terms")},
    {"whats_this", QT_TRANSLATE_NOOP("ActionSynonyms", "explain tooltip")},
    {"about", QT_TRANSLATE_NOOP("ActionSynonyms", "license copyright libtorch qt")},
    {"run", QT_TRANSLATE_NOOP("ActionSynonyms", "start train begin launch play queue")},
    {"run_look_ahead", QT_TRANSLATE_NOOP("ActionSynonyms", "preflight estimate duration dry test")},
    {"run_queue", QT_TRANSLATE_NOOP("ActionSynonyms", "enqueue add after later next")},
    {"run_queue_files", QT_TRANSLATE_NOOP("ActionSynonyms", "batch several many add later")},
    {"run_default_archive", QT_TRANSLATE_NOOP("ActionSynonyms", "database standard")},
    {"run_pause", QT_TRANSLATE_NOOP("ActionSynonyms", "hold wait resume continue")},
    {"run_step", QT_TRANSLATE_NOOP("ActionSynonyms", "single next one")},
    {"run_stop", QT_TRANSLATE_NOOP("ActionSynonyms", "kill cancel abort end halt terminate interrupt")},
    {"run_stop_at_checkpoint", QT_TRANSLATE_NOOP("ActionSynonyms", "kill cancel end later save")},
    {"run_resume", QT_TRANSLATE_NOOP("ActionSynonyms", "continue resume restart checkpoint interrupted")},
    {"new_experiment", QT_TRANSLATE_NOOP("ActionSynonyms", "create template begin add")},
    {"run_again", QT_TRANSLATE_NOOP("ActionSynonyms", "repeat clone copy duplicate rerun")},
    {"edit_experiment", QT_TRANSLATE_NOOP("ActionSynonyms", "change settings configure modify toml")},
    {"save", QT_TRANSLATE_NOOP("ActionSynonyms", "write store toml")},
    {"save_as", QT_TRANSLATE_NOOP("ActionSynonyms", "write copy rename export toml")},
    {"editor_reload", QT_TRANSLATE_NOOP("ActionSynonyms", "revert refresh discard")},
    {"close_tab", QT_TRANSLATE_NOOP("ActionSynonyms", "tab document")},
    {"editor_undo", QT_TRANSLATE_NOOP("ActionSynonyms", "back revert")},
    {"editor_redo", QT_TRANSLATE_NOOP("ActionSynonyms", "again forward repeat")},
    {"editor_find", QT_TRANSLATE_NOOP("ActionSynonyms", "search text words")},
    {"editor_find_next", QT_TRANSLATE_NOOP("ActionSynonyms", "search text find again")},
    {"editor_find_previous", QT_TRANSLATE_NOOP("ActionSynonyms", "search text find back")},
    {"next_problem", QT_TRANSLATE_NOOP("ActionSynonyms", "error mistake warning validate")},
    {"editor_run", QT_TRANSLATE_NOOP("ActionSynonyms", "start train begin launch")},
};

}  // namespace

QString synonymsOf(const QString& action) {
  for (const Synonyms& one : kSynonyms) {
    if (action == QLatin1String(one.action)) return QCoreApplication::translate("ActionSynonyms", one.words);
  }
  return {};
}

}  // namespace mantissa::ui::shell
