// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/json_value.hpp"

#include <algorithm>

#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::qa {
namespace {

JsonNumber number_of(std::string_view token) {
  return {token, token.find_first_not_of("-0123456789") == token.npos};
}

/// `offset` is the place of the reader's text in the one that spans refer to.
JsonValue value_of(JsonReader& in, std::size_t offset) {
  using Kind = JsonReader::Kind;
  JsonValue out;
  std::vector<JsonValue> elements;
  const Kind kind = in.kind();
  const std::size_t begin = offset + in.at();
  switch (kind) {
    case Kind::object:
      in.object("", [&](std::string_view key) {
        out.keys.emplace_back(key);
        elements.push_back(value_of(in, offset));
      });
      break;
    case Kind::list: in.list("", [&] { elements.push_back(value_of(in, offset)); }); break;
    case Kind::text: out.content = in.text(""); break;
    case Kind::number: out.content = number_of(in.number_token()); break;
    case Kind::boolean: out.content = in.boolean(); break;
    case Kind::null: in.null();
  }
  out.is_object = kind == Kind::object;
  if (out.is_object || kind == Kind::list) out.content = std::move(elements);
  out.span = {begin, offset + in.at()};
  return out;
}

}  // namespace

const JsonValue* JsonValue::member(std::string_view key) const {
  const auto* all = elements();
  if (!is_object || all == nullptr) return nullptr;
  for (std::size_t i = keys.size(); i-- > 0;)
    if (keys[i] == key) return &(*all)[i];
  return nullptr;
}

std::optional<JsonValue> json_at(std::string_view text, std::size_t at) {
  try {
    JsonReader in(text.substr(at), "the answer");
    return value_of(in, at);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<JsonValue> json_of(std::string_view text) {
  auto value = json_at(text, 0);
  const bool is_all = value && trimmed(text.substr(value->span.second)).empty();
  return is_all ? std::move(value) : std::nullopt;
}

std::vector<JsonValue> json_objects_in(std::string_view text) {
  constexpr std::size_t most_failures = 1000;  // so that hostile text takes no long time
  std::vector<JsonValue> out;
  std::size_t failures = 0;
  for (std::size_t at = text.find('{'); at != std::string::npos && failures < most_failures;) {
    const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size() - 1);
    const bool may_open = text[next] == '"' || text[next] == '}';
    auto object = may_open ? json_at(text, at) : std::nullopt;
    if (may_open && !object) ++failures;
    const std::size_t from = object ? object->span.second : at + 1;
    if (object) out.push_back(std::move(*object));
    at = text.find('{', from);
  }
  return out;
}

}  // namespace assay::qa
