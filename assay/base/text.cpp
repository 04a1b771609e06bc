// SPDX-License-Identifier: Apache-2.0
#include "assay/base/text.hpp"

#include <algorithm>

namespace assay {
namespace {

/// Whether the byte continues a character of several bytes.
bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The letters from `first` on, moved by `shift`.
std::string shifted(std::string_view text, char first, int shift) {
  std::string out(text);
  for (char& c : out)
    if (c >= first && c < first + 26) c = static_cast<char>(c + shift);
  return out;
}

}  // namespace

std::string_view trimmed_end(std::string_view text, std::string_view blanks) {
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text = trimmed_end(text, blanks);
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

char first_sign(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white_space);
  return first == text.npos ? '\0' : text[first];
}

std::string ascii_lowered(std::string_view text) {
  return shifted(text, 'A', 'a' - 'A');
}

std::string ascii_uppered(std::string_view text) {
  return shifted(text, 'a', 'A' - 'a');
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    out.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && continues(text[most])) --most;
  return text.substr(0, most);
}

std::string excerpt(std::string_view text, std::size_t most) {
  const std::string_view start = beginning(text, most);
  return std::string(start) + (start.size() < text.size() ? "..." : "");
}

std::size_t character_count(std::string_view utf8) {
  return utf8.size() - static_cast<std::size_t>(std::ranges::count_if(utf8, continues));
}

}  // namespace assay
