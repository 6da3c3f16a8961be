// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "core/base/error.h"
#include "core/spec/parse.h"

namespace mantissa::spec::tests {

/// The example "y = w·x" of the contract, in full.
inline const char* const scalar_example = R"(mantissa = 1
[data]
path = "pattern.csv"
task = "regression"
order = "file"
test = { fraction = 0 }
[model]
kind = "torchscript"
path = "linear_w1.pt"
[training]
threads = 1
epochs = 1
batch = 1
loss = "mse"
[[training.optimizer]]
kind = "sgd"
lr = 0.1
[training.schedule]
kind = "step"
gamma = 0.5
every = 1
[[trial]]
name = "fp16"
autocast = "float16"
[trial.scaler]
init_scale = 8192
growth_interval = 3
)";

/// The least that is an experiment: five lines, more go below from line 6.
inline const char* const least_example = R"(mantissa = 1
[data]
source = "digits"
[model]
kind = "mlp"
)";

inline Experiment parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment(text, "folder/example.toml", overrides);
}

/// Parses `least_example` with more text below.
inline Experiment parse_more(const std::string& more, const std::vector<std::string>& overrides = {}) {
  return parse(least_example + more, overrides);
}

/// The error of a text that must be refused.
inline std::optional<Error> refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace mantissa::spec::tests

/// Compares what a refusal says with what it must say: kind, line, subject, and a piece of the whole sentence.
#define VERIFY_REFUSED(text, expected_kind, expected_line, expected_subject, piece)    \
  do {                                                                                 \
    const auto refused = mantissa::spec::tests::refusal(text);                         \
    QVERIFY2(refused.has_value(), "was not refused");                                  \
    const std::string sentence = mantissa::sentence(refused->facts());                 \
    QVERIFY2(refused->kind() == mantissa::ErrorKind::expected_kind, sentence.c_str()); \
    QVERIFY2(refused->facts().line == (expected_line), sentence.c_str());              \
    QVERIFY2(refused->facts().subject == (expected_subject), sentence.c_str());        \
    QVERIFY2(refused->facts().file == "folder/example.toml", sentence.c_str());        \
    QVERIFY2(sentence.find(piece) != std::string::npos, sentence.c_str());             \
  } while (false)
