// SPDX-License-Identifier: Apache-2.0
#include "assay/io/detail/toml.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "assay/core/error.hpp"

namespace assay::detail {
namespace {

[[noreturn]] void fail(std::string_view name, const toml::source_position& at, const char* what) {
  throw Error(Error::Kind::input,
              fmt::format("{}: line {}, column {}: {}", name, at.line, at.column, what));
}

Json json_of(const toml::node& node, std::string_view name) {
  if (const auto* table = node.as_table()) {
    Json out = Json::object();
    for (const auto& [key, value] : *table) out[std::string(key.str())] = json_of(value, name);
    return out;
  }
  if (const auto* array = node.as_array()) {
    Json out = Json::array();
    for (const toml::node& value : *array) out.push_back(json_of(value, name));
    return out;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  fail(name, node.source().begin, "a date or time has no place here");
}

}  // namespace

Json parse_toml(std::string_view text, std::string_view name) {
  try {
    return json_of(toml::parse(text), name);
  } catch (const toml::parse_error& e) {
    fail(name, e.source().begin,
         "this is no TOML; a line is key = value, text stands in quotes, and no key stands twice");
  }
}

}  // namespace assay::detail
