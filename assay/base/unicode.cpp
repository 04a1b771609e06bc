// SPDX-License-Identifier: Apache-2.0
#include "assay/base/unicode.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "assay/base/unicode_tables.hpp"

namespace assay {
namespace {

constexpr char32_t replacement = 0xFFFD;

/// A character and how many bytes it takes; one byte for anything that is not a character.
struct Decoded {
  char32_t point;
  std::size_t length;
};

/// How the first byte of a character tells its length, and the least character of that length.
struct Lead {
  unsigned mask, bits;
  std::size_t length;
  char32_t least;
};

constexpr Lead leads[] = {
    {0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};

Decoded decoded(std::string_view text) {
  const unsigned first = static_cast<unsigned char>(text.front());
  for (const Lead& lead : leads) {
    if ((first & lead.mask) != lead.bits) continue;
    if (text.size() < lead.length) break;
    char32_t point = first & ~lead.mask & 0xFFU;
    for (std::size_t i = 1; i < lead.length; ++i) {
      const unsigned next = static_cast<unsigned char>(text[i]);
      if ((next & 0xC0U) != 0x80U) return {replacement, 1};
      point = (point << 6) | (next & 0x3FU);
    }
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    if (point < lead.least || point > 0x10FFFF || surrogate) break;
    return {point, lead.length};
  }
  return {replacement, 1};
}

}  // namespace

Characters characters(std::string_view utf8) {
  Characters out;
  out.points.reserve(utf8.size());
  out.bytes.reserve(utf8.size() + 1);
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded next = decoded(utf8.substr(at));
    out.points += next.point;
    out.bytes.push_back(at);
    at += next.length;
  }
  out.bytes.push_back(utf8.size());
  return out;
}

std::optional<std::size_t> invalid_utf8_at(std::string_view text) {
  // Most text is ASCII, so eight bytes are examined together.
  const auto are_ascii = [&](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    return (word & 0x8080808080808080) == 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && are_ascii(at)) {
      at += 8;
      continue;
    }
    const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const std::size_t length = is_ascii ? 1 : decoded(text.substr(at)).length;
    if (!is_ascii && length == 1) return at;
    at += length;
  }
  return std::nullopt;
}

void append_utf8(std::string& out, char32_t point) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | (point >> 6));
  } else {
    if (point < 0x10000) {
      put(0xE0 | (point >> 12));
    } else {
      put(0xF0 | (point >> 18));
      put(0x80 | ((point >> 12) & 0x3F));
    }
    put(0x80 | ((point >> 6) & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

bool is_word(char32_t point) {
  const auto ranges = word_ranges();
  const auto range = std::ranges::lower_bound(ranges, point, {}, &CharacterRange::last);
  return range != ranges.end() && range->first <= point;
}

std::optional<int> digit_value(char32_t point) {
  const auto zeros = decimal_zeros();
  const auto behind = std::ranges::upper_bound(zeros, point);
  if (behind == zeros.begin()) return std::nullopt;
  const char32_t value = point - *std::prev(behind);
  return value < 10 ? std::optional(static_cast<int>(value)) : std::nullopt;
}

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

char32_t lower(char32_t point) {
  if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + 32 : point;
  const auto runs = lower_case_runs();
  const auto run = std::ranges::lower_bound(runs, point, {}, &LowerCaseRun::last);
  if (run == runs.end() || point < run->first || (point - run->first) % run->step != 0)
    return point;
  return static_cast<char32_t>(static_cast<std::int32_t>(point) + run->shift);
}

std::u32string lowered(std::u32string_view points) {
  constexpr char32_t dotted_capital_i = 0x130, dot_above = 0x307;
  std::u32string out;
  out.reserve(points.size());
  for (const char32_t point : points) {
    if (point == dotted_capital_i)
      out.append({U'i', dot_above});
    else
      out += lower(point);
  }
  return out;
}

std::string_view stripped(std::string_view utf8) {
  const Characters all = characters(utf8);
  std::size_t first = 0, last = all.size();
  while (first < last && is_space(all.points[first])) ++first;
  while (last > first && is_space(all.points[last - 1])) --last;
  return utf8.substr(all.bytes[first], all.bytes[last] - all.bytes[first]);
}

bool is_boundary(std::u32string_view points, std::size_t i) {
  const bool before = i > 0 && is_word(points[i - 1]);
  const bool after = i < points.size() && is_word(points[i]);
  return before != after;
}

}  // namespace assay
