// SPDX-License-Identifier: Apache-2.0
#include "core/model/weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/base/text_list.h"
#include "core/model/input_file.h"
#include "core/model/pickle_reader.h"
#include "core/model/safetensors_reader.h"
#include "core/model/zip_archive.h"

namespace mantissa::model {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string start_of(const std::string& path) {
  InputFile file(path);
  return file.read(0, std::min<std::uint64_t>(file.size(), 9));
}

enum class Kind { Safetensors, StateDict };

/// A safetensors file begins with a length of eight bytes and the brace of its header.
Kind kind_of(const std::string& path) {
  const std::string start = start_of(path);
  const bool looks_so = start.size() == 9 && start[8] == '{' && start[7] == '\0';
  return ends_with(path, ".safetensors") || looks_so ? Kind::Safetensors : Kind::StateDict;
}

/// Every value of `from` is one of `to`.
bool widens(at::ScalarType from, at::ScalarType to) {
  if (from == at::kHalf || from == at::kBFloat16) return to == at::kFloat || to == at::kDouble;
  return from == at::kFloat && to == at::kDouble;
}

/// Names of one kind of fault: the first eight, and how many more.
class Listed {
 public:
  explicit Listed(std::string kind) : kind_(std::move(kind)) {}
  void add(const std::string& name) {
    constexpr int kShown = 8;
    if (count_++ < kShown) names_ += (names_.empty() ? "" : ", ") + name;
    if (count_ == kShown + 1) names_ += ", …";
  }
  bool empty() const { return count_ == 0; }
  std::string text() const { return std::to_string(count_) + " " + kind_ + ": " + names_; }

 private:
  std::string kind_;
  std::string names_;
  int count_ = 0;
};

/// Which name of the file fills each tensor of the state; throws where file and model do not fit.
class Matching {
 public:
  Matching(const Network& network, const std::vector<NamedTensor>& stored, const std::string& path)
      : state_(network.state()) {
    for (const NamedTensor& item : stored) by_name_[item.name] = &item;
    for (const NamedTensor& own : state_) match(own);
    for (const NamedTensor& item : stored) {
      const bool known =
          std::any_of(state_.begin(), state_.end(), [&](const NamedTensor& own) { return own.name == item.name; });
      if (!known) unexpected_.add(item.name);
    }
    refuse_faults(path);
  }

  const std::vector<std::pair<at::Tensor, at::Tensor>>& pairs() const { return pairs_; }  // own, stored

 private:
  void match(const NamedTensor& own) {
    const auto found = by_name_.find(own.name);
    if (found == by_name_.end()) {
      // A tensor with several names is often stored under one of them.
      const bool under_another = std::any_of(state_.begin(), state_.end(), [&](const NamedTensor& other) {
        return other.tensor.is_same(own.tensor) && by_name_.count(other.name) > 0;
      });
      if (!under_another) missing_.add(own.name);
      return;
    }
    const at::Tensor& stored = found->second->tensor;
    const at::ScalarType from = stored.scalar_type(), to = own.tensor.scalar_type();
    if (stored.sizes() != own.tensor.sizes()) {
      misshapen_.add(own.name + " " + shape_text(stored.sizes().vec()) + " instead of " +
                     shape_text(own.tensor.sizes().vec()));
    } else if (from != to && !widens(from, to)) {
      mistyped_.add(own.name + " " + c10::toString(from) + " instead of " + c10::toString(to));
    } else {
      pairs_.emplace_back(own.tensor, stored);
    }
  }

  void refuse_faults(const std::string& path) const {
    std::string found;
    for (const Listed* list : {&missing_, &unexpected_, &misshapen_, &mistyped_}) {
      if (!list->empty()) found += (found.empty() ? "" : "; ") + list->text();
    }
    if (found.empty()) return;
    throw Error(ErrorKind::ModelProblem, {"the weights are not of this model", path, 0, 0, "model.weights", found,
                                          std::to_string(state_.size()) + " tensors with the model's names and shapes",
                                          "Export them from the same architecture"});
  }

  const std::vector<NamedTensor>& state_;
  std::map<std::string, const NamedTensor*> by_name_;
  std::vector<std::pair<at::Tensor, at::Tensor>> pairs_;
  Listed missing_{"missing"}, unexpected_{"unexpected"}, misshapen_{"of another shape"}, mistyped_{"of another dtype"};
};

}  // namespace

bool is_torchscript(const std::string& path) {
  if (kind_of(path) == Kind::Safetensors || start_of(path).compare(0, 4, "PK\x03\x04") != 0) return false;
  ZipArchive archive(path);
  return archive.find("constants.pkl") != nullptr || archive.find("data.pkl") == nullptr;
}

std::vector<NamedTensor> read_weights(const std::string& path) {
  return kind_of(path) == Kind::Safetensors ? read_safetensors(path) : read_state_dict(path);
}

std::vector<std::string> load_weights(Network& network, const std::string& path) {
  const std::vector<NamedTensor> stored = read_weights(path);
  const Matching matching(network, stored, path);
  const at::NoGradGuard no_grad;
  std::map<std::string, int> widened;
  for (const auto& [own, tensor] : matching.pairs()) {
    if (own.scalar_type() != tensor.scalar_type()) {
      ++widened[std::string(c10::toString(tensor.scalar_type())) + " to " + c10::toString(own.scalar_type())];
    }
    at::Tensor(own).copy_(tensor);
  }
  std::vector<std::string> notes;
  for (const auto& [types, count] : widened) {
    notes.push_back(std::to_string(count) + (count == 1 ? " tensor" : " tensors") + " of the initial weights " +
                    (count == 1 ? "was" : "were") + " widened from " + types + ".");
  }
  return notes;
}

}  // namespace mantissa::model
