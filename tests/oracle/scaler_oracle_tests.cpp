// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QTest>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/precision/loss_scaler.h"
#include "core/precision/scaled_optimizer.h"
#include "tests/oracle/recorded_lines.h"

using namespace mantissa;
using precision::GradScaler;
using precision::LossScaler;

namespace {

double number(const std::string& text) { return number_from_text(text).value(); }
std::int64_t integer(const std::string& text) { return integer_from_text(text).value(); }

// --- tensors as the file writes them: a dtype letter, and hexadecimal words for the elements' bits; "nan" is any NaN

struct Dtype {
  char letter;
  at::ScalarType type;
  std::size_t bytes;
};
constexpr std::array dtypes = {Dtype{'f', at::kFloat, 4}, Dtype{'h', at::kHalf, 2}, Dtype{'b', at::kBFloat16, 2},
                               Dtype{'d', at::kDouble, 8}, Dtype{'i', at::kInt, 4}};

const Dtype& dtype_of(char letter) {
  for (const Dtype& dtype : dtypes) {
    if (dtype.letter == letter) return dtype;
  }
  throw std::runtime_error(std::string("unknown dtype letter ") + letter);
}

const Dtype& dtype_of(const at::Tensor& tensor) {
  for (const Dtype& dtype : dtypes) {
    if (dtype.type == tensor.scalar_type()) return dtype;
  }
  throw std::runtime_error("a tensor of unexpected dtype");
}

at::Tensor tensor_of(const Dtype& dtype, const std::string& words, bool dimensionless) {
  const std::vector<std::string> parts = oracle::split(words, ',');
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(parts.size())}, at::TensorOptions().dtype(dtype.type));
  auto* bytes = static_cast<std::uint8_t*>(tensor.mutable_data_ptr());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "nan") {
      tensor[static_cast<std::int64_t>(i)] = std::nan("");
      continue;
    }
    const std::uint64_t word = std::stoull(parts[i], nullptr, 16);
    std::memcpy(bytes + i * dtype.bytes, &word, dtype.bytes);  // little-endian, as x86 and ARM are
  }
  return dimensionless ? tensor.reshape({}) : tensor;
}

std::string words_of(const at::Tensor& tensor) {
  const Dtype& dtype = dtype_of(tensor);
  const at::Tensor flat = tensor.detach().reshape({-1}).contiguous();
  const auto* bytes = static_cast<const std::uint8_t*>(flat.const_data_ptr());
  std::string words;
  for (std::int64_t i = 0; i < flat.numel(); ++i) {
    if (i > 0) words += ',';
    if (std::isnan(flat[i].item<double>())) {
      words += "nan";
      continue;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + static_cast<std::size_t>(i) * dtype.bytes, dtype.bytes);
    static constexpr char digits[] = "0123456789abcdef";
    for (std::size_t digit = 2 * dtype.bytes; digit-- > 0;) words += digits[word >> (4 * digit) & 15];
  }
  return words;
}

// --- the other side of make_scaler_sequences.py

/// Says what the scaler did with it: "0" not called, "1" a plain step, "c:SCALE:FOUND_INF" a step that unscales itself.
class Recorder final : public precision::ScaledOptimizer {
 public:
  Recorder(const Dtype& dtype, bool unscales_itself) : unscales_itself_(unscales_itself) {
    for (const std::int64_t elements : {1, 2}) {
      parameters_.push_back(at::ones({elements}, at::TensorOptions().dtype(dtype.type)).requires_grad_());
    }
  }

  at::ArrayRef<at::Tensor> parameters(std::size_t) override { return parameters_; }
  void step() override { seen = "1"; }
  bool unscales_itself() const override { return unscales_itself_; }
  void step_scaled(const at::Tensor& grad_scale, const at::Tensor& found_inf) override {
    seen = "c:" + (grad_scale.defined() ? words_of(grad_scale) : std::string("-")) + ":" +
           std::to_string(found_inf.item<int>());
  }

  std::string gradients() const {
    std::string text;
    for (const at::Tensor& parameter : parameters_) {
      if (!text.empty()) text += ';';
      text += parameter.grad().defined() ? words_of(parameter.grad()) : std::string("-");
    }
    return text;
  }

  std::string seen;

 private:
  std::vector<at::Tensor> parameters_;
  bool unscales_itself_;
};

/// Plays the calls of one sequence and tells each result in the file's words.
class Player {
 public:
  /// \param through_layer  the calls that a LossScaler has of its own go to it, not to the scaler within
  explicit Player(bool through_layer) : through_layer_(through_layer) {}

  bool alive() const { return layer_ != nullptr; }
  const GradScaler& scaler() const { return layer_->exact(); }

  /// The result as the file writes it. Errors are those of the scaler.
  std::string play(const std::vector<std::string>& call) {
    switch (call.at(0).at(0)) {
      case 'N':
        return construct(call);
      case 'S':
        return scale(call);
      case 'G':
        return set_gradient(call);
      case 'U':
        return unscale(optimizer(call));
      case 'T':
        return step(optimizer(call));
      case 'A':
        return update(call);
      case 'V':
        return update_to_tensor(call);
      case 'D':
        return state_dict();
      case 'L':
        return load(call);
      case 'R':
        return resume();
      case 'F':
        return set_factor(call);
      default:
        throw std::runtime_error("unknown call " + call[0]);
    }
  }

 private:
  Recorder& optimizer(const std::vector<std::string>& call) {
    return *optimizers_.at(static_cast<std::size_t>(integer(call.at(1))));
  }

  std::string construct(const std::vector<std::string>& call) {
    precision::GradScalerOptions options;
    options.init_scale = number(call.at(1));
    options.growth_factor = number(call.at(2));
    options.backoff_factor = number(call.at(3));
    options.growth_interval = integer(call.at(4));
    options.enabled = call.at(5) == "1";
    layer_ = std::make_unique<LossScaler>(options);
    for (std::size_t i = 0; i < 2; ++i) {
      optimizers_.push_back(std::make_unique<Recorder>(dtype_of(call.at(6).at(i)), call.at(7).at(i) == 's'));
    }
    return "ok";
  }

  std::string scale(const std::vector<std::string>& call) {
    const at::Tensor result = layer_->scale(tensor_of(dtype_of(call.at(1).at(0)), call.at(3), call.at(2) == "0"));
    return std::string(1, dtype_of(result).letter) + ":" + words_of(result);
  }

  std::string set_gradient(const std::vector<std::string>& call) {
    const at::Tensor& parameter = optimizer(call).parameters(0)[static_cast<std::size_t>(integer(call.at(2)))];
    parameter.mutable_grad() =
        call.at(3) == "-" ? at::Tensor() : tensor_of(dtype_of(parameter), call.at(3), /*dimensionless=*/false);
    return "ok";
  }

  std::string unscale(Recorder& optimizer) {
    layer_->unscale(optimizer);
    return optimizer.gradients();
  }

  std::string step(Recorder& optimizer) {
    optimizer.seen = "0";
    layer_->step(optimizer);
    return optimizer.seen + " " + optimizer.gradients();
  }

  std::string update(const std::vector<std::string>& call) {
    if (call.size() > 1) {
      exact().update(number(call.at(1)));
    } else if (through_layer_) {
      layer_->update();
    } else {
      exact().update();
    }
    return "ok";
  }

  std::string update_to_tensor(const std::vector<std::string>& call) {
    at::Tensor tensor = tensor_of(dtype_of(call.at(1).at(0)), call.at(4), call.at(2) == "0");
    if (call.at(3) == "1") tensor.requires_grad_();
    exact().update(tensor);
    return "ok";
  }

  std::string state_dict() {
    state_ = exact().state_dict();
    layer_state_ = layer_->state_dict();
    if (layer_state_.empty() == state_.has_value()) return "the layer's state is not the scaler's";
    if (!state_) return "-";
    return to_text(state_->scale) + " " + to_text(state_->growth_factor) + " " + to_text(state_->backoff_factor) + " " +
           std::to_string(state_->growth_interval) + " " + std::to_string(state_->growth_tracker);
  }

  std::string load(const std::vector<std::string>& call) {
    std::optional<precision::GradScalerState> state;
    if (call.at(1) != "-") {
      state = precision::GradScalerState{number(call.at(1)), number(call.at(2)), number(call.at(3)),
                                         integer(call.at(4)), integer(call.at(5))};
    }
    if (through_layer_) {
      layer_->load_state_dict(state ? state_of(*state) : precision::LossScalerState());
    } else {
      exact().load_state_dict(state);
    }
    return "ok";
  }

  std::string resume() {
    layer_ = std::make_unique<LossScaler>();
    if (through_layer_) {
      layer_->load_state_dict(layer_state_);
    } else {
      exact().load_state_dict(state_);
    }
    return "ok";
  }

  std::string set_factor(const std::vector<std::string>& call) {
    if (call.at(1) == "g") exact().set_growth_factor(number(call.at(2)));
    if (call.at(1) == "b") exact().set_backoff_factor(number(call.at(2)));
    if (call.at(1) == "i") exact().set_growth_interval(integer(call.at(2)));
    return "ok";
  }

  GradScaler& exact() { return layer_->exact(); }

  /// The five keys of PyTorch, as a foreign state has them.
  static precision::LossScalerState state_of(const precision::GradScalerState& state) {
    return {{"scale", state.scale},
            {"growth_factor", state.growth_factor},
            {"backoff_factor", state.backoff_factor},
            {"growth_interval", static_cast<double>(state.growth_interval)},
            {"_growth_tracker", static_cast<double>(state.growth_tracker)}};
  }

  bool through_layer_;
  std::unique_ptr<LossScaler> layer_;
  std::vector<std::unique_ptr<Recorder>> optimizers_;
  std::optional<precision::GradScalerState> state_;
  precision::LossScalerState layer_state_;
};

const std::map<std::string, ErrorKind> error_kinds = {
    {"!no-scale", ErrorKind::CallOrder},
    {"!unscaled-twice", ErrorKind::CallOrder},
    {"!unscaled-late", ErrorKind::CallOrder},
    {"!stepped-twice", ErrorKind::CallOrder},
    {"!no-gradient", ErrorKind::CallOrder},
    {"!nothing-checked", ErrorKind::CallOrder},
    {"!fp16-gradient", ErrorKind::InvalidSetting},
    {"!new-scale", ErrorKind::InvalidSetting},
    {"!beyond-float32", ErrorKind::InvalidSetting},
    {"!growth-factor", ErrorKind::InvalidSetting},
    {"!backoff-factor", ErrorKind::InvalidSetting},
    {"!empty-state", ErrorKind::InvalidSetting},
};

bool same_double(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Words of a result; those of state_dict are decimal numbers, all others are compared as they stand.
bool same_result(const std::string& expected, const std::string& found, bool numbers) {
  if (!numbers || expected == found) return expected == found;
  const auto a = oracle::split(expected, ' ');
  const auto b = oracle::split(found, ' ');
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_double(number(a[i]), number(b[i]))) return false;
  }
  return true;
}

}  // namespace

/// GradScaler, alone and within a LossScaler without rules, against torch.amp.GradScaler of the official package, call
/// by call (README.md has the file's format).
class ScalerOracleTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ten_thousand_call_sequences_go_as_in_pytorch_data() {
    QTest::addColumn<bool>("through_layer");
    QTest::addRow("GradScaler") << false;
    QTest::addRow("LossScaler without rules") << true;
  }

  void ten_thousand_call_sequences_go_as_in_pytorch() {
    QFETCH(bool, through_layer);
    std::unique_ptr<Player> player;
    double scale = 0;
    std::int64_t tracker = 0;
    std::int64_t sequences = 0;
    std::int64_t number_of_line = 0;
    for (const std::string& line : oracle::recorded_lines("scaler_sequences.txt.gz")) {
      ++number_of_line;
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == 'N') {
        player = std::make_unique<Player>(through_layer);
        ++sequences;
      }
      // CALL|RESULT [sSCALE] [tTRACKER]: the last two only where they changed.
      const std::size_t bar = line.find('|');
      std::vector<std::string> words = oracle::split(line.substr(bar + 1), ' ');
      if (words.back()[0] == 't') {
        tracker = integer(words.back().substr(1));
        words.pop_back();
      }
      if (words.back()[0] == 's') {
        scale = number(words.back().substr(1));
        words.pop_back();
      }
      std::string expected = words[0];
      for (std::size_t i = 1; i < words.size(); ++i) expected += " " + words[i];

      const auto here = [&](const std::string& problem) {
        return QByteArray::fromStdString("sequence " + std::to_string(sequences) + ", line " +
                                         std::to_string(number_of_line) + ", " + line + ": " + problem);
      };
      const std::optional<ErrorKind> expected_error =
          expected[0] == '!' ? std::optional(error_kinds.at(expected)) : std::nullopt;
      try {
        const std::string found = player->play(oracle::split(line.substr(0, bar), ' '));
        QVERIFY2(!expected_error && same_result(expected, found, line[0] == 'D'), here("got " + found));
      } catch (const Error& error) {
        QVERIFY2(expected_error && error.kind() == *expected_error, here(error.what()));
      }
      if (!player->alive()) continue;  // the constructor refused
      QVERIFY2(same_double(player->scaler().get_scale(), scale),
               here("scale " + to_text(player->scaler().get_scale())));
      QVERIFY2(player->scaler().get_growth_tracker() == tracker,
               here("tracker " + std::to_string(player->scaler().get_growth_tracker())));
    }
    QVERIFY2(sequences >= 10'000, QByteArray::number(qint64(sequences)));
  }
};

QTEST_GUILESS_MAIN(ScalerOracleTests)
#include "scaler_oracle_tests.moc"
