// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/embedded_json.hpp"

#include <algorithm>

namespace assay {
namespace {

/// Where the object that opens at `begin` closes, quotes heeded; npos when it never does.
std::size_t closing_brace(std::string_view text, std::size_t begin) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == '{')
      ++depth;
    else if (!quoted && c == '}' && --depth == 0)
      return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<EmbeddedObject> embedded_objects(std::string_view text) {
  constexpr std::size_t most_tries = 1000;  // a text of nothing but braces must not cost n² time
  std::vector<EmbeddedObject> out;
  std::size_t tries = 0;
  for (std::size_t at = text.find('{'); at != text.npos && tries < most_tries; ++tries) {
    const std::size_t close = closing_brace(text, at);
    if (close != text.npos) {
      auto value = nlohmann::json::parse(text.substr(at, close + 1 - at), nullptr, false);
      if (!value.is_discarded()) {
        out.push_back({std::move(value), at, close + 1});
        at = text.find('{', close + 1);
        continue;
      }
    }
    at = text.find('{', at + 1);
  }
  return out;
}

}  // namespace assay
