// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/answers/answer_text.hpp"

#include <algorithm>
#include <array>

#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"

namespace assay::qa {
namespace {

/// Typographic characters and what people type for them.
struct Typed {
  std::u32string_view typographic;
  char32_t typed;
};

constexpr Typed typed[] = {{U"‘’ʼ`´", U'\''}, {U"“”„", U'"'}, {U"‐‑‒–—−", U'-'}};

char32_t plain(char32_t point) {
  for (const Typed& row : typed)
    if (row.typographic.find(point) != std::u32string_view::npos) return row.typed;
  return point;
}

bool ends_clause(char32_t c) {
  return std::u32string_view(U".,;:\n()!?").find(c) != std::u32string_view::npos;
}

void blank(std::string& text, std::size_t first, std::size_t last) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(first),
            text.begin() + static_cast<std::ptrdiff_t>(last), ' ');
}

void blank_blocks(std::string& text, const std::string& name) {
  const std::string open = "<" + name + ">", close = "</" + name + ">";
  for (;;) {
    const std::string lower = ascii_lowered(text);
    const std::size_t end = lower.find(close), begin = lower.find(open);
    if (end == std::string::npos && begin == std::string::npos) return;
    const std::size_t last = end == std::string::npos ? text.size() : end + close.size();
    blank(text, begin < last ? begin : 0, last);
  }
}

}  // namespace

AnswerText::AnswerText(std::string_view utf8, std::size_t offset) {
  const Characters all = characters(utf8);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool space = is_space(all.points[i]);
    const bool line = all.points[i] == U'\n' || all.points[i] == U'\r';
    const char32_t point = space ? (line ? U'\n' : U' ') : plain(all.points[i]);
    if (space && !points_.empty() && is_space(points_.back())) {
      if (line) points_.back() = lower_.back() = U'\n';
      ends_.back() = offset + all.bytes[i + 1];
      continue;
    }
    points_ += point;
    lower_ += lower(point);
    begins_.push_back(offset + all.bytes[i]);
    ends_.push_back(offset + all.bytes[i + 1]);
  }
}

bool AnswerText::boundary(std::size_t i) const {
  return is_boundary(points_, std::min(i, points_.size()));
}

bool AnswerText::starts_with(std::u32string_view lower, std::size_t i) const {
  if (lower.empty() || i + lower.size() > points_.size()) return false;
  for (std::size_t k = 0; k < lower.size(); ++k) {
    const bool blanks = lower[k] == U' ' && is_space(low(i + k));
    if (low(i + k) != lower[k] && !blanks) return false;
  }
  const bool starts = !is_word(lower.front()) || boundary(i);
  return starts && (!is_word(lower.back()) || boundary(i + lower.size()));
}

bool AnswerText::in_word(std::size_t i) const {
  if (!has(i)) return false;
  if (is_word(points_[i])) return true;
  return points_[i] == U'\'' && i > 0 && is_word(points_[i - 1]) && has(i + 1) &&
         is_word(points_[i + 1]);
}

std::u32string_view AnswerText::word(std::size_t i) const {
  std::size_t last = i;
  while (in_word(last)) ++last;
  return std::u32string_view(lower_).substr(std::min(i, lower_.size()), last - i);
}

std::vector<std::u32string_view> AnswerText::words_before(std::size_t i, std::size_t most) const {
  std::vector<std::u32string_view> out;
  while (i > 0 && out.size() < most && !ends_clause(points_[i - 1])) {
    std::size_t first = i;
    while (first > 0 && in_word(first - 1)) --first;
    if (first < i) out.push_back(std::u32string_view(lower_).substr(first, i - first));
    i = first < i ? first : i - 1;
  }
  return out;
}

std::vector<std::u32string_view> AnswerText::words_after(std::size_t i, std::size_t most) const {
  std::vector<std::u32string_view> out;
  while (has(i) && out.size() < most && !ends_clause(points_[i])) {
    const std::u32string_view next = word(i);
    if (!next.empty()) out.push_back(next);
    i += std::max<std::size_t>(next.size(), 1);
  }
  return out;
}

std::size_t AnswerText::skip(std::size_t i, std::u32string_view any_of) const {
  while (has(i) && any_of.find(points_[i]) != std::u32string_view::npos) ++i;
  return i;
}

std::u32string normalised(std::string_view utf8) {
  const AnswerText text(stripped(utf8));
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) out += text.at(i) == U'\n' ? U' ' : text.low(i);
  return out;
}

std::string without_reasoning(std::string_view text) {
  std::string out(text);
  for (const char* name : {"think", "thinking", "reasoning"}) blank_blocks(out, name);
  return out;
}

}  // namespace assay::qa
