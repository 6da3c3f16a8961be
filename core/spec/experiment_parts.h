// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/setting.h"

namespace mantissa::spec {

/// A table of the experiment file and what reads it. Private to core/spec, as all of this header.
struct Part {
  std::string_view table;
  std::function<void(const Setting*, Experiment&)> read;
  std::vector<std::string_view> needs{};      ///< tables before it that its meaning depends on
  std::vector<std::string_view> essential{};  ///< its keys that those after it depend on
};

/// Every table, in an order in which each finds what it depends on. \param folder  that paths are relative to
std::vector<Part> parts_in(const std::string& folder);

/// What stands above all tables. \param file  gives an experiment without a name one
void read_head(const Setting* root, const std::string& file, Experiment& experiment);

/// Refuses a file that is empty, no text or not UTF-8.
void refuse_what_is_no_text(const std::string& text, const std::string& file);

/// Refuses a version of the format that this program does not read.
void check_version(const Setting& root);

std::string folder_of(const std::string& file);

}  // namespace mantissa::spec
