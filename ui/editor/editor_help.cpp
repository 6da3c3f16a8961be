// SPDX-License-Identifier: GPL-3.0-or-later
// What F1 tells of the editor.
#include "ui/editor/experiment_editor.h"

namespace mantissa::ui::editor {

shell::HelpTopic ExperimentEditor::help() const {
  return {
      QStringLiteral("editor"),
      tr("Editor"),
      tr("An experiment as a form and as the text of its file, side by side: what is changed in one changes in the "
         "other. Only the text is kept; comments and order stay as they are."),
      {
          {tr("Outline"), tr("The tables of the file; a sign tells which of them have problems.")},
          {tr("Fields"),
           tr("A field that the file does not have shows its default in grey. Units stand inside. What is wrong is "
              "told below the field while it is typed, and at its line in the text.")},
          {tr("Policies"), tr("Presets give a trial the settings of PyTorch, DeepSpeed or Megatron.")},
          {tr("Rules"),
           tr("Below the rules stands what each limit means at the size of the outputs of archived trials, and beside "
              "the rounding floor or the run-to-run spread. The list chooses other trials. A preset takes the place "
              "of the rules that it states; undo brings them back.")},
          {tr("Saving"),
           tr("Replaces the file as a whole, or not at all. A file that another program changed meanwhile is not "
              "overwritten: compare both, then choose.")},
      },
      {QStringLiteral("save"), QStringLiteral("save_as"), QStringLiteral("editor_reload"), QStringLiteral("close_tab"),
       QStringLiteral("editor_undo"), QStringLiteral("editor_redo"), QStringLiteral("editor_find"),
       QStringLiteral("editor_find_next"), QStringLiteral("editor_find_previous"), QStringLiteral("next_problem"),
       QStringLiteral("editor_run")}};
}

}  // namespace mantissa::ui::editor
