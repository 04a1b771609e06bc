// SPDX-License-Identifier: Apache-2.0
/// Statements such as "The final answer is 3": a cue, what links it to a value, and the value.
#include <algorithm>
#include <array>

#include "assay/qa/answers/question.hpp"

namespace assay::qa {
namespace {

enum class Link {
  needed,    ///< "answer is 3", "answer: 3"; options may also be named later in the sentence
  optional,  ///< "ISUP grade 3", "ISUP grade: 3"; only what follows directly
};

struct Cue {
  std::u32string_view words;
  Link link;
  std::u32string_view not_after{};  ///< a word before it that makes it mean something else
};

constexpr Cue final_cues[] = {{U"final answer", Link::needed},
                              {U"final choice", Link::needed},
                              {U"final option", Link::needed}};
constexpr Cue answer_cues[] = {{U"answer", Link::needed},         {U"correct option", Link::needed},
                               {U"correct choice", Link::needed}, {U"best option", Link::needed},
                               {U"best choice", Link::needed},    {U"my choice", Link::needed},
                               {U"option number", Link::needed}};
constexpr Cue option_cues[] = {{U"option", Link::optional}, {U"answer", Link::optional},
                               {U"choice", Link::optional}, {U"choose", Link::optional},
                               {U"select", Link::optional}, {U"pick", Link::optional},
                               {U"say", Link::optional},    {U"go with", Link::optional}};
constexpr Cue isup_cues[] = {{U"isup grade group", Link::optional},
                             {U"isup grade", Link::optional},
                             {U"isup_grade", Link::optional},
                             {U"isup", Link::optional},
                             {U"grade group", Link::optional}};
constexpr Cue grade_cues[] = {{U"grade", Link::optional, U"gleason"}};

/// Cues of equal rank.
struct Statement {
  std::string_view rule;
  std::span<const Cue> cues;
};

constexpr Statement for_options[] = {
    {"final_answer", final_cues}, {"answer", answer_cues}, {"option", option_cues}};
constexpr Statement for_panda[] = {{"final_answer", final_cues},
                                   {"isup_grade", isup_cues},
                                   {"answer", answer_cues},
                                   {"grade", grade_cues}};

constexpr std::u32string_view links[] = {U"is",     U"was",  U"are",  U"be",   U"would",
                                         U"should", U"will", U"must", U"being"};
constexpr std::u32string_view fillers[] = {
    U"the",    U"option",     U"number",    U"choice", U"letter", U"clearly", U"most",
    U"likely", U"probably",   U"therefore", U"thus",   U"index",  U"isup",    U"grade",
    U"group",  U"definitely", U"of",        U"that",   U"this",   U"simply",  U"with"};
constexpr std::u32string_view decoration = U" *_\"'`([{#$\\<>\n";

template <class Words>
bool is_among(std::u32string_view word, const Words& words) {
  return std::ranges::find(words, word) != std::end(words);
}

/// Where the value of a statement may start, and whether a link led there.
struct Lead {
  std::size_t at;
  bool linked;
};

Lead behind_cue(const AnswerText& text, std::size_t i) {
  Lead lead = {i, false};
  for (;;) {
    const std::size_t k = text.skip(lead.at, decoration);
    if (text.at(k) == U':' || text.at(k) == U'=') {
      lead = {k + 1, true};
      continue;
    }
    const std::u32string_view word = text.word(k);
    if (!is_among(word, links)) return lead;
    lead = {k + word.size(), true};
  }
}

std::size_t behind_fillers(const AnswerText& text, std::size_t i) {
  for (;;) {
    const std::size_t k = text.skip(i, decoration);
    const std::u32string_view word = text.word(k);
    const bool colon = text.at(k) == U':';
    if (!colon && !is_among(word, fillers)) return k;
    i = k + (colon ? 1 : word.size());
  }
}

std::size_t end_of_sentence(const AnswerText& text, std::size_t i) {
  constexpr std::size_t longest = 500;
  const std::size_t last = std::min(i + longest, text.size());
  for (; i < last && text.at(i) != U'\n' && text.at(i) != U';'; ++i)
    if (text.at(i) == U'.' && (text.at(i + 1) == U' ' || text.at(i + 1) == U'\n')) return i;
  return i;
}

/// What a cue at [first, last) states.
Candidates stated(const AnswerText& text, std::size_t last, const Cue& cue,
                  const Question& question) {
  const Lead lead = behind_cue(text, last);
  if (cue.link == Link::needed && !lead.linked) return {};
  const std::size_t direct = text.skip(lead.at, decoration);
  if (Candidates found = values_at(text, direct, question); !found.empty()) return found;
  const std::size_t value = behind_fillers(text, lead.at);
  if (Candidates found = values_at(text, value, question); !found.empty()) return found;
  if (cue.link != Link::needed) return {};
  return named_options(text, lead.at, end_of_sentence(text, lead.at), question);
}

/// After the number or letter of "option 2 is wrong": a denial there is one of the option.
std::size_t behind_value(const AnswerText& text, std::size_t i) {
  const std::size_t value = text.skip(i, decoration);
  return text.skip(value + text.word(value).size(), U" *\"')]");
}

Candidates stated_by(const AnswerText& text, const Statement& statement, const Question& question) {
  Candidates out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto cue = std::ranges::find_if(
        statement.cues, [&](const Cue& c) { return text.starts_with(c.words, i); });
    if (cue == statement.cues.end()) continue;
    const std::size_t last = i + cue->words.size();
    const auto before = text.words_before(i, 1);
    const bool other = !before.empty() && before[0] == cue->not_after;
    Candidates found = other ? Candidates() : stated(text, last, *cue, question);
    if (cue->link == Link::needed || !is_denied(text, i, behind_value(text, last)))
      out.insert(out.end(), found.begin(), found.end());
    i = last - 1;
  }
  return out;
}

}  // namespace

std::optional<ExtractedAnswer> stated_answer(const AnswerText& text, const Question& question) {
  const std::span<const Statement> statements =
      question.panda ? std::span<const Statement>(for_panda) : for_options;
  for (const Statement& statement : statements)
    if (auto found = decided(stated_by(text, statement, question), statement.rule)) return found;
  return std::nullopt;
}

}  // namespace assay::qa
