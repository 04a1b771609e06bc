// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/answers/question.hpp"

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/qa/answers/answer_phrases.hpp"
#include "assay/qa/values/options.hpp"

namespace assay::qa {
namespace {

/// An answer may leave out the full stop of an option.
std::u32string without_full_stop(std::u32string text) {
  if (text.ends_with(U'.')) text.pop_back();
  return text;
}

std::u32string without_blanks(std::u32string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::u32string(text);
}

/// "Grade 2: Moderate" has the parts "grade 2" and "moderate", "Poor (G3)" has "poor" and "g3".
std::vector<std::u32string> parts_of(const std::u32string& option) {
  for (const std::u32string_view mark : {U": ", U" - ", U" ("}) {
    const std::size_t at = option.find(mark);
    if (at == std::u32string::npos) continue;
    std::u32string rest = option.substr(at + mark.size());
    if (rest.ends_with(U')')) rest.pop_back();
    return {without_blanks(std::u32string_view(option).substr(0, at)), without_blanks(rest)};
  }
  return {};
}

bool holds_number_word(std::u32string_view option) {
  return std::ranges::any_of(phrases::cardinals(), [&](const phrases::NumberWord& number) {
    return option == number.word || option.ends_with(U" " + std::u32string(number.word));
  });
}

void add_parts(std::vector<OptionText>& options) {
  std::vector<OptionText> parts;
  for (const OptionText& option : options)
    for (std::u32string& part : parts_of(option.lower))
      if (part.size() > 1) parts.push_back({option.label, std::move(part)});
  const std::size_t whole = options.size();
  for (const OptionText& part : parts) {
    const auto same = [&](const OptionText& o) { return o.lower == part.lower; };
    const auto among = std::ranges::count_if(parts, same);
    const auto first = options.begin(), last = first + static_cast<std::ptrdiff_t>(whole);
    if (among == 1 && std::none_of(first, last, same)) options.push_back(part);
  }
}

}  // namespace

Question::Question(std::string_view benchmark, std::span<const std::string> texts)
    : panda(is_panda(benchmark)), range(label_range(benchmark, texts.size())) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::u32string lower = without_full_stop(normalised(texts[i]));
    if (lower.empty()) continue;
    options.push_back({static_cast<std::int64_t>(i) + 1, lower, is_numeric_option(texts[i]),
                       phrases::has(phrases::level_words(), lower)});
    number_words = number_words || holds_number_word(lower);
  }
  add_parts(options);
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

namespace {

bool is_one_of(char32_t c, std::u32string_view any) {
  return any.find(c) != std::u32string_view::npos;
}

Candidate placed(Candidate candidate, std::size_t first, std::size_t last) {
  candidate.at = first;
  candidate.end = last;
  return candidate;
}

bool is_digit(char32_t c) {
  return c >= U'0' && c <= U'9';
}

/// Whether the sentence of a candidate concludes.
bool concludes(const AnswerText& text, std::size_t at) {
  for (std::size_t i = text.sentence_start(at); i < at; ++i)
    if (phrase_at(text, i, phrases::conclusions()) > 0) return true;
  return false;
}

bool chooses(const Question& question) {
  return question.panda || !question.options.empty();
}

/// "grade group 4" of "grade group 4 of 5".
bool is_graded(const AnswerText& text, std::size_t i) {
  constexpr std::u32string_view nouns[] = {U"grade", U"group", U"isup",   U"gg",
                                           U"class", U"stage", U"option", U"number"};
  while (is_digit(text.before(i))) --i;
  const auto before = text.words_before(i, 1);
  return !before.empty() && phrases::has(nouns, before[0]);
}

/// Whether a number that ends at i counts or measures something, or is part of a larger one.
bool measures(const AnswerText& text, std::size_t i, const Question& question) {
  if (is_one_of(text.at(i), U".,-+/=:") && is_digit(text.at(i + 1))) return true;
  const std::size_t k = text.skip(i, U" ");
  if (is_one_of(text.at(k), U"%+=×°<>≤≥")) return true;
  if (text.at(k) == U'-' && text.at(k + 1) != U' ' && is_word(text.at(k + 1))) return true;
  const std::size_t dash = text.at(k) == U'-' ? text.skip(k + 1, U" ") : k;
  if (dash > k && is_digit(text.at(dash))) return true;
  if (!chooses(question) || k == i || !phrases::has(phrases::units(), text.word(k))) return false;
  return !(text.word(k) == U"of" || text.word(k) == U"out") || !is_graded(text, i);
}

/// "5" of "4 of 5" or "4 out of 5".
bool is_total(const AnswerText& text, std::size_t i) {
  std::size_t k = text.skip_back(i, U" ");
  if (!text.ends_with(U"of", k)) return false;
  k = text.skip_back(k - 2, U" ");
  if (text.ends_with(U"out", k)) k = text.skip_back(k - 3, U" ");
  return is_digit(text.before(k));
}

bool continues_number(const AnswerText& text, std::size_t i) {
  if (i == 0) return false;
  if (is_one_of(text.at(i - 1), U".,-+/=<>:") && i > 1 && is_digit(text.at(i - 2))) return true;
  return is_one_of(text.at(i - 1), U"-+<>≤≥.±~");
}

std::optional<ReadValue> circled_number(const AnswerText& text, std::size_t i,
                                        const Question& question) {
  constexpr char32_t first = U'①', last = U'⑳';
  if (text.at(i) < first || text.at(i) > last) return std::nullopt;
  const auto value = static_cast<std::int64_t>(text.at(i) - first) + 1;
  return ReadValue{placed(numbered(value, question, text.span(i, i + 1)), i, i + 1), i + 1};
}

/// Behind "or", "and", "/": where a second value may be.
std::optional<std::size_t> behind_or(const AnswerText& text, std::size_t i) {
  constexpr std::u32string_view joins[] = {U"or", U"and",    U"and/or", U"oder", U"und",
                                           U"ou", U"o",      U"vs",     U"或",   U"和",
                                           U"と", U"または", U"to"};
  constexpr std::u32string_view before_second[] = {U"option", U"possibly", U"maybe", U"perhaps",
                                                   U"the",    U"number",   U"even"};
  std::size_t k = text.skip(i, U" )*\"'],");
  if (const std::size_t length = phrase_at(text, k, joins))
    k += length;
  else if (is_one_of(text.at(k), U"/&"))
    ++k;
  else
    return std::nullopt;
  k = text.skip(k, U" (*\"'.[");
  while (const std::size_t length = phrase_at(text, k, before_second))
    k = text.skip(k + length, U" (*\"'[");
  return k;
}

}  // namespace

std::optional<ExtractedAnswer> settled(const AnswerText& text, const Candidates& candidates,
                                       std::string_view rule) {
  auto out = decided(candidates, rule);
  if (!out || out->rule != "contradiction") return out;
  Candidates concluding;
  for (const Candidate& each : candidates)
    if (concludes(text, each.at)) concluding.push_back(each);
  const auto last = decided(concluding, rule);
  return last && last->label ? last : out;
}

std::size_t phrase_at(const AnswerText& text, std::size_t i,
                      std::span<const std::u32string_view> phrases) {
  std::size_t longest = 0;
  for (const std::u32string_view phrase : phrases)
    if (phrase.size() > longest && phrase.front() == text.low(i) && text.starts_with(phrase, i))
      longest = phrase.size();
  return longest;
}

std::optional<ReadValue> value_at(const AnswerText& text, std::size_t i, const Question& question) {
  if (auto option = option_at(text, i, question)) return option;
  if (auto number = number_at(text, i, question)) return number;
  return letter_at(text, i, question);
}

bool closes(const AnswerText& text, std::size_t i) {
  const std::size_t k = text.skip(i, U" *_\"')]}`$");
  if (!text.has(k) || is_one_of(text.at(k), U"\n.,;:!?—(-[|→&/✓番项項号で")) return true;
  return phrases::has(phrases::comments(), text.word(k));
}

std::optional<ReadValue> number_at(const AnswerText& text, std::size_t i,
                                   const Question& question) {
  constexpr std::size_t longest = 18;  // so that it fits 64 bits
  if (auto circled = circled_number(text, i, question)) return circled;
  std::size_t last = i;
  std::int64_t value = 0;
  for (; last - i < longest && is_digit(text.at(last)); ++last)
    value = value * 10 + static_cast<std::int64_t>(text.at(last) - U'0');
  if (last == i || !text.boundary(i) || !text.boundary(last)) return std::nullopt;
  if (continues_number(text, i) || measures(text, last, question)) return std::nullopt;
  if (chooses(question) && is_total(text, i)) return std::nullopt;
  return ReadValue{placed(numbered(value, question, text.span(i, last)), i, last), last};
}

std::optional<ReadValue> letter_at(const AnswerText& text, std::size_t i,
                                   const Question& question) {
  if (question.panda || question.options.empty() || !text.has(i)) return std::nullopt;
  const char32_t letter = text.low(i);
  const auto label = static_cast<std::int64_t>(letter) - U'a' + 1;
  if (letter < U'a' || letter > U'z' || !question.range.contains(label)) return std::nullopt;
  if (!text.boundary(i) || !text.boundary(i + 1)) return std::nullopt;
  const char32_t next = text.at(i + 1);
  const bool joined = is_one_of(next, U"'-.+") && is_word(text.at(i + 2));
  if (joined || next == U'+') return std::nullopt;
  if (next == U' ' || (next == U'.' && text.at(i + 2) == U' ')) {
    // A word follows: only the option's own, or behind a blank one that comments on a choice.
    const std::size_t k = text.skip(i + 1, U" .");
    const auto option = option_at(text, k, question);
    const bool own = option && option->candidate.label == label;
    const bool lower_case = text.at(k) == text.low(k) && is_word(text.at(k));
    const std::u32string_view word = text.word(k);
    const bool comment =
        word.empty() ? !is_one_of(text.at(k), U"+%") : phrases::has(phrases::comments(), word);
    if (!own && (next == U' ' ? !comment : lower_case && !comment)) return std::nullopt;
  }
  return ReadValue{placed({label, text.span(i, i + 1)}, i, i + 1), i + 1};
}

std::optional<ReadValue> option_at(const AnswerText& text, std::size_t i,
                                   const Question& question) {
  const OptionText* best = nullptr;
  for (const OptionText& option : question.options)
    if (!option.numeric && (best == nullptr || option.lower.size() > best->lower.size()) &&
        option.lower.front() == text.low(i) && text.starts_with(option.lower, i))
      best = &option;
  if (best == nullptr) return std::nullopt;
  const std::size_t last = i + best->lower.size();
  const std::size_t next = text.skip(last, U" -");
  if (best->level && phrases::has(phrases::optics(), text.word(next))) return std::nullopt;
  return ReadValue{placed({best->label, text.span(i, last)}, i, last), last};
}

std::optional<ReadValue> option_before(const AnswerText& text, std::size_t i,
                                       const Question& question) {
  std::optional<ReadValue> best;
  for (const OptionText& option : question.options) {
    if (option.lower.size() < 2 || !text.ends_with(option.lower, i)) continue;
    const auto found = option_at(text, i - option.lower.size(), question);
    if (found && found->end == i && (!best || found->candidate.at < best->candidate.at))
      best = found;
  }
  return best;
}

Candidates values_at(const AnswerText& text, std::size_t i, const Question& question) {
  auto value = option_at(text, i, question);
  // The article "a" is not the option "A".
  if (value && value->end - i == 1 && !letter_at(text, i, question)) return {};
  const bool option = value.has_value();
  if (!option) value = number_at(text, i, question);
  if (!value) value = letter_at(text, i, question);
  if (!value) return {};
  Candidates out = {value->candidate};
  std::size_t end = value->end;
  const std::size_t beside = text.skip(end, U" .):]*\"'-(}—[,");
  if (!option && beside > end)
    if (const auto named = option_at(text, beside, question); named && named->end > beside + 1) {
      out.push_back(named->candidate);
      end = named->end;
    }
  if (const auto other = behind_or(text, end))
    if (const auto second = value_at(text, *other, question)) out.push_back(second->candidate);
  return out;
}

}  // namespace assay::qa
