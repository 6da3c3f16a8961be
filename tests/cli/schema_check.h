// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// Checks a document against the part of JSON Schema that resources/schemas uses. An unknown keyword is a problem too,
/// so that no condition is silently left out. Returns what is wrong, with the place; empty: valid.
std::vector<std::string> schema_problems(const nlohmann::json& schema, const nlohmann::json& document);

/// A schema of resources/schemas.
nlohmann::json read_schema(const std::string& name);
