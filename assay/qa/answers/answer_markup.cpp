// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/answers/answer_markup.hpp"

#include <algorithm>
#include <optional>

#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"

namespace assay::qa {
namespace {

constexpr std::size_t longest_sentence = 300;
constexpr std::size_t longest_gap = 40;  ///< characters without a word that words are sought behind

/// Typographic characters and what people type for them.
struct Typed {
  std::u32string_view typographic;
  char32_t typed;
};

constexpr Typed typed[] = {{U"‘’ʼ`´", U'\''},      {U"“”„「」『』《》", U'"'},
                           {U"‐‑‒–−", U'-'},       {U"―─", U'—'},
                           {U"、", U','},          {U"【〔", U'['},
                           {U"】〕", U']'},        {U"➜➡⇒⟹⟶➔➤👉⮕", U'→'},
                           {U"✅✔☑", U'✓'},         {U"❌✘✖☒", U'✗'},
                           {U"\u2236\ufe55", U':'}};

char32_t plain(char32_t point) {
  constexpr char32_t first_wide = 0xFF01, last_wide = 0xFF5E, to_ascii = 0xFEE0;
  if (point >= first_wide && point <= last_wide) point -= to_ascii;
  for (const Typed& row : typed)
    if (row.typographic.find(point) != std::u32string_view::npos) return row.typed;
  return point;
}

/// Chosen looks of a symbol, joiners, marks of byte order: nothing to read.
bool is_invisible(char32_t point) {
  return point == 0xFE0F || point == 0x20E3 || (point >= 0x200B && point <= 0x200D) ||
         point == 0x2060 || point == 0xFEFF;
}

bool is_east_asian(char32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF);
}

bool is_one(char32_t c, std::u32string_view any) {
  return any.find(c) != std::u32string_view::npos;
}

bool ends_clause(char32_t c) {
  return is_one(c, U".,;:\n()!?。—|→");
}

bool is_plain_word(char32_t c) {
  return c != U'_' && is_word(c);
}

bool is_ascii_letter(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
}

/// What a piece of markup that starts at i stands for, and where it ends.
struct Markup {
  char32_t point;
  std::size_t end;
};

/// \boxed{ \text{ \( \, \to
std::optional<Markup> latex(std::u32string_view points, std::size_t i) {
  if (points[i] != U'\\' || i + 1 >= points.size()) return std::nullopt;
  std::size_t last = i + 1;
  while (last < points.size() && is_ascii_letter(points[last])) ++last;
  const std::u32string_view name = points.substr(i + 1, last - i - 1);
  if (name.empty()) {
    if (is_one(points[i + 1], U"()[],;! ")) return Markup{U' ', i + 2};
    return std::nullopt;
  }
  if (name.ends_with(U"arrow") || name == U"to" || name == U"implies") return Markup{U'→', last};
  if (last == points.size() || points[last] != U'{') return Markup{U' ', last};
  return Markup{name == U"boxed" || name == U"fbox" ? box : U'{', last + 1};
}

/// <b> </b> <br/>; not a comparison.
std::optional<Markup> html(std::u32string_view points, std::size_t i) {
  constexpr std::size_t longest = 12;
  if (points[i] != U'<') return std::nullopt;
  std::size_t last = i + 1;
  if (last < points.size() && points[last] == U'/') ++last;
  const std::size_t name = last;
  while (last < points.size() && last - name < longest &&
         (is_ascii_letter(points[last]) || points[last] == U'_'))
    ++last;
  if (last == name) return std::nullopt;
  while (last < points.size() && is_one(points[last], U" /")) ++last;
  if (last == points.size() || points[last] != U'>') return std::nullopt;
  constexpr std::u32string_view inline_tags[] = {U"b", U"i", U"u", U"em", U"strong", U"sup"};
  const std::u32string_view tag = points.substr(name, last - name);
  const bool in_line = std::ranges::find(inline_tags, tag) != std::end(inline_tags);
  return Markup{in_line ? U' ' : U'\n', last + 1};
}

/// [x] of a list of tasks.
std::optional<Markup> tick(std::u32string_view points, std::size_t i) {
  const std::u32string_view start = points.substr(i, 3);
  if (start == U"[x]" || start == U"[X]") return Markup{U'✓', i + 3};
  return start == U"[ ]" ? std::optional(Markup{U'✗', i + 3}) : std::nullopt;
}

std::optional<Markup> arrow(std::u32string_view points, std::size_t i) {
  const std::u32string_view start = points.substr(i, 2);
  if (start == U"->" || start == U"=>") return Markup{U'→', i + 2};
  return start == U"--" && points.substr(i, 3) == U"-->" ? std::optional(Markup{U'→', i + 3})
                                                         : std::nullopt;
}

std::optional<Markup> markup_at(std::u32string_view points, std::size_t i) {
  for (const auto read : {latex, html, tick, arrow})
    if (auto found = read(points, i)) return found;
  return std::nullopt;
}

void blank(std::string& text, std::size_t first, std::size_t last) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(first),
            text.begin() + static_cast<std::ptrdiff_t>(last), ' ');
}

/// Linear in the text, however many tags it holds.
void blank_blocks(std::string& text, const std::string& name) {
  const std::string open = "<" + name + ">", close = "</" + name + ">";
  const std::string lower = ascii_lowered(text);
  std::size_t begin = lower.find(open), end = lower.find(close), solid = 0;
  while (begin != std::string::npos || end != std::string::npos) {
    const std::size_t last = end == std::string::npos ? text.size() : end + close.size();
    blank(text, begin < last ? begin : solid, last);
    if (begin > last || begin == 0) solid = last;  // all before it is blank
    if (end != std::string::npos) end = lower.find(close, last);
    if (begin < last) begin = lower.find(open, last);
  }
}

}  // namespace

AnswerText::AnswerText(std::string_view utf8, std::size_t offset) {
  const Characters all = characters(utf8);
  const std::u32string_view points = all.points;
  for (std::size_t i = 0; i < points.size();) {
    const auto markup = markup_at(points, i);
    const std::size_t end = markup ? markup->end : i + 1;
    char32_t point = markup ? markup->point : plain(points[i]);
    if (point == U'_' && !(i > 0 && is_plain_word(points[i - 1]) && end < points.size() &&
                           is_plain_word(points[end])))
      point = U'*';  // emphasis, not part of a name
    if (!is_invisible(point)) add(point, offset + all.bytes[i], offset + all.bytes[end]);
    i = end;
  }
}

AnswerText AnswerText::from(std::size_t i) const {
  const auto skipped = static_cast<std::ptrdiff_t>(std::min(i, size()));
  AnswerText out;
  out.points_.assign(points_.begin() + skipped, points_.end());
  out.lower_.assign(lower_.begin() + skipped, lower_.end());
  out.begins_.assign(begins_.begin() + skipped, begins_.end());
  out.ends_.assign(ends_.begin() + skipped, ends_.end());
  return out;
}

void AnswerText::add(char32_t point, std::size_t begin, std::size_t end) {
  const bool space = is_space(point);
  const bool line = point == U'\n' || point == U'\r';
  if (space) point = line ? U'\n' : U' ';
  if (space && !points_.empty() && is_space(points_.back())) {
    if (line) points_.back() = lower_.back() = U'\n';
    ends_.back() = end;
    return;
  }
  if (point == U'%' && !points_.empty() && points_.back() == U' ') {  // "50 %"
    points_.back() = lower_.back() = point;
    ends_.back() = end;
    return;
  }
  points_ += point;
  lower_ += lower(point);
  begins_.push_back(begin);
  ends_.push_back(end);
}

bool AnswerText::boundary(std::size_t i) const {
  i = std::min(i, points_.size());
  return is_boundary(points_, i) || (i > 0 && is_east_asian(points_[i - 1])) ||
         (has(i) && is_east_asian(points_[i]));
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
  if (!has(i) || is_east_asian(points_[i])) return false;
  if (is_word(points_[i])) return true;
  return points_[i] == U'\'' && i > 0 && is_word(points_[i - 1]) && has(i + 1) &&
         is_word(points_[i + 1]);
}

std::u32string_view AnswerText::word(std::size_t i) const {
  std::size_t last = i;
  while (last - i < longest_sentence && in_word(last)) ++last;
  return std::u32string_view(lower_).substr(std::min(i, lower_.size()), last - i);
}

std::vector<std::u32string_view> AnswerText::words_before(std::size_t i, std::size_t most) const {
  std::vector<std::u32string_view> out;
  for (std::size_t gap = 0; i > 0 && out.size() < most && !ends_clause(points_[i - 1]);) {
    std::size_t first = i;
    while (first > 0 && i - first < longest_sentence && in_word(first - 1)) --first;
    if (first < i) out.push_back(std::u32string_view(lower_).substr(first, i - first));
    if (first == i && ++gap > longest_gap) break;
    i = first < i ? first : i - 1;
  }
  return out;
}

std::vector<std::u32string_view> AnswerText::words_after(std::size_t i, std::size_t most) const {
  std::vector<std::u32string_view> out;
  for (std::size_t gap = 0; has(i) && out.size() < most && !ends_clause(points_[i]);) {
    const std::u32string_view next = word(i);
    if (!next.empty()) out.push_back(next);
    if (next.empty() && ++gap > longest_gap) break;
    i += std::max<std::size_t>(next.size(), 1);
  }
  return out;
}

std::size_t AnswerText::skip(std::size_t i, std::u32string_view any_of) const {
  const std::size_t last = i + longest_sentence;
  while (has(i) && i < last && is_one(points_[i], any_of)) ++i;
  return i;
}

std::size_t AnswerText::skip_back(std::size_t i, std::u32string_view any_of) const {
  const std::size_t first = i - std::min(i, longest_sentence);
  while (i > first && is_one(points_[i - 1], any_of)) --i;
  return i;
}

bool AnswerText::ends_sentence(std::size_t i) const {
  if (is_one(at(i), U"\n;。!?")) return true;
  if (at(i) != U'.' || !is_one(at(i + 1), U" \n\"')*")) return false;
  return !(at(i + 1) == U' ' && ends_with(U"vs", i));
}

std::size_t AnswerText::sentence_end(std::size_t i) const {
  const std::size_t last = std::min(i + longest_sentence, size());
  while (i < last && !ends_sentence(i)) ++i;
  return i;
}

std::size_t AnswerText::sentence_start(std::size_t i) const {
  const std::size_t first = i - std::min(i, longest_sentence);
  while (i > first && !ends_sentence(i - 1)) --i;
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

std::string without_objects(std::string_view text) {
  std::string out(text);
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool command = i > 0 && ascii_lowered(text.substr(i - 1, 1)) >= "a" && text[i - 1] < '{';
    if (text[i] == '{' && (depth > 0 || !command)) ++depth;
    if (depth > 0 && text[i] == '}') {
      --depth;
      out[i] = ' ';
    }
    if (depth > 0) out[i] = ' ';
  }
  return out;
}

}  // namespace assay::qa
