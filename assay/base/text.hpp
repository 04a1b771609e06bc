// SPDX-License-Identifier: Apache-2.0
/// Text as bytes: cutting, joining, lists of words in messages. Letters are those of ASCII; for
/// text as Python sees it, see unicode.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

inline constexpr std::string_view white_space = " \t\r\n";

/// Takes a long text piece by piece, so that it is never in memory as a whole.
using TextSink = std::function<void(std::string_view piece)>;

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Without blanks at the end, or at either end.
std::string_view trimmed_end(std::string_view text, std::string_view blanks = white_space);
std::string_view trimmed(std::string_view text, std::string_view blanks = white_space);

/// Without the byte order mark that some editors put before UTF-8.
std::string_view without_mark(std::string_view text);

/// The first byte that is not white space, which tells JSON from other text; 0 when there is none.
char first_sign(std::string_view text);

std::string ascii_lowered(std::string_view text);
std::string ascii_uppered(std::string_view text);

/// What is between separators; the empty text has one empty part.
std::vector<std::string_view> parts_of(std::string_view text, char separator);

/// With every `from` replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// At most `most` bytes from the front, without half a character of UTF-8.
std::string_view beginning(std::string_view text, std::size_t most);

/// What a message quotes of a long text.
std::string excerpt(std::string_view text, std::size_t most = 40);

/// The number of characters of UTF-8 text.
std::size_t character_count(std::string_view utf8);

/// "a, b, c".
template <class Words, class Text = std::identity>
std::string joined(const Words& words, std::string_view separator = ", ", Text text = {}) {
  std::string out;
  bool first = true;
  for (const auto& word : words) {
    if (!first) out.append(separator);
    out.append(std::invoke(text, word));
    first = false;
  }
  return out;
}

/// "1 case", "2 cases".
inline std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count).append(" ").append(thing).append(count == 1 ? "" : "s");
}

}  // namespace assay
