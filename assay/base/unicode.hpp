// SPDX-License-Identifier: Apache-2.0
/// Text as Python sees it: characters instead of bytes, classified as `re` and `str` do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// The characters of UTF-8 text. A byte that is not part of a character becomes U+FFFD.
struct Characters {
  std::u32string points{};
  std::vector<std::size_t> bytes{};  ///< where each character starts, and the end of the text

  std::size_t size() const { return points.size(); }
  /// Characters [first, last) as bytes.
  std::pair<std::size_t, std::size_t> span(std::size_t first, std::size_t last) const {
    return {bytes[first], bytes[last]};
  }
};

Characters characters(std::string_view utf8);

/// The first byte that is not part of a character; nothing when there is none.
std::optional<std::size_t> invalid_utf8_at(std::string_view text);

void append_utf8(std::string& out, char32_t point);

/// \w: letters, digits and numbers of any script, and the underscore.
bool is_word(char32_t point);

/// \d: the value of a decimal digit of any script.
std::optional<int> digit_value(char32_t point);

/// What str.strip removes.
bool is_space(char32_t c);

/// The lower case of one character, where that is one character; otherwise itself.
char32_t lower(char32_t point);

/// str.lower, except that a capital sigma at the end of a word becomes a medial one.
std::u32string lowered(std::u32string_view points);

/// str.strip.
std::string_view stripped(std::string_view utf8);

/// Whether a word starts or ends between characters i - 1 and i: \b.
bool is_boundary(std::u32string_view points, std::size_t i);

}  // namespace assay
