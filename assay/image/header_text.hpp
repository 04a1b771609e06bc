// SPDX-License-Identifier: Apache-2.0
/// Headers that are lines of text: cutting them, and reading numbers.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

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
