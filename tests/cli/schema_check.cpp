// SPDX-License-Identifier: Apache-2.0
#include "schema_check.h"

#include <algorithm>
#include <regex>

#include <QFile>

namespace {

using Json = nlohmann::json;

class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& root) : root_(root) {}

  std::vector<std::string> problems(const Json& schema, const Json& value, const std::string& place) const {
    std::vector<std::string> found;
    for (const auto& [keyword, argument] : schema.items()) {
      for (const std::string& problem : problems_of(keyword, argument, schema, value, place)) found.push_back(problem);
    }
    return found;
  }

 private:
  static bool has_type(const std::string& type, const Json& value) {
    if (type == "integer") return value.is_number_integer();
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
           (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
  }

  std::vector<std::string> problems_of(const std::string& keyword, const Json& argument, const Json& schema,
                                       const Json& value, const std::string& place) const {
    const auto unless = [&](bool holds) {
      return holds ? std::vector<std::string>()
                   : std::vector<std::string>{place + ": " + keyword + " " + argument.dump() + ", found " +
                                              value.dump().substr(0, 200)};
    };
    for (const char* const annotation : {"$schema", "$id", "$defs", "title", "description"}) {
      if (keyword == annotation) return {};
    }
    if (keyword == "$ref")
      return problems(root_.at(Json::json_pointer(argument.get<std::string>().substr(1))), value, place);
    if (keyword == "type") {
      const Json types = argument.is_array() ? argument : Json::array({argument});
      return unless(std::any_of(types.begin(), types.end(), [&](const Json& t) { return has_type(t, value); }));
    }
    if (keyword == "const") return unless(value == argument);
    if (keyword == "enum") return unless(std::find(argument.begin(), argument.end(), value) != argument.end());
    if (keyword == "anyOf") {
      return unless(std::any_of(argument.begin(), argument.end(),
                                [&](const Json& choice) { return problems(choice, value, place).empty(); }));
    }
    if (keyword == "minItems") return unless(!value.is_array() || value.size() >= argument.get<std::size_t>());
    if (keyword == "minimum") return unless(!value.is_number() || value.get<double>() >= argument.get<double>());
    if (keyword == "pattern") {
      return unless(!value.is_string() ||
                    std::regex_search(value.get<std::string>(), std::regex(argument.get<std::string>())));
    }
    if (keyword == "required") {
      return unless(!value.is_object() || std::all_of(argument.begin(), argument.end(), [&](const Json& name) {
        return value.contains(name.get<std::string>());
      }));
    }
    if (keyword == "items") return problems_of_items(argument, value, place);
    if (keyword == "properties" || keyword == "additionalProperties") {
      return problems_of_members(keyword, argument, schema, value, place);
    }
    return {place + ": the check does not know the keyword " + keyword};
  }

  std::vector<std::string> problems_of_items(const Json& schema, const Json& value, const std::string& place) const {
    std::vector<std::string> found;
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
      for (const std::string& problem : problems(schema, value[i], place + '[' + std::to_string(i) + ']')) {
        found.push_back(problem);
      }
    }
    return found;
  }

  std::vector<std::string> problems_of_members(const std::string& keyword, const Json& argument, const Json& schema,
                                               const Json& value, const std::string& place) const {
    std::vector<std::string> found;
    if (!value.is_object()) return found;
    for (const auto& [name, member] : value.items()) {
      const std::string member_place = place + '.' + name;
      if (keyword == "properties") {
        if (!argument.contains(name)) continue;
        for (const std::string& problem : problems(argument[name], member, member_place)) found.push_back(problem);
      } else if (argument == Json(false) && !schema["properties"].contains(name)) {
        found.push_back(member_place + " is not in the schema");
      }
    }
    return found;
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> schema_problems(const Json& schema, const Json& document) {
  return SchemaCheck(schema).problems(schema, document, "document");
}

Json read_schema(const std::string& name) {
  QFile file(QStringLiteral(MANTISSA_SOURCE_DIR "/resources/schemas/%1.schema.json").arg(QString::fromStdString(name)));
  if (!file.open(QIODevice::ReadOnly)) qFatal("no such schema: %s", name.c_str());
  return Json::parse(file.readAll().toStdString());
}
