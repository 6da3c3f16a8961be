// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace mantissa {

/// How many letters to insert, drop, replace or swap with their neighbour turn one text into the other (optimal string
/// alignment): for naming the nearest known name beside an unknown one.
std::size_t edit_distance(const std::string& a, const std::string& b);

}  // namespace mantissa
