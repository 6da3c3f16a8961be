// SPDX-License-Identifier: Apache-2.0
#include "core/model/pickle_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/model/zip_archive.h"

namespace mantissa::model {
namespace {

// The storage classes that name a dtype (torch/storage.py).
constexpr std::array<std::pair<std::string_view, at::ScalarType>, 9> kStorages{{{"FloatStorage", at::kFloat},
                                                                                {"DoubleStorage", at::kDouble},
                                                                                {"HalfStorage", at::kHalf},
                                                                                {"BFloat16Storage", at::kBFloat16},
                                                                                {"LongStorage", at::kLong},
                                                                                {"IntStorage", at::kInt},
                                                                                {"ShortStorage", at::kShort},
                                                                                {"CharStorage", at::kChar},
                                                                                {"ByteStorage", at::kByte}}};

std::optional<at::ScalarType> storage_type(const std::string& name) {
  if (name == "torch.BoolStorage") return at::kBool;
  for (const auto& [word, type] : kStorages) {
    if (name == "torch." + std::string(word)) return type;
  }
  return std::nullopt;
}

constexpr const char* kOrderedDict = "collections.OrderedDict";
constexpr const char* kTensor = "torch._utils._rebuild_tensor_v2";
constexpr const char* kParameter = "torch._utils._rebuild_parameter";

bool is_known(const std::string& global) {
  return global == kOrderedDict || global == kTensor || global == kParameter || storage_type(global).has_value();
}

struct Node {
  enum class Kind { None, Truth, Integer, Number, Text, Tuple, List, Dictionary, Global, Storage, Tensor, Mark };
  Kind kind = Kind::None;
  std::int64_t integer = 0;  // also a truth
  std::string text;          // also the name of a global
  std::vector<Node*> items;  // of a tuple or list
  std::vector<std::pair<Node*, Node*>> entries;
  at::Tensor tensor;  // also the elements of a storage, in one dimension
};

/// Pickle's stack machine (Python's pickletools.py describes the opcodes), cut down to what builds dictionaries of
/// tensors. Nodes live in one arena, so that cycles harm nobody.
class Machine {
 public:
  explicit Machine(ZipArchive& archive) : archive_(archive), bytes_(pickle_of(archive)) {}

  Node& run() {
    while (true) {
      const auto opcode = static_cast<unsigned char>(take(1).front());
      if (opcode == '.') break;
      step(opcode);
    }
    return *pop();
  }

 private:
  static std::string pickle_of(ZipArchive& archive) {
    const ZipArchive::Entry* const entry = archive.find("data.pkl");
    if (entry == nullptr) {
      throw Error(ErrorKind::FileProblem,
                  {"holds no data.pkl", archive.path(), 0, 0, "", "", "a file written by torch.save", ""});
    }
    return archive.read(*entry);
  }

  [[noreturn]] void refuse(const std::string& problem, const std::string& found = {},
                           const std::string& remedy = {}) const {
    throw Error(ErrorKind::FileProblem,
                {problem, archive_.path(), 0, 0, "data.pkl", found,
                 "names and tensors, as torch.save(model.state_dict(), path) writes them", remedy});
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) refuse("the pickle ends too early");
    const std::string_view taken(bytes_.data() + at_, count);
    at_ += count;
    return taken;
  }
  std::uint64_t number(int width) {
    const std::string_view raw = take(static_cast<std::uint64_t>(width));
    std::uint64_t value = 0;
    for (int i = width - 1; i >= 0; --i)
      value = value << 8 | static_cast<unsigned char>(raw[static_cast<std::size_t>(i)]);
    return value;
  }
  std::string line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string::npos) refuse("the pickle ends too early");
    std::string text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  Node* make(Node::Kind kind) {
    nodes_.emplace_back();
    nodes_.back().kind = kind;
    return &nodes_.back();
  }
  void push(Node* node) { stack_.push_back(node); }
  void push_integer(std::int64_t value, Node::Kind kind = Node::Kind::Integer) {
    Node* const node = make(kind);
    node->integer = value;
    push(node);
  }
  void push_text(std::string_view text) {
    Node* const node = make(Node::Kind::Text);
    node->text = text;
    push(node);
  }
  Node* pop() {
    if (stack_.empty() || stack_.back()->kind == Node::Kind::Mark) refuse("the pickle is damaged");
    Node* const node = stack_.back();
    stack_.pop_back();
    return node;
  }
  Node* top() {
    if (stack_.empty()) refuse("the pickle is damaged");
    return stack_.back();
  }
  std::vector<Node*> pop_to_mark() {
    const auto mark =
        std::find_if(stack_.rbegin(), stack_.rend(), [](const Node* node) { return node->kind == Node::Kind::Mark; });
    if (mark == stack_.rend()) refuse("the pickle is damaged");
    std::vector<Node*> items(mark.base(), stack_.end());
    stack_.erase(mark.base() - 1, stack_.end());
    return items;
  }
  void push_tuple(std::vector<Node*> items) {
    Node* const node = make(Node::Kind::Tuple);
    node->items = std::move(items);
    push(node);
  }
  void push_tuple_of(int count) {
    std::vector<Node*> items(static_cast<std::size_t>(count));
    for (auto item = items.rbegin(); item != items.rend(); ++item) *item = pop();
    push_tuple(std::move(items));
  }
  Node& expect(Node* node, Node::Kind kind) {
    if (node->kind != kind) refuse("the pickle is damaged");
    return *node;
  }
  void remember(std::uint64_t place) { memo_[place] = top(); }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) refuse("the pickle is damaged");
    push(found->second);
  }
  void set_items(const std::vector<Node*>& items) {
    if (items.size() % 2 != 0) refuse("the pickle is damaged");
    Node& dictionary = expect(top(), Node::Kind::Dictionary);
    for (std::size_t i = 0; i < items.size(); i += 2) dictionary.entries.emplace_back(items[i], items[i + 1]);
  }

  void step(unsigned char opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        take(1);
        return;
      case 0x95:  // FRAME
        take(8);
        return;
      case '(':
        return push(make(Node::Kind::Mark));
      case 'N':
        return push(make(Node::Kind::None));
      case 0x88:
        return push_integer(1, Node::Kind::Truth);
      case 0x89:
        return push_integer(0, Node::Kind::Truth);
      case 'J':
        return push_integer(static_cast<std::int32_t>(number(4)));
      case 'K':
        return push_integer(static_cast<std::int64_t>(number(1)));
      case 'M':
        return push_integer(static_cast<std::int64_t>(number(2)));
      case 0x8a:  // LONG1
        return push_long(static_cast<int>(number(1)));
      case 'G':  // BINFLOAT: kept as something that no tensor needs
        take(8);
        return push(make(Node::Kind::Number));
      case 'X':
        return push_text(take(number(4)));
      case 0x8c:
        return push_text(take(number(1)));
      case '}':
        return push(make(Node::Kind::Dictionary));
      case ']':
        return push(make(Node::Kind::List));
      case ')':
        return push_tuple({});
      case 't':
        return push_tuple(pop_to_mark());
      case 0x85:
      case 0x86:
      case 0x87:
        return push_tuple_of(opcode - 0x84);
      case 'q':
        return remember(number(1));
      case 'r':
        return remember(number(4));
      case 0x94:  // MEMOIZE
        return remember(memo_.size());
      case 'h':
        return recall(number(1));
      case 'j':
        return recall(number(4));
      case 'u':
        return set_items(pop_to_mark());
      case 's': {
        Node* const value = pop();
        Node* const name = pop();
        return set_items({name, value});
      }
      case 'e': {
        const std::vector<Node*> items = pop_to_mark();
        Node& list = expect(top(), Node::Kind::List);
        list.items.insert(list.items.end(), items.begin(), items.end());
        return;
      }
      case 'a': {
        Node* const item = pop();
        expect(top(), Node::Kind::List).items.push_back(item);
        return;
      }
      case 'c': {
        const std::string module = line();
        return push_global(module + "." + line());
      }
      case 0x93: {  // STACK_GLOBAL
        const std::string name = expect(pop(), Node::Kind::Text).text;
        return push_global(expect(pop(), Node::Kind::Text).text + "." + name);
      }
      case 'Q':
        return push_storage(expect(pop(), Node::Kind::Tuple));
      case 'R': {
        const Node& arguments = expect(pop(), Node::Kind::Tuple);
        return reduce(expect(pop(), Node::Kind::Global).text, arguments);
      }
      case 'b': {  // BUILD: a state_dict carries its _metadata as an attribute, which changes no tensor
        expect(pop(), Node::Kind::Dictionary);
        expect(top(), Node::Kind::Dictionary);
        return;
      }
      default:
        refuse("the pickle holds an opcode that no dictionary of tensors needs", std::to_string(opcode));
    }
  }

  void push_long(int width) {
    if (width > 8) refuse("the pickle holds a number of more than 64 bits");
    std::uint64_t value = number(width);
    // Two's complement of `width` bytes.
    if (width > 0 && width < 8 && (value >> (8 * width - 1) & 1U) != 0) value |= ~std::uint64_t{0} << (8 * width);
    push_integer(static_cast<std::int64_t>(value));
  }

  void push_global(const std::string& name) {
    if (!is_known(name)) {
      refuse("the file wants to run something else than rebuilding tensors, which is not done", name,
             "Save the weights alone: torch.save(model.state_dict(), path)");
    }
    Node* const node = make(Node::Kind::Global);
    node->text = name;
    push(node);
  }

  /// ("storage", class, key, place where it was, elements)
  void push_storage(const Node& id) {
    if (id.items.size() != 5 || expect(id.items[0], Node::Kind::Text).text != "storage")
      refuse("the pickle is damaged");
    const auto type = storage_type(expect(id.items[1], Node::Kind::Global).text);
    if (!type) refuse("the pickle is damaged");
    const std::string& key = expect(id.items[2], Node::Kind::Text).text;
    const std::int64_t count = expect(id.items[4], Node::Kind::Integer).integer;
    Node*& known = storages_[key];
    if (known == nullptr) {
      const ZipArchive::Entry* const entry = archive_.find("data/" + key);
      if (entry == nullptr) refuse("a storage is missing", "data/" + key);
      const auto width = static_cast<std::uint64_t>(c10::elementSize(*type));
      if (count < 0 || entry->deflated || entry->size % width != 0 ||
          static_cast<std::uint64_t>(count) != entry->size / width) {
        refuse("a storage has another size than the pickle says", "data/" + key);
      }
      known = make(Node::Kind::Storage);
      known->tensor = at::empty({count}, *type);
      archive_.read(*entry, known->tensor.mutable_data_ptr());
    } else if (known->tensor.scalar_type() != *type || known->tensor.numel() != count) {
      refuse("one storage under two descriptions", "data/" + key);
    }
    push(known);
  }

  void reduce(const std::string& global, const Node& arguments) {
    if (global == kOrderedDict) {
      if (!arguments.items.empty()) refuse("an OrderedDict that is not filled item by item");
      return push(make(Node::Kind::Dictionary));
    }
    if (global == kParameter) {
      if (arguments.items.size() < 2) refuse("the pickle is damaged");
      return push(&expect(arguments.items[0], Node::Kind::Tensor));
    }
    if (global != kTensor || arguments.items.size() < 4) refuse("the pickle is damaged");
    push(tensor_of(arguments));
  }

  std::vector<std::int64_t> numbers_of(const Node& tuple) {
    constexpr std::size_t kMostDimensions = 64;
    if (tuple.items.size() > kMostDimensions) refuse("a tensor of more than 64 dimensions");
    std::vector<std::int64_t> numbers;
    for (Node* const item : tuple.items) {
      numbers.push_back(expect(item, Node::Kind::Integer).integer);
      if (numbers.back() < 0) refuse("a tensor with a negative size or stride");
    }
    return numbers;
  }

  /// (storage, offset, sizes, strides, requires_grad, hooks)
  Node* tensor_of(const Node& arguments) {
    const Node& storage = expect(arguments.items[0], Node::Kind::Storage);
    const std::int64_t offset = expect(arguments.items[1], Node::Kind::Integer).integer;
    const std::vector<std::int64_t> sizes = numbers_of(expect(arguments.items[2], Node::Kind::Tuple));
    const std::vector<std::int64_t> strides = numbers_of(expect(arguments.items[3], Node::Kind::Tuple));
    if (sizes.size() != strides.size()) refuse("the pickle is damaged");
    bool empty = false;
    std::int64_t elements = 1;
    std::int64_t last = offset;  // place of the last element in the storage
    bool fits = offset >= 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      empty = empty || sizes[i] == 0;
      std::int64_t reach = 0;
      fits = fits && !__builtin_mul_overflow(std::max<std::int64_t>(sizes[i] - 1, 0), strides[i], &reach) &&
             !__builtin_add_overflow(last, reach, &last) && !__builtin_mul_overflow(elements, sizes[i], &elements);
    }
    if (!fits || (!empty && last >= storage.tensor.numel())) refuse("a tensor that leaves its storage");
    Node* const node = make(Node::Kind::Tensor);
    node->tensor =
        empty ? at::empty(sizes, storage.tensor.options()) : at::as_strided(storage.tensor, sizes, strides, offset);
    return node;
  }

  ZipArchive& archive_;
  std::string bytes_;
  std::size_t at_ = 0;
  std::deque<Node> nodes_;
  std::vector<Node*> stack_;
  std::map<std::uint64_t, Node*> memo_;
  std::map<std::string, Node*> storages_;
};

[[noreturn]] void refuse_content(const std::string& path, const std::string& problem, const std::string& found,
                                 const std::string& remedy) {
  throw Error(ErrorKind::FileProblem,
              {problem, path, 0, 0, "", found, "a dictionary of names and tensors, as model.state_dict() is", remedy});
}

std::string keys_of(const Node& dictionary) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < dictionary.entries.size() && i < kShown; ++i) {
    const Node& key = *dictionary.entries[i].first;
    text += (i > 0 ? ", " : "") + (key.kind == Node::Kind::Text ? key.text : std::string("(no text)"));
  }
  return dictionary.entries.size() > kShown ? text + ", …" : text;
}

/// What torch.save wrote before 1.6, or with _use_new_zipfile_serialization=False: pickles one after another.
void refuse_old_format(const std::string& path) {
  InputFile file(path);
  const std::string start = file.read(0, std::min<std::uint64_t>(file.size(), 4));
  if (start.compare(0, 4, "PK\x03\x04") == 0) return;
  const bool pickle = !start.empty() && static_cast<unsigned char>(start.front()) == 0x80;
  refuse_content(path,
                 pickle ? "is in the old format of torch.save, which is not a zip archive" : "is no file of torch.save",
                 "", "Load it in Python with weights_only=True and save it again: torch.save(state_dict, path)");
}

}  // namespace

std::vector<NamedTensor> read_state_dict(const std::string& path) {
  refuse_old_format(path);
  ZipArchive archive(path);
  if (archive.find("constants.pkl") != nullptr) {
    refuse_content(path, "is a TorchScript model, not a dictionary of weights", "",
                   "Save its weights: torch.save(torch.jit.load(path).state_dict(), other_path)");
  }
  if (const ZipArchive::Entry* const order = archive.find("byteorder")) {
    if (order->size > 6 || archive.read(*order) != "little") {
      refuse_content(path, "was written on a machine of another byte order", "", "Save it again on this machine");
    }
  }
  Machine machine(archive);
  const Node& root = machine.run();
  if (root.kind != Node::Kind::Dictionary) refuse_content(path, "holds no dictionary", "", "");
  std::vector<NamedTensor> tensors;
  std::map<std::string, bool> names;
  for (const auto& [key, value] : root.entries) {
    if (key->kind != Node::Kind::Text || value->kind != Node::Kind::Tensor) {
      refuse_content(
          path, "holds more than weights", "the keys " + keys_of(root),
          "Save the part that holds the weights alone, such as torch.save(checkpoint[\"state_dict\"], path)");
    }
    if (!names.emplace(key->text, true).second) refuse_content(path, "has a name twice", key->text, "");
    tensors.push_back({key->text, value->tensor});
  }
  return tensors;
}

}  // namespace mantissa::model
