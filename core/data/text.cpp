// SPDX-License-Identifier: Apache-2.0
#include "core/data/text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/data/built_in.h"
#include "core/data/file_bytes.h"
#include "core/data/layout_hash.h"
#include "core/data/setting_error.h"
#include "core/data/utf8.h"

namespace mantissa::data {

namespace {

std::string unpacked(const std::string& path) {
  FileBytes source(path);
  std::string bytes;
  for (auto piece = source.next(); !piece.empty(); piece = source.next()) bytes.append(piece);
  return bytes;
}

[[noreturn]] void refuse_byte(const std::string& path, std::string_view bytes, std::size_t offset, std::string found) {
  ErrorFacts facts;
  facts.file = path;
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  facts.line = static_cast<int>(std::count(bytes.begin(), end, '\n')) + 1;
  facts.found = std::move(found) + " at byte " + std::to_string(offset);
  facts.expected = "text in UTF-8";
  facts.remedy = "Save the file as UTF-8";
  throw Error(ErrorKind::DataProblem, std::move(facts));
}

std::string hexadecimal(unsigned char byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  return {'0', 'x', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
}

class TextLoader {
 public:
  explicit TextLoader(const spec::Experiment& experiment)
      : experiment_(experiment),
        data_(experiment.data),
        context_(data_.context.value_or(spec::default_context)),
        test_part_(data_.test.value_or(spec::TestPart{})) {}

  Dataset load() {
    refuse_keys_of_tables();
    text_ = read_text(path());
    vocabulary_ = vocabulary_of(text_);
    for (std::size_t i = 0; i < vocabulary_.size(); ++i) index_[vocabulary_[i]] = static_cast<std::int64_t>(i);
    Dataset dataset;
    dataset.name = !data_.source.empty() ? data_.source : data_.path_as_written;
    if (dataset.name.empty()) dataset.name = data_.path;
    dataset.task = spec::Task::LanguageModel;
    dataset.classes = classes();
    for (const char32_t character : vocabulary_) dataset.class_names.push_back(to_utf8(character));
    dataset.input_names = {"characters"};
    dataset.target_names = {"next characters"};
    dataset.integer_inputs = {true};
    dataset.target_scale = {1.0};
    dataset.target_offset = {0.0};
    dataset.notes = text_.notes;
    add_parts(dataset);
    return dataset;
  }

 private:
  [[noreturn]] void refuse(const std::string& key, std::string problem, std::string found, std::string expected,
                           std::string remedy) const {
    ErrorFacts facts;
    facts.problem = std::move(problem);
    facts.found = std::move(found);
    facts.expected = std::move(expected);
    facts.remedy = std::move(remedy);
    throw setting_error(experiment_, key, std::move(facts));
  }

  std::string path() const {
    if (data_.source.empty()) return data_.path;
    const BuiltIn set = built_in(data_.source);
    if (set.task == spec::Task::LanguageModel) return set.path;
    refuse("data.source", "this set is no text", '\'' + data_.source + '\'',
           "shakespeare8, or a text file as data.path", "Choose one of them, or another data.task");
  }

  void refuse_keys_of_tables() const {
    const auto check = [this](const char* key, bool given) {
      if (!given) return;
      refuse(std::string("data.") + key, "a text has no columns, labels or numbers", "",
             "no such key for a language model", "Leave the key out");
    };
    const spec::Columns& columns = data_.columns;
    check("columns", !columns.inputs.empty() || !columns.target.empty() || !columns.id.empty() ||
                         !columns.slice.empty() || !columns.integers.empty());
    check("inputs", !data_.inputs.empty());
    check("test.inputs", !test_part_.inputs.empty());
    check("labels", data_.labels.has_value());
    check("target_transform", data_.target_transform && *data_.target_transform != spec::TargetTransform::None);
    check("shape", !data_.shape.empty());
    check("standardize", data_.standardize.value_or(false));
    check("missing", data_.missing == spec::Missing::Drop);
    if (experiment_.position("data.test.seed").line > 0) {
      refuse("data.test.seed", "the test part of a text is its end: no seed draws it", "", "no seed",
             "Leave the key out");
    }
    const auto& loss = experiment_.training.loss;
    if (loss && *loss != spec::Loss::CrossEntropy && *loss != spec::Loss::Nll) {
      refuse("training.loss", "the loss does not fit a language model", "", "cross_entropy or nll",
             "Leave training.loss out");
    }
  }

  std::int64_t classes() const {
    const auto found = static_cast<std::int64_t>(vocabulary_.size());
    if (found > spec::most_classes) {
      refuse("data.path", "more characters than a model can have outputs", std::to_string(found),
             std::to_string(spec::most_classes) + " or fewer", "Check that the file is a text");
    }
    if (data_.classes && *data_.classes < found) {
      refuse("data.classes", "fewer classes than characters in the text", std::to_string(*data_.classes),
             std::to_string(found) + " or more", "Leave data.classes out");
    }
    return data_.classes.value_or(found);
  }

  /// Class indices of a text's characters.
  at::Tensor indices(const Text& text) const {
    at::Tensor tensor = at::empty({static_cast<std::int64_t>(text.characters.size())}, at::TensorOptions(at::kLong));
    auto* out = tensor.mutable_data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < text.characters.size(); ++i) {
      const auto known = index_.find(text.characters[i]);
      if (known == index_.end()) refuse_unknown(text, i);
      out[i] = known->second;
    }
    return tensor;
  }

  [[noreturn]] void refuse_unknown(const Text& text, std::size_t first) const {
    std::u32string unknown;
    for (const char32_t character : text.characters) {
      const bool fresh = index_.count(character) == 0 && unknown.find(character) == std::u32string::npos;
      if (fresh) unknown.push_back(character);
    }
    constexpr std::size_t kNamed = 5;
    std::string names = character_name(text.characters[first]);
    for (std::size_t i = 1; i < unknown.size() && i < kNamed; ++i) names += ", " + character_name(unknown[i]);
    if (unknown.size() > kNamed) names += " and " + std::to_string(unknown.size() - kNamed) + " more";
    ErrorFacts facts;
    facts.file = text.path;
    facts.line = static_cast<int>(text.line_of(first));
    facts.problem = unknown.size() == 1 ? "a character that the training text does not have"
                                        : "characters that the training text does not have";
    facts.found = names;
    facts.expected = "the " + std::to_string(vocabulary_.size()) + " characters of " + text_.path;
    facts.remedy = "Remove them from the test file, or let the training text have them too";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

  void add_parts(Dataset& dataset) {
    const at::Tensor all = indices(text_);
    const std::int64_t count = all.size(0);
    at::Tensor test;
    std::int64_t tested = 0;
    if (!test_part_.path.empty()) {
      const Text own = read_text(test_part_.path);
      dataset.notes.insert(dataset.notes.end(), own.notes.begin(), own.notes.end());
      test = indices(own);
    } else {
      tested = tested_characters(count);
      test = all.narrow(0, count - tested, tested);
    }
    const at::Tensor train = all.narrow(0, 0, count - tested);
    dataset.train = windows(train, 0);
    if (dataset.train.rows() == 0) refuse_short("data.context", "training", train.size(0));
    dataset.test = windows(test, dataset.train.rows());
    if (dataset.test.rows() == 0 && test.size(0) > 0) refuse_short("data.test", "test", test.size(0));

    LayoutHash raw("mantissa text 1");
    raw.add(dataset.class_names);
    LayoutHash preprocessing("mantissa windows 1");
    preprocessing.add(context_).add(dataset.classes);
    for (const at::Tensor& part : {train, test}) {
      raw.add(std::string_view(static_cast<const char*>(part.const_data_ptr()), part.nbytes()));
      preprocessing.add(part.size(0));
    }
    dataset.sha256 = raw.hex();
    dataset.preprocessing_sha256 = preprocessing.hex();
  }

  std::int64_t tested_characters(std::int64_t count) const {
    const double fraction = test_part_.fraction;
    if (!(fraction >= 0.0 && fraction < 1.0)) {
      refuse("data.test.fraction", "", to_text(fraction), "a number from 0 to below 1", "");
    }
    return static_cast<std::int64_t>(std::nearbyint(fraction * static_cast<double>(count)));
  }

  [[noreturn]] void refuse_short(const std::string& key, const std::string& part, std::int64_t characters) const {
    refuse(key, "the " + part + " part is shorter than one window", std::to_string(characters) + " characters",
           std::to_string(context_ + 1) + " or more, for a context of " + std::to_string(context_) +
               " and the character after it",
           "Set a shorter data.context, or give a longer text");
  }

  Part windows(const at::Tensor& characters, std::int64_t windows_before) const {
    Part part;
    const std::int64_t rows = std::max<std::int64_t>(0, (characters.size(0) - 1) / context_);
    if (rows == 0) return part;
    part.inputs = characters.narrow(0, 0, rows * context_).view({rows, context_});
    part.targets = characters.narrow(0, 1, rows * context_).view({rows, context_});
    for (std::int64_t row = 1; row <= rows; ++row) part.ids.push_back(std::to_string(windows_before + row));
    part.slices.resize(static_cast<std::size_t>(rows));
    return part;
  }

  const spec::Experiment& experiment_;
  const spec::Data& data_;
  std::int64_t context_;
  spec::TestPart test_part_;
  Text text_;
  std::u32string vocabulary_;
  std::unordered_map<char32_t, std::int64_t> index_;
};

}  // namespace

std::int64_t Text::line_of(std::size_t index) const {
  return std::count(characters.begin(), characters.begin() + static_cast<std::ptrdiff_t>(index), U'\n') + 1;
}

Text read_text(const std::string& path) {
  const std::string bytes = unpacked(path);
  Text text;
  text.path = path;
  std::size_t at = bytes.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
  bool carriage_returns = false;
  text.characters.reserve(bytes.size());
  const std::string_view view = bytes;
  while (at < bytes.size()) {
    const std::size_t length = utf8_length(view.substr(at, 4));
    if (length == 0) refuse_byte(path, bytes, at, "the byte " + hexadecimal(static_cast<unsigned char>(bytes[at])));
    if (bytes[at] == '\0') refuse_byte(path, bytes, at, "a NUL byte");
    if (bytes[at] == '\r') {
      carriage_returns = true;
      text.characters.push_back(U'\n');
      at += at + 1 < bytes.size() && bytes[at + 1] == '\n' ? 2 : 1;
      continue;
    }
    text.characters.push_back(code_point(view.substr(at), length));
    at += length;
  }
  if (text.characters.empty()) {
    ErrorFacts facts;
    facts.file = path;
    facts.problem = "the file is empty";
    facts.expected = "a text";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }
  if (carriage_returns) {
    text.notes.push_back("the line ends of " + path + " (CRLF or CR) are read as LF, as Python's text mode does");
  }
  return text;
}

std::u32string vocabulary_of(const Text& text) {
  std::u32string characters = text.characters;
  std::sort(characters.begin(), characters.end());
  characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
  return characters;
}

Dataset load_text(const spec::Experiment& experiment) { return TextLoader(experiment).load(); }

}  // namespace mantissa::data
