// SPDX-License-Identifier: Apache-2.0
/// Answers in words, by rules from the firmest to the weakest: a statement, a lone token, a
/// numbered option, a choice, a letter set apart, the text of an option.
#include <algorithm>
#include <array>

#include "assay/base/unicode.hpp"
#include "assay/qa/answers/answer_phrases.hpp"
#include "assay/qa/answers/question.hpp"

namespace assay::qa {
namespace {

constexpr std::u32string_view wrapping = U" \n*_\"'`()[]{}<>#.,:;!$\\□→✓。|-•·‣▪●◦";

using Found = std::optional<ExtractedAnswer>;

bool wraps(char32_t c) {
  return wrapping.find(c) != std::u32string_view::npos;
}

/// [first, last) without what only surrounds a token.
std::pair<std::size_t, std::size_t> unwrapped(const AnswerText& text, std::size_t first,
                                              std::size_t last) {
  while (first < last && wraps(text.at(first)) &&
         !(text.at(first) == U'-' && first + 1 < last && text.at(first + 1) != U' '))
    ++first;
  while (last > first && wraps(text.at(last - 1))) --last;
  return {first, last};
}

std::size_t start_of_last_line(const AnswerText& text) {
  std::size_t last = text.size();
  while (last > 0 && wraps(text.at(last - 1))) --last;
  while (last > 0 && text.at(last - 1) != U'\n') --last;
  return last;
}

std::size_t end_of_first_line(const AnswerText& text) {
  std::size_t first = 0;
  while (first < text.size() && wraps(text.at(first))) ++first;
  while (first < text.size() && text.at(first) != U'\n') ++first;
  return first;
}

std::optional<Candidate> lone(const AnswerText& text, std::size_t begin, std::size_t end,
                              const Question& question) {
  const auto [first, last] = unwrapped(text, begin, end);
  if (const auto number = number_at(text, first, question); number && number->end == last)
    return number->candidate;
  const auto letter = letter_at(text, first, question);
  if (letter && letter->end == last) return letter->candidate;
  return std::nullopt;
}

/// The whole answer, or its first or last line, is a number or a letter.
Found lone_token(const AnswerText& text, const Question& question) {
  if (const auto whole = lone(text, 0, text.size(), question))
    return decided({*whole}, "lone_token");
  Candidates found;
  if (const auto first = lone(text, 0, end_of_first_line(text), question)) found.push_back(*first);
  if (const auto last = lone(text, start_of_last_line(text), text.size(), question))
    found.push_back(*last);
  return decided(found, "lone_token");
}

/// Lines that start like the list in the prompt: "3. Lung". Number and text must agree. If the
/// answer goes through several options, this is not the rule that knows which it means.
Found numbered_option(const AnswerText& text, const Question& question) {
  Candidates all;
  bool clash = false;
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t begin = text.skip(line, U" *_\"'([#✓");
    const Candidates found = values_at(text, begin, question);
    const bool numbered =
        found.size() > 1 && (number_at(text, begin, question) || letter_at(text, begin, question));
    const bool denied = std::ranges::any_of(found, [&](const Candidate& each) {
      return stance_on(text, each.at, each.end, question) == Stance::denied;
    });
    if (numbered && !denied) {
      clash = clash || found[0].label != found[1].label;
      all.insert(all.end(), found.begin(), found.end());
    }
    while (line < text.size() && text.at(line) != U'\n') ++line;
    ++line;
  }
  Found out = decided(all, "numbered_option");
  return out && (out->label || clash) ? out : std::nullopt;
}

/// "14 because ...", "B - ducts and lobules", at the start of the answer.
Found leading_token(const AnswerText& text, const Question& question) {
  const std::size_t first = text.skip(0, U" *_\"'([#");
  if (text.at(first) == U'I' && first == 0) return std::nullopt;
  auto value = number_at(text, first, question);
  if (!value) value = letter_at(text, first, question);
  if (!value) return std::nullopt;
  const std::size_t next = text.skip(value->end, U" *_\"')]");
  const bool dash = text.at(next) == U'—' || (text.at(next) == U'-' && text.at(next + 1) == U' ');
  const bool comma = text.at(next) == U',';
  constexpr std::u32string_view reasons[] = {U"because", U"since", U"as",
                                             U"based",   U"due",   U"given"};
  if (!dash && !comma && !phrases::has(reasons, text.word(next))) return std::nullopt;
  const std::size_t rest = text.skip(next, U" ,-—(");
  if (number_at(text, rest, question) || letter_at(text, rest, question)) return std::nullopt;
  return decided({value->candidate}, "leading_token");
}

/// (C), [C], "C", *C*; at the start of a line also C) C. C:, at its end also ": C".
bool is_set_apart(const AnswerText& text, std::size_t i) {
  const auto is = [](std::u32string_view any, char32_t c) {
    return any.find(c) != std::u32string_view::npos;
  };
  const char32_t before = text.before(i), after = text.at(i + 1);
  if (is(U"([*\"'", before) && is(U")]*\"':.", after)) return true;
  const bool opens = before == U'\n' || (before == U' ' && text.before(i - 1) == U'\n');
  if (opens && is(U").:", after) && is(U" \n", text.at(i + 2))) return true;
  const bool behind_colon = before == U' ' && text.before(i - 1) == U':';
  return behind_colon && (after == U'\n' || (after == U'.' && text.at(i + 2) == U'\n'));
}

Found letter(const AnswerText& text, const Question& question) {
  Candidates found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.at(i) < U'A' || text.at(i) > U'Z' || !is_set_apart(text, i)) continue;
    const auto value = letter_at(text, i, question);
    if (value && stance_on(text, i, i + 1, question) != Stance::denied)
      found.push_back(value->candidate);
  }
  return settled(text, found, "letter");
}

/// Several options that are named may be told apart by what leads to one: "consistent with".
Found option_text(const AnswerText& text, const Question& question) {
  Found named = settled(text, named_options(text, 0, text.size(), question), "option_text");
  if (!named || named->label) return named;
  const Found finding = finding_statement(text, question);
  return finding && finding->label ? finding : named;
}

Found spelling(const AnswerText& text, const Question& question) {
  return settled(text, respelled_options(text, question), "spelling");
}

/// Where there is nothing to choose from, the only number of an answer is the answer.
Found only_number(const AnswerText& text, const Question& question) {
  if (question.panda || !question.options.empty()) return std::nullopt;
  Candidates found;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (const auto number = number_at(text, i, question)) found.push_back(number->candidate);
  return decided(found, "only_number");
}

constexpr std::array<Found (*)(const AnswerText&, const Question&), 12> plain_rules = {
    final_statement, answer_statement, grade_statement,   lone_token,
    numbered_option, leading_token,    choice_statement,  letter,
    option_text,     spelling,         finding_statement, only_number};

ExtractedAnswer by_rules(const AnswerText& text, const Question& question) {
  for (const auto rule : plain_rules)
    if (auto found = rule(text, question)) return *found;
  return {.label = {}, .raw = {}, .rule = "none"};
}

/// Behind the last words that take back what was said before them; the end if there are none.
std::size_t behind_correction(const AnswerText& text) {
  for (std::size_t i = text.size(); i-- > 1;) {
    if (!text.boundary(i)) continue;
    const std::size_t length = phrase_at(text, i, phrases::corrections());
    if (length == 0) continue;
    const char32_t before = text.before(text.skip_back(i, U" *_\"'("));
    const bool opens = std::u32string_view(U".!?;\n—…。").find(before) != std::u32string_view::npos;
    const bool waits = before == U',' && (text.low(i) == U'w' || text.low(i) == U'n');
    if (opens || waits) return i + length;
  }
  return text.size();
}

}  // namespace

ExtractedAnswer plain_answer(const AnswerText& text, const Question& question) {
  const std::size_t corrected = behind_correction(text);
  if (corrected < text.size()) {
    const AnswerText rest = text.from(corrected);
    ExtractedAnswer found = by_rules(rest, question);
    constexpr std::u32string_view taken_back[] = {U"no", U"wrong", U"incorrect", U"not"};
    const auto first = rest.words_after(rest.skip(0, U" ,.:-!\n"), 1);
    if (found.rule != "none" || (!first.empty() && phrases::has(taken_back, first[0])))
      return found;
  }
  return by_rules(text, question);
}

}  // namespace assay::qa
