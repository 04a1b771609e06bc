// SPDX-License-Identifier: Apache-2.0
/// Answers in words, by rules from the firmest to the weakest: a statement, a lone token, a
/// numbered option, a letter set apart, the text of an option.
#include <algorithm>
#include <array>

#include "assay/base/unicode.hpp"
#include "assay/qa/answers/question.hpp"

namespace assay::qa {
namespace {

constexpr std::u32string_view wrapping = U" \n*_\"'`()[]{}<>#.,:;!$\\";

using Found = std::optional<ExtractedAnswer>;

bool wraps(char32_t c) {
  return wrapping.find(c) != std::u32string_view::npos;
}

/// [first, last) without what only surrounds a token.
std::pair<std::size_t, std::size_t> unwrapped(const AnswerText& text, std::size_t first,
                                              std::size_t last) {
  while (first < last && wraps(text.at(first))) ++first;
  while (last > first && wraps(text.at(last - 1))) --last;
  return {first, last};
}

std::size_t start_of_last_line(const AnswerText& text) {
  std::size_t last = text.size();
  while (last > 0 && wraps(text.at(last - 1))) --last;
  while (last > 0 && text.at(last - 1) != U'\n') --last;
  return last;
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

/// The whole answer, or its last line, is a number or a letter.
Found lone_token(const AnswerText& text, const Question& question) {
  for (const std::size_t begin : {std::size_t{0}, start_of_last_line(text)})
    if (const auto found = lone(text, begin, text.size(), question))
      return decided({*found}, "lone_token");
  return std::nullopt;
}

/// The whole answer, or its last line, starts like the list in the prompt: "3. Lung". Number and
/// text must agree.
Found numbered_option(const AnswerText& text, const Question& question) {
  for (const std::size_t begin : {std::size_t{0}, start_of_last_line(text)}) {
    const Candidates found = values_at(text, text.skip(begin, U" *_\"'(["), question);
    if (found.size() > 1) return decided(found, "numbered_option");
  }
  return std::nullopt;
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
    if (value && !is_denied(text, i, i + 1)) found.push_back(value->candidate);
  }
  return decided(found, "letter");
}

Found option_text(const AnswerText& text, const Question& question) {
  return decided(named_options(text, 0, text.size(), question), "option_text");
}

/// Where there is nothing to choose from, the only number of an answer is the answer.
Found only_number(const AnswerText& text, const Question& question) {
  if (question.panda || !question.options.empty()) return std::nullopt;
  Candidates found;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (const auto number = number_at(text, i, question)) found.push_back(number->candidate);
  return decided(found, "only_number");
}

constexpr std::array<Found (*)(const AnswerText&, const Question&), 6> rules = {
    stated_answer, lone_token, numbered_option, letter, option_text, only_number};

}  // namespace

ExtractedAnswer plain_answer(const AnswerText& text, const Question& question) {
  for (const auto rule : rules)
    if (auto found = rule(text, question)) return *found;
  return {.label = {}, .raw = {}, .rule = "none"};
}

}  // namespace assay::qa
