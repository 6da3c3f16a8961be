// SPDX-License-Identifier: Apache-2.0
// The readers of core/spec end at the first problem. To find those behind it, it is taken out of the document, which is
// read again, and again. What comes to light then is told where it cannot be a consequence of what was taken out.
#include "core/spec/check_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "core/spec/check_keys.h"
#include "core/spec/experiment_parts.h"
#include "core/spec/key_catalogue.h"
#include "core/spec/toml_reader.h"
#include "core/spec/words.h"

namespace mantissa::spec {
namespace {

bool is_place_of(const Setting& setting, const ErrorFacts& facts) {
  return facts.subject == on_one_line(setting.label) && facts.line == setting.position.line &&
         facts.column == setting.position.column;
}

std::string_view name_in(std::string_view label) { return label.substr(label.rfind('.') + 1); }

/// Whether `word` stands in a text by itself: "max" in "Set max = 0", not in "max_drop".
bool mentions(std::string_view text, std::string_view word) {
  const auto is_of_a_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_of_a_word(at - 1)) && !is_of_a_word(at + word.size())) return true;
  }
  return false;
}

/// The only words that a key takes; none where it is no choice of words.
std::vector<std::string> words_of_key(const std::string& path) {
  std::string plain;
  bool is_index = false;
  for (const char c : path) {
    if (c == '[') is_index = true;
    if (!is_index) plain += c;
    if (c == ']') is_index = false;
  }
  for (const KeyEntry& entry : key_catalogue()) {
    if (entry.path == plain) return entry.shape == KeyShape::Value ? entry.words : std::vector<std::string>();
  }
  return {};
}

/// Takes what is wrong out of a document, and remembers what it was.
class Mending {
 public:
  /// \return false: what the error is about cannot be taken out
  bool mend(Setting& table, const Error& error) {
    return add_missing(table, error.facts()) || take_out(table, error.facts());
  }

  /// Whether an error of the mended document is one of the document as it was, too.
  bool leaves(const Error& error) const {
    return std::none_of(mended_.begin(), mended_.end(),
                        [&](const Mended& one) { return may_cause(one, error.facts()); });
  }

  /// Whether the value of this key was wrong.
  bool has(const std::string& label) const {
    return std::any_of(mended_.begin(), mended_.end(), [&](const Mended& one) { return one.place.label == label; });
  }

 private:
  /// Labels alone do not tell two items of one name apart.
  struct Place {
    std::string label;
    Position position;
  };
  struct Mended {
    Place place;
    Place table;              // around it
    bool is_item = false;     // a table of a list
    bool is_unknown = false;  // no key of the catalogue
  };

  static Place place_of(const Setting& setting) { return {on_one_line(setting.label), setting.position}; }

  static bool is_at(const Place& place, const ErrorFacts& facts) {
    return place.label == facts.subject && place.position.line == facts.line && place.position.column == facts.column;
  }

  /// Whether two labels are of different items of one list: "trial[a].name", "trial[b].autocast".
  static bool are_of_two_items(std::string_view one, std::string_view other) {
    const std::size_t end = one.find(']');
    const std::size_t begin = one.find('[');
    if (end == std::string_view::npos || begin > end || other.substr(0, begin + 1) != one.substr(0, begin + 1)) {
      return false;
    }
    return other.substr(0, end + 1) != one.substr(0, end + 1);
  }

  static bool may_cause(const Mended& mended, const ErrorFacts& facts) {
    const std::string& label = mended.place.label;
    if (is_at(mended.place, facts)) return true;  // it is there no more, or given by us
    if (facts.problem.empty()) return false;      // a value that is wrong by itself
    // Other items know this one by its name alone.
    if (mended.is_item || name_in(label) == "name") {
      if (facts.problem == "no such trial") return true;
    }
    if (!mended.is_item && are_of_two_items(label, facts.subject)) return false;
    // What the table lacks may be what has another key in it.
    if (mended.is_unknown && is_at(mended.table, facts)) return true;
    const std::string text = facts.problem + ' ' + facts.found + ' ' + facts.expected + ' ' + facts.remedy;
    return mentions(text, name_in(label));
  }

  /// Gives a table the key that it has to have, so that the others are read. \return whether it lacks one
  bool add_missing(Setting& table, const ErrorFacts& facts) {
    if (is_place_of(table, facts) && table.kind == Setting::Kind::Table) {
      for (const char* const key : {"kind", "name", "autocast"}) {
        if (facts.problem != std::string("no ") + key || table.find(key) != nullptr) continue;
        Setting added;
        added.kind = Setting::Kind::Text;
        added.key = key;
        added.label = table.label + '.' + key;
        added.path = table.path + '.' + key;
        added.position = table.position;
        const std::vector<std::string> words = words_of_key(added.path);
        added.text = words.empty() ? "unnamed-" + std::to_string(table.position.line) : words.front();
        mended_.push_back({place_of(added), place_of(table), false, false});
        table.members.push_back(std::move(added));
        return true;
      }
    }
    const auto within = [&](Setting& one) { return add_missing(one, facts); };
    return std::any_of(table.members.begin(), table.members.end(), within) ||
           std::any_of(table.items.begin(), table.items.end(), within);
  }

  /// A word that is none of those that a key takes becomes the first of them; all else goes.
  bool take_out(Setting& table, const ErrorFacts& facts) {
    for (auto member = table.members.begin(); member != table.members.end(); ++member) {
      const bool is_an_item = std::any_of(member->items.begin(), member->items.end(), [&](const Setting& item) {
        return item.kind != Setting::Kind::Table && is_place_of(item, facts);
      });
      if (!is_an_item && !is_place_of(*member, facts)) continue;
      mended_.push_back({place_of(*member), place_of(table), false, facts.problem == "unknown key"});
      const std::vector<std::string> words = words_of_key(member->path);
      if (words.empty() || (member->kind == Setting::Kind::Text && member->text == words.front())) {
        table.members.erase(member);
        return true;
      }
      member->items.clear();
      member->members.clear();
      member->kind = Setting::Kind::Text;
      member->text = words.front();
      return true;
    }
    const auto item = std::find_if(table.items.begin(), table.items.end(),
                                   [&](const Setting& one) { return is_place_of(one, facts); });
    if (item != table.items.end()) {
      mended_.push_back({place_of(*item), place_of(table), true, false});
      table.items.erase(item);
      return true;
    }
    const auto within = [&](Setting& one) { return take_out(one, facts); };
    return std::any_of(table.members.begin(), table.members.end(), within) ||
           std::any_of(table.items.begin(), table.items.end(), within);
  }

  std::vector<Mended> mended_;
};

using Reading = std::function<void(const Setting*, Experiment&)>;

/// What is wrong in a table, which must be told apart from what only seems so. \param known  what was read before it
std::vector<Error> problems_of_table(const Reading& read, const Setting* table, const Experiment& known,
                                     Mending mending) {
  std::vector<Error> problems;
  Setting left = table != nullptr ? *table : Setting();
  while (true) {
    Experiment experiment = known;
    try {
      read(table != nullptr ? &left : nullptr, experiment);
      return problems;
    } catch (const Error& error) {
      if (mending.leaves(error)) problems.push_back(error);
      if (table == nullptr || !mending.mend(left, error)) return problems;
    }
  }
}

/// What the tables that are not known may say, as far as a table that depends on them reads it: what is wrong with it
/// in all of these cases is wrong for certain. Of trials that are not known the names are: those that the table has.
std::vector<Experiment> possible_cases(const Part& part, const Setting* table, const Experiment& known,
                                       const std::set<std::string_view>& unknown) {
  Experiment base = known;
  if (unknown.count("training") > 0) base.training.optimizers.resize(1);  // its reader leaves one at least
  const auto is_open = [&](std::string_view one) {
    return unknown.count(one) > 0 && std::find(part.needs.begin(), part.needs.end(), one) != part.needs.end();
  };
  if (is_open("trial") && table != nullptr) {
    for (const Setting& member : table->members) base.trials.emplace_back().name = member.key;
  }
  std::vector<Experiment> cases{base};
  if (is_open("data")) {
    for (const auto& word : Words<Task>::list) cases.emplace_back(base).data.task = word.second;
  }
  if (is_open("model")) {
    for (const auto& word : Words<ModelKind>::list) cases.emplace_back(base).model.kind = word.second;
  }
  if (is_open("training")) {
    for (const auto& word : Words<Loss>::list) cases.emplace_back(base).training.loss = word.second;
    cases.emplace_back(base).training.optimizers.front().kind = OptimizerKind::Lbfgs;
  }
  return cases;
}

bool is_among(const Error& error, const std::vector<Error>& problems) {
  return std::any_of(problems.begin(), problems.end(), [&](const Error& other) {
    return other.facts().line == error.facts().line && std::string_view(other.what()) == error.what();
  });
}

/// The table without all keys but those that other tables depend on.
Setting essence(const Setting& table, const std::vector<std::string_view>& keys) {
  Setting essential = table;
  auto& members = essential.members;
  members.erase(std::remove_if(members.begin(), members.end(),
                               [&](const Setting& member) {
                                 return std::find(keys.begin(), keys.end(), member.key) == keys.end();
                               }),
                members.end());
  return essential;
}

/// What is known with this table: all of it, or what those after it depend on, or nothing. \param unknown  takes its
/// name where it is nothing
Experiment known_with(const Part& part, const Setting* table, bool is_sound, const Mending& mending,
                      const Experiment& known, std::set<std::string_view>* unknown) {
  const std::string name(part.table);
  const bool has_essence = table != nullptr && !part.essential.empty() && !mending.has(name) &&
                           std::none_of(part.essential.begin(), part.essential.end(), [&](std::string_view key) {
                             return mending.has(name + '.' + std::string(key));
                           });
  if (is_sound || has_essence) {
    try {
      Experiment experiment = known;
      const Setting essential = is_sound ? Setting() : essence(*table, part.essential);
      part.read(is_sound ? table : &essential, experiment);
      return experiment;
    } catch (const Error&) {
      // Half of a table is none.
    }
  }
  unknown->insert(part.table);
  return known;
}

/// Calls `take` for what is wrong in every table. \param root  without what `mending` has taken out
/// \return the warnings
std::vector<std::string> problems_of_values(const Setting& root, const std::string& file, const Mending& mending,
                                            const std::set<std::string_view>& touched,
                                            const std::function<void(const Error&)>& take) {
  Experiment experiment;
  const Reading head = [&](const Setting* table, Experiment& read) { read_head(table, file, read); };
  for (const Error& error : problems_of_table(head, &root, experiment, mending)) take(error);
  std::set<std::string_view> unknown;
  for (const Part& part : parts_in(folder_of(file))) {
    const Setting* const table = root.find(part.table);
    const std::vector<Experiment> cases = possible_cases(part, table, experiment, unknown);
    std::vector<Error> problems = problems_of_table(part.read, table, cases.front(), mending);
    const bool is_sound = problems.empty() && touched.count(part.table) == 0;
    for (std::size_t i = 1; i < cases.size() && !problems.empty(); ++i) {
      const std::vector<Error> others = problems_of_table(part.read, table, cases[i], mending);
      problems.erase(std::remove_if(problems.begin(), problems.end(),
                                    [&](const Error& error) { return !is_among(error, others); }),
                     problems.end());
    }
    for (const Error& error : problems) take(error);
    experiment = known_with(part, table, is_sound, mending, cases.front(), &unknown);
  }
  return experiment.warnings;
}

}  // namespace

TextCheck check_text(const std::string& text, const std::string& file) {
  TextCheck check;
  Setting root;
  const auto take = [&](const Error& error) { check.problems.push_back(error.in_file(file)); };
  try {
    refuse_what_is_no_text(text, file);
    root = read_toml(text, file);
  } catch (const Error& error) {
    take(error);
    return check;
  }
  check.is_toml = true;
  name_paths(root);
  try {
    check_version(root);
  } catch (const Error& error) {
    take(error);
  }
  Mending mending;
  std::set<std::string_view> touched;
  const std::vector<Error> wrong_keys = key_problems(root);
  for (const Error& error : wrong_keys) {
    take(error);
    const std::string& subject = error.facts().subject;
    touched.insert(std::string_view(subject).substr(0, subject.find_first_of(".[")));
    mending.mend(root, error);
  }
  check.warnings = problems_of_values(root, file, mending, touched, take);
  std::stable_sort(check.problems.begin(), check.problems.end(),
                   [](const Error& a, const Error& b) { return a.facts().line < b.facts().line; });
  return check;
}

}  // namespace mantissa::spec
