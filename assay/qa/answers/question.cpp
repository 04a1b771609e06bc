// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/answers/question.hpp"

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/qa/values/options.hpp"

namespace assay::qa {
namespace {

/// An answer may leave out the full stop of an option.
std::u32string without_full_stop(std::u32string text) {
  if (text.ends_with(U'.')) text.pop_back();
  return text;
}

}  // namespace

Question::Question(std::string_view benchmark, std::span<const std::string> texts)
    : panda(is_panda(benchmark)), range(label_range(benchmark, texts.size())) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::u32string lower = without_full_stop(normalised(texts[i]));
    if (!lower.empty())
      options.push_back({static_cast<std::int64_t>(i) + 1, lower, is_numeric_option(texts[i])});
  }
}

std::optional<ExtractedAnswer> decided(const Candidates& candidates, std::string_view rule) {
  if (candidates.empty()) return std::nullopt;
  const Candidate& last = candidates.back();
  const bool agree = std::ranges::all_of(candidates, [&](const Candidate& c) {
    return c.label == last.label && c.out_of_range == last.out_of_range;
  });
  ExtractedAnswer out = {.label = {}, .raw = {}, .rule = std::string(rule), .span = last.span};
  if (!agree)
    out.rule = "contradiction";
  else if (!last.label)
    out.rule = last.out_of_range ? "out_of_range" : "unreadable";
  else
    out.label = last.label;
  return out;
}

Candidate numbered(std::int64_t value, const Question& question,
                   std::pair<std::size_t, std::size_t> span) {
  if (question.range.contains(value)) return {value, span};
  const std::string digits = std::to_string(value);
  const auto option = std::ranges::find_if(question.options, [&](const OptionText& o) {
    return o.numeric && o.lower == std::u32string(digits.begin(), digits.end());
  });
  if (option != question.options.end()) return {option->label, span};
  return {.label = {}, .span = span, .out_of_range = true};
}

std::optional<ReadValue> number_at(const AnswerText& text, std::size_t i,
                                   const Question& question) {
  constexpr std::size_t longest = 18;  // so that it fits 64 bits
  std::size_t last = i;
  std::int64_t value = 0;
  for (; last - i < longest && text.at(last) >= U'0' && text.at(last) <= U'9'; ++last)
    value = value * 10 + static_cast<std::int64_t>(text.at(last) - U'0');
  const auto is_digit = [&](std::size_t k) { return text.at(k) >= U'0' && text.at(k) <= U'9'; };
  const auto one_of = [&](std::size_t k, std::u32string_view any) {
    return any.find(text.at(k)) != std::u32string_view::npos;
  };
  if (last == i || !text.boundary(i) || !text.boundary(last)) return std::nullopt;
  if (one_of(last, U".,-+/=:") && is_digit(last + 1)) return std::nullopt;
  if (i > 0 && one_of(i - 1, U".,-+/=<>:") && i > 1 && is_digit(i - 2)) return std::nullopt;
  if (i > 0 && one_of(i - 1, U"-+<>.")) return std::nullopt;
  if (one_of(text.skip(last, U" "), U"%+=")) return std::nullopt;
  return ReadValue{numbered(value, question, text.span(i, last)), last};
}

std::optional<ReadValue> letter_at(const AnswerText& text, std::size_t i,
                                   const Question& question) {
  if (question.panda || question.options.empty() || !text.has(i)) return std::nullopt;
  const char32_t letter = text.low(i);
  const auto label = static_cast<std::int64_t>(letter) - U'a' + 1;
  if (letter < U'a' || letter > U'z' || !question.range.contains(label)) return std::nullopt;
  if (!text.boundary(i) || !text.boundary(i + 1)) return std::nullopt;
  const char32_t next = text.at(i + 1);
  const bool joined =
      (next == U'\'' || next == U'-' || next == U'.' || next == U'+') && is_word(text.at(i + 2));
  if (joined || next == U'+') return std::nullopt;
  if (next == U' ') {  // a word follows: only one that comments on a choice
    static constexpr std::u32string_view comments[] = {
        U"because", U"since", U"as", U"is", U"based", U"due", U"given", U"which", U"or", U"and"};
    const std::size_t k = text.skip(i + 1, U" ");
    const bool sign = std::u32string_view(U"-(&/=\n").find(text.at(k)) != std::u32string_view::npos;
    if (!sign && std::ranges::find(comments, text.word(k)) == std::end(comments))
      return std::nullopt;
  }
  return ReadValue{{label, text.span(i, i + 1)}, i + 1};
}

std::optional<ReadValue> option_at(const AnswerText& text, std::size_t i,
                                   const Question& question) {
  const OptionText* best = nullptr;
  for (const OptionText& option : question.options)
    if (!option.numeric && (best == nullptr || option.lower.size() > best->lower.size()) &&
        text.starts_with(option.lower, i))
      best = &option;
  if (best == nullptr) return std::nullopt;
  const std::size_t last = i + best->lower.size();
  return ReadValue{{best->label, text.span(i, last)}, last};
}

Candidates values_at(const AnswerText& text, std::size_t i, const Question& question) {
  if (const auto option = option_at(text, i, question)) {
    // The article "a" is not the option "A".
    if (option->end - i > 1 || letter_at(text, i, question)) return {option->candidate};
    return {};
  }
  auto value = number_at(text, i, question);
  if (!value) value = letter_at(text, i, question);
  if (!value) return {};
  Candidates out = {value->candidate};
  const std::size_t beside = text.skip(value->end, U" .):]*\"'-(");
  if (beside > value->end)
    if (const auto named = option_at(text, beside, question); named && named->end > beside + 1)
      out.push_back(named->candidate);
  std::size_t other = text.skip(value->end, U" )*\"'");
  const std::u32string_view word = text.word(other);
  if (word == U"or" || word == U"and")
    other = text.skip(other + word.size(), U" (*\"'");
  else if (text.at(other) == U'/' || text.at(other) == U'&')
    other = text.skip(other + 1, U" (*\"'");
  else
    return out;
  if (text.word(other) == U"option") other = text.skip(other + 6, U" (*\"'");
  auto second = number_at(text, other, question);
  if (!second) second = letter_at(text, other, question);
  if (second) out.push_back(second->candidate);
  return out;
}

}  // namespace assay::qa
