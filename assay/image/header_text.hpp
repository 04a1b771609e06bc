// SPDX-License-Identifier: Apache-2.0
/// Headers that are lines of text: cutting them, and reading numbers.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/base/text.hpp"

namespace assay {

/// Numbers between spaces; nothing at all when one of them is not a number.
template <class T>
std::optional<std::vector<T>> numbers(std::string_view text) {
  std::vector<T> all;
  while (!(text = trimmed(text)).empty()) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    all.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return all;
}

/// Cuts the first line off `text`; nothing when there is no whole line left.
inline std::optional<std::string_view> next_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace assay
