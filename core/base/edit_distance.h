// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mantissa {

/// How many letters to insert, drop, replace or swap with their neighbour turn one text into the other (optimal string
/// alignment): for naming the nearest known name beside an unknown one.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The names that are nearest to `wanted`, nearest first: "head.weight, head.bias, …". At most six.
std::string nearest_names(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace mantissa
