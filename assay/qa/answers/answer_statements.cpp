// SPDX-License-Identifier: Apache-2.0
/// Statements such as "The final answer is 3": a cue, what links it to a value, and the value.
#include <algorithm>

#include "assay/base/unicode.hpp"
#include "assay/qa/answers/answer_phrases.hpp"
#include "assay/qa/answers/question.hpp"

namespace assay::qa {
namespace {

constexpr int most_words = 12;  ///< between a cue and its value
constexpr std::u32string_view decoration = U" *_\"'`([{}#$\\<>\n□";

bool is_link_sign(const AnswerText& text, std::size_t i) {
  if (std::u32string_view(U":=→—|]").find(text.at(i)) != std::u32string_view::npos) return true;
  return text.at(i) == U'-' && (text.at(i + 1) == U' ' || text.before(i) == U' ');
}

/// Where the value of a statement may start, and whether a link led there.
struct Lead {
  std::size_t at;
  bool linked;
};

/// A cue that is a line of its own, such as "## Answer", is linked to the next line.
bool is_heading(const AnswerText& text, std::size_t first, std::size_t last) {
  return text.before(text.skip_back(first, U" *_#")) == U'\n' &&
         text.at(text.skip(last, U" *_#")) == U'\n';
}

/// "ISUP grade (1-5): 3"
std::size_t behind_brackets(const AnswerText& text, std::size_t i) {
  constexpr std::size_t longest = 24;
  const std::size_t open = text.skip(i, U" ");
  if (text.at(open) != U'(') return i;
  for (std::size_t k = open; k < open + longest && text.has(k); ++k)
    if (text.at(k) == U')') {
      const std::size_t next = text.skip(k + 1, U" *_");
      const bool leads = is_link_sign(text, next) || phrase_at(text, next, phrases::links()) > 0;
      return leads ? k + 1 : i;
    }
  return i;
}

Lead behind_cue(const AnswerText& text, std::size_t first, std::size_t last) {
  Lead lead = {behind_brackets(text, last), is_heading(text, first, last)};
  for (int words = 0; words < most_words; ++words) {
    std::size_t k = text.skip(lead.at, decoration);
    k = text.skip(k + phrase_at(text, k, phrases::asides()), decoration);
    if (is_link_sign(text, k)) {
      lead = {k + 1, true};
      continue;
    }
    const std::size_t length = phrase_at(text, k, phrases::links());
    if (length == 0) return {lead.at, lead.linked || phrase_at(text, k, phrases::no_links()) > 0};
    lead = {k + length, true};
  }
  return lead;
}

std::size_t behind_fillers(const AnswerText& text, std::size_t i) {
  for (int words = 0; words < most_words; ++words) {
    const std::size_t k = text.skip(i, U" *_\"'`([{}#$\\<>\n□:,.→");
    const std::size_t length = phrase_at(text, k, phrases::fillers());
    if (length == 0) return k;
    i = k + length;
  }
  return i;
}

std::optional<std::int64_t> number_word(std::u32string_view word,
                                        std::span<const phrases::NumberWord> words) {
  const auto found = std::ranges::find(words, word, &phrases::NumberWord::word);
  return found == words.end() ? std::nullopt : std::optional(found->value);
}

/// "option three", "option III"
Candidates spelled_number(const AnswerText& text, std::size_t i, const Question& question) {
  const std::u32string_view word = text.word(i);
  if (word.empty() || question.number_words || !closes(text, i + word.size())) return {};
  auto value = number_word(word, phrases::cardinals());
  const bool capital = text.at(i) != text.low(i);
  if (!value && capital && (word.size() > 1 || question.panda))
    value = number_word(word, phrases::romans());
  if (!value) return {};
  Candidate out = numbered(*value, question, text.span(i, i + word.size()));
  out.at = i;
  return {out};
}

Candidates value_behind(const AnswerText& text, std::size_t i, Follow follow,
                        const Question& question) {
  if (const auto number = number_at(text, i, question);
      number && (follow == Follow::sentence || follow == Follow::alone) &&
      !closes(text, number->end))
    return {};
  Candidates found = values_at(text, i, question);
  if (follow == Follow::sentence || follow == Follow::alone)
    std::erase_if(found, [&](const Candidate& each) {
      return stance_on(text, each.at, each.end, question) == Stance::denied;
    });
  return found.empty() ? spelled_number(text, i, question) : found;
}

/// "AではなくB": what comes behind the denial.
Candidates denied_value(const AnswerText& text, std::size_t i, Follow follow,
                        const Question& question) {
  constexpr std::u32string_view denials[] = {U"ではなく", U"じゃなく", U"ではなくて"};
  const auto value = value_at(text, i, question);
  if (!value) return {};
  const std::size_t k = text.skip(value->end, U" \"')");
  const std::size_t length = phrase_at(text, k, denials);
  if (length == 0) return {};
  return value_behind(text, behind_fillers(text, k + length), follow, question);
}

/// "is not A but B": what comes behind "but".
Candidates contrasted(const AnswerText& text, std::size_t i, Follow, const Question& question) {
  if (phrase_at(text, i, phrases::negators()) == 0) return {};
  const std::size_t last = text.sentence_end(i);
  for (std::size_t k = i; k < last; ++k)
    if (const std::size_t length = phrase_at(text, k, phrases::contrasts()))
      return value_behind(text, behind_fillers(text, k + length), Follow::linked, question);
  return {};
}

/// What a cue states that leads there.
Candidates stated(const AnswerText& text, const Lead& lead, Follow follow,
                  const Question& question) {
  if (follow == Follow::linked && !lead.linked) return {};
  const std::size_t direct = text.skip(lead.at, decoration);
  const std::size_t value = behind_fillers(text, lead.at);
  for (const std::size_t at : {direct, value})
    for (const auto read : {denied_value, value_behind, contrasted})
      if (Candidates found = read(text, at, follow, question); !found.empty()) return found;
  if (follow == Follow::directly || follow == Follow::alone) return {};
  return named_options(text, direct, text.sentence_end(direct), question);
}

/// "3 is the correct answer", where the cue starts at i.
Candidates stated_before(const AnswerText& text, std::size_t i, const Question& question) {
  const std::size_t last = text.skip_back(i, U" *_\"')]}`$番号项項");
  std::optional<ReadValue> value = option_before(text, last, question);
  if (!value) {
    constexpr std::size_t longest = 3;
    std::size_t first = last;
    while (first > 0 && last - first < longest && (first == last || !text.boundary(first))) --first;
    value = number_at(text, first, question);
    if (!value) value = letter_at(text, first, question);
    if (value && value->end != last) value.reset();
  }
  if (!value) return {};
  const std::size_t at = value->candidate.at;
  if (stance_on(text, at, last, question) == Stance::denied) return {};
  return {value->candidate};
}

/// "the third option"
Candidates ordinal_at(const AnswerText& text, std::size_t i, const Question& question) {
  constexpr std::u32string_view nouns[] = {U"option", U"choice", U"answer", U"alternative"};
  if (!text.boundary(i)) return {};
  const std::u32string_view word = text.word(i);
  const auto value = word.empty() ? std::nullopt : number_word(word, phrases::ordinals());
  if (!value) return {};
  const std::size_t noun = text.skip(i + word.size(), U" ");
  const std::size_t length = phrase_at(text, noun, nouns);
  if (length == 0) return {};
  if (stance_on(text, i, noun + length, question) == Stance::denied) return {};
  Candidate out = numbered(*value, question, text.span(i, i + word.size()));
  out.at = i;
  return {out};
}

/// After the number or letter of "option 2 is wrong": a denial there is one of the option.
std::size_t behind_value(const AnswerText& text, std::size_t i) {
  const std::size_t value = text.skip(i, decoration);
  return text.skip(value + text.word(value).size(), U" *\"')]");
}

/// The cue that starts at i, the longest of several.
const Cue* cue_at(const AnswerText& text, std::size_t i, const Statement& statement) {
  const Cue* best = nullptr;
  for (const Cue& cue : statement.cues)
    if (cue.words.front() == text.low(i) &&
        (best == nullptr || cue.words.size() > best->words.size()) &&
        text.starts_with(cue.words, i))
      best = &cue;
  return best;
}

bool is_refused(const AnswerText& text, std::size_t first, std::size_t last, const Cue& cue,
                const Question& question) {
  const auto before = text.words_before(first, 1);
  if (!before.empty() && before[0] == cue.not_after) return true;
  if (text.in_question(first)) return true;
  const std::size_t end = cue.follow == Follow::directly ? behind_value(text, last) : first;
  return stance_on(text, first, end, question) == Stance::denied;
}

void add_statement(const AnswerText& text, const Statement& statement, const Question& question,
                   Candidates& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Cue* cue = cue_at(text, i, statement);
    if (cue == nullptr) continue;
    const std::size_t last = i + cue->words.size();
    const Lead lead = behind_cue(text, i, last);
    Candidates found;
    if (cue->follow == Follow::before)
      found = stated_before(text, i, question);
    else if (!is_refused(text, i, last, *cue, question))
      found = stated(text, lead, cue->follow, question);
    for (Candidate& each : found) {
      each.rule = statement.rule;
      out.push_back(each);
    }
    // Up to the value there can only be cues to the same value.
    i = (cue->follow == Follow::before ? last : std::max(last, lead.at)) - 1;
  }
}

std::optional<ExtractedAnswer> by_rank(const AnswerText& text,
                                       std::span<const Statement> statements,
                                       const Question& question) {
  Candidates found;
  for (const Statement& statement : statements) add_statement(text, statement, question, found);
  std::ranges::stable_sort(found, {}, &Candidate::at);
  return settled(text, found, found.empty() ? "" : found.front().rule);
}

}  // namespace

std::optional<ExtractedAnswer> final_statement(const AnswerText& text, const Question& question) {
  return by_rank(text, phrases::final_answers(), question);
}

std::optional<ExtractedAnswer> answer_statement(const AnswerText& text, const Question& question) {
  if (question.panda)
    if (auto found = by_rank(text, phrases::isup_grades(), question)) return found;
  return by_rank(text, phrases::answers(), question);
}

std::optional<ExtractedAnswer> grade_statement(const AnswerText& text, const Question& question) {
  return question.panda ? by_rank(text, phrases::grades(), question) : std::nullopt;
}

std::optional<ExtractedAnswer> choice_statement(const AnswerText& text, const Question& question) {
  if (question.panda) return std::nullopt;
  Candidates found;
  for (const Statement& statement : phrases::choices())
    add_statement(text, statement, question, found);
  for (std::size_t i = 0; i < text.size(); ++i)
    for (Candidate& each : ordinal_at(text, i, question)) {
      each.rule = "option";
      found.push_back(each);
    }
  std::ranges::stable_sort(found, {}, &Candidate::at);
  return settled(text, found, found.empty() ? "" : found.front().rule);
}

std::optional<ExtractedAnswer> finding_statement(const AnswerText& text, const Question& question) {
  return question.panda ? std::nullopt : by_rank(text, phrases::findings(), question);
}

}  // namespace assay::qa
