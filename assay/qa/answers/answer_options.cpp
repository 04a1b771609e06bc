// SPDX-License-Identifier: Apache-2.0
/// Options named in prose. A name inside a longer one does not count ("Lung" in "Lung squamous cell
/// carcinoma"), nor does one that the words around it deny.
#include <algorithm>

#include "assay/base/unicode.hpp"
#include "assay/qa/answers/question.hpp"

namespace assay::qa {
namespace {

constexpr std::u32string_view deny_before[] = {
    U"not",      U"no",       U"never",   U"neither", U"nor",       U"without",
    U"cannot",   U"can't",    U"isn't",   U"wasn't",  U"aren't",    U"doesn't",
    U"don't",    U"didn't",   U"won't",   U"exclude", U"excludes",  U"excluding",
    U"excluded", U"unlikely", U"against", U"unlike",  U"than",      U"instead",
    U"except",   U"rules",    U"ruled",   U"ruling",  U"eliminate", U"eliminates"};
constexpr std::u32string_view deny_after[] = {U"not",   U"unlikely",   U"excluded", U"incorrect",
                                              U"wrong", U"eliminated", U"ruled",    U"less",
                                              U"isn't", U"cannot",     U"can't",    U"wasn't"};

template <class Words>
bool any_of(const std::vector<std::u32string_view>& found, const Words& words) {
  return std::ranges::any_of(found, [&](std::u32string_view word) {
    return std::ranges::find(words, word) != std::end(words);
  });
}

struct Match {
  std::size_t first, last;
  Candidate candidate;
};

/// "No" and "Yes" are also words of prose: only as a sentence of their own are they answers.
bool stands_alone(const AnswerText& text, std::size_t first, std::size_t last) {
  const std::u32string_view ends = U".,;:!)\"*\n";
  std::size_t start = first;
  while (start > 0 && std::u32string_view(U" *\"'(").find(text.before(start)) != ends.npos) --start;
  const bool opens = std::u32string_view(U".:\n").find(text.before(start)) != ends.npos;
  return opens && ends.find(text.at(last)) != ends.npos;
}

/// Numbers where options are numbers: positions, as the prompt asks for.
void add_numbers(const AnswerText& text, std::size_t first, std::size_t last,
                 const Question& question, std::vector<Match>& out) {
  if (std::ranges::none_of(question.options, &OptionText::numeric)) return;
  for (std::size_t i = first; i < last; ++i)
    if (const auto number = number_at(text, i, question); number && number->candidate.label)
      out.push_back({i, number->end, number->candidate});
}

std::vector<Match> matches(const AnswerText& text, std::size_t first, std::size_t last,
                           const Question& question) {
  constexpr std::size_t short_word = 3;
  std::vector<Match> out;
  add_numbers(text, first, last, question, out);
  for (const OptionText& option : question.options) {
    if (option.numeric || option.lower.size() < 2) continue;
    for (std::size_t i = first; i + option.lower.size() <= last; ++i) {
      const std::size_t end = i + option.lower.size();
      if (!text.starts_with(option.lower, i)) continue;
      if (option.lower.size() <= short_word && !stands_alone(text, i, end)) continue;
      out.push_back({i, end, {option.label, text.span(i, end)}});
    }
  }
  return out;
}

bool inside(const Match& inner, const Match& outer) {
  return inner.first >= outer.first && inner.last <= outer.last &&
         inner.last - inner.first < outer.last - outer.first;
}

}  // namespace

bool is_denied(const AnswerText& text, std::size_t first, std::size_t last) {
  constexpr std::size_t near = 4;
  return any_of(text.words_before(first, near), deny_before) ||
         any_of(text.words_after(last, near), deny_after);
}

Candidates named_options(const AnswerText& text, std::size_t first, std::size_t last,
                         const Question& question) {
  const std::vector<Match> all = matches(text, first, last, question);
  std::vector<const Match*> kept;
  for (const Match& match : all) {
    const bool part = std::ranges::any_of(all, [&](const Match& m) { return inside(match, m); });
    if (!part && !is_denied(text, match.first, match.last)) kept.push_back(&match);
  }
  std::ranges::sort(kept, {}, &Match::first);
  Candidates out;
  for (const Match* match : kept) out.push_back(match->candidate);
  return out;
}

}  // namespace assay::qa
