// SPDX-License-Identifier: Apache-2.0
/// Options named in prose. A name inside a longer one does not count ("Lung" in "Lung squamous cell
/// carcinoma"), nor does one that the words around it deny.
#include <algorithm>

#include "assay/base/unicode.hpp"
#include "assay/qa/answers/answer_phrases.hpp"
#include "assay/qa/answers/question.hpp"

namespace assay::qa {
namespace {

using Words = std::vector<std::u32string_view>;

/// How firmly a match names its option, the weakest first.
enum class Weight { hedged, in_prose, attributive, firm };

struct Match {
  std::size_t first, last;
  Candidate candidate;
  Weight weight = Weight::firm;
};

/// "no doubt" and "without question" deny nothing.
bool denies(const Words& words, std::size_t i) {
  const bool doubt = i > 0 && (words[i - 1] == U"doubt" || words[i - 1] == U"question");
  return !doubt && phrases::has(phrases::deny_before(), words[i]);
}

/// "than" of "X is less likely than Y" speaks for Y.
bool speaks_for(const Words& words, std::size_t than) {
  constexpr std::size_t near = 3;
  const auto from = words.begin() + std::ptrdiff_t(than);
  const auto to = words.begin() + std::ptrdiff_t(std::min(words.size(), than + 1 + near));
  return words[than] == U"than" && std::find(from, to, U"less") != to;
}

/// "I prefer X to Y".
bool is_dispreferred(const Words& words) {
  constexpr std::u32string_view preferring[] = {U"prefer", U"preferred", U"preferable"};
  const std::size_t to = words.size() > 1 && (words[0] == U"the" || words[0] == U"a") ? 1 : 0;
  return words.size() > to + 2 && words[to] == U"to" && words[to + 1] != U"prefer" &&
         std::ranges::any_of(words, [&](auto word) { return phrases::has(preferring, word); });
}

Stance stance_before(const AnswerText& text, std::size_t first) {
  constexpr std::size_t most = 8, near = 4, close = 2, next = 1;
  const Words words = text.words_before(first, most);
  if (is_dispreferred(words)) return Stance::denied;
  const std::size_t to = !words.empty() && words[0] == U"very" ? 1 : 0;
  if (words.size() > to + 1 && words[to] == U"to" &&
      (words[to + 1].ends_with(U"ly") || phrases::has(phrases::level_words(), words[to + 1])))
    return Stance::denied;
  if (text.before(first) == U'-' && !words.empty() && phrases::has(phrases::prefixes(), words[0]))
    return Stance::denied;
  const std::size_t glued = text.skip_back(first, U" *\"'");
  for (const std::u32string_view phrase : phrases::negators())
    if (text.ends_with(phrase, glued)) return Stance::denied;
  Stance out = Stance::affirmed;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < words.size() && counted < near; ++i) {
    if (phrases::has(phrases::hedge_before(), words[i])) out = Stance::hedged;
    if (phrases::has(phrases::contrasts(), words[i]) || speaks_for(words, i)) break;
    if (denies(words, i) || (counted < close && phrases::has(phrases::deny_close(), words[i])) ||
        (counted < next && phrases::has(phrases::deny_next(), words[i])))
      return Stance::denied;
    if (!phrases::has(phrases::articles(), words[i])) ++counted;
  }
  return out;
}

/// "not" of "Lung, not Breast" belongs to what follows.
bool denies_next(const AnswerText& text, std::size_t i, const Question& question) {
  const std::size_t k = text.skip(i + text.word(i).size(), U" *_\"'(");
  return option_at(text, k, question) || number_at(text, k, question) ||
         letter_at(text, k, question);
}

Stance stance_after(const AnswerText& text, std::size_t last, const Question& question) {
  constexpr std::size_t near = 4;
  constexpr std::u32string_view verdicts[] = {U"no",       U"not",   U"unlikely",  U"excluded",
                                              U"absent",   U"ruled", U"incorrect", U"wrong",
                                              U"rejected", U"less",  U"nein",      U"non"};
  const std::size_t verdict = text.skip(last, U" :-—(*)\"'");
  if (phrases::has(verdicts, text.word(verdict)) && !denies_next(text, verdict, question))
    return Stance::denied;
  if (text.at(text.skip(last, U" *_:.)")) == U'✗') return Stance::denied;
  Stance out = Stance::affirmed;
  const Words words = text.words_after(last, near);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (phrases::has(phrases::contrasts(), words[i])) break;
    if (i == 0 && words[i] == U"not") continue;  // judged above
    if (words[i] == U"and" && i + 1 < words.size() && words[i + 1] == U"not") break;
    if (phrases::has(phrases::deny_after(), words[i])) return Stance::denied;
    if (phrases::has(phrases::hedge_after(), words[i])) out = Stance::hedged;
  }
  return out;
}

/// "No" and "Yes" are also words of prose: only as a sentence of their own are they answers.
bool stands_alone(const AnswerText& text, std::size_t first, std::size_t last) {
  const std::u32string_view ends = U".,;:!)\"*\n";
  const std::size_t start = text.skip_back(first, U" *\"'(");
  const bool opens = std::u32string_view(U".:\n").find(text.before(start)) != ends.npos;
  const std::size_t dash = text.skip(last, U" ");
  return opens && (ends.find(text.at(last)) != ends.npos ||
                   (dash > last && std::u32string_view(U"-—(").find(text.at(dash)) != ends.npos));
}

/// The option "I" is one only in "stage I".
bool is_staged(const AnswerText& text, std::size_t i) {
  const Words before = text.words_before(i, 1);
  return text.at(i) != text.low(i) && !before.empty() &&
         phrases::has(phrases::stage_nouns(), before[0]);
}

/// "One" in "one of", "this one"; "all" in "at all".
bool is_idiom(const AnswerText& text, std::size_t first, std::size_t last) {
  constexpr std::u32string_view before[] = {U"at",   U"above", U"after", U"this",    U"that", U"no",
                                            U"each", U"every", U"any",   U"another", U"which"};
  const Words left = text.words_before(first, 1), right = text.words_after(last, 1);
  if (!left.empty() && phrases::has(before, left[0])) return true;
  return text.starts_with(U"one", first) && !right.empty() && right[0] == U"of";
}

/// "75 %" in "75 % sure".
bool is_certainty(const AnswerText& text, std::size_t last) {
  const Words after = text.words_after(last, 1);
  return text.before(last) == U'%' && !after.empty() &&
         phrases::has(phrases::certainty(), after[0]);
}

/// Nothing when what is at [first, last) does not name the option after all.
std::optional<Weight> weight_of(const AnswerText& text, std::size_t first, std::size_t last,
                                const OptionText& option) {
  constexpr std::size_t short_word = 3;
  const std::size_t next = text.skip(last, U" -");
  if (option.level && phrases::has(phrases::optics(), text.word(next))) return std::nullopt;
  if (is_certainty(text, last)) return std::nullopt;
  if (option.level && text.word(next) == U"to") return std::nullopt;
  if (phrases::has(phrases::unsure(), option.lower) && text.word(text.skip(last, U" ,")) == U"but")
    return std::nullopt;
  if (option.lower.size() == 1)
    return is_staged(text, first) ? std::optional(Weight::in_prose) : std::nullopt;
  const bool is_short = option.lower.size() <= short_word;
  if (is_short && stands_alone(text, first, last)) return Weight::firm;
  if (is_short && phrases::has(phrases::prose_words(), option.lower)) return std::nullopt;
  if ((is_short || option.level) && is_idiom(text, first, last)) return std::nullopt;
  const bool noun_follows = next > last && is_word(text.at(next)) && !closes(text, last);
  if (option.level) return noun_follows ? Weight::attributive : Weight::firm;
  return is_short ? Weight::in_prose : Weight::firm;
}

/// Numbers where options are numbers: positions, as the prompt asks for.
void add_numbers(const AnswerText& text, std::size_t first, std::size_t last,
                 const Question& question, std::vector<Match>& out) {
  if (std::ranges::none_of(question.options, &OptionText::numeric)) return;
  for (std::size_t i = first; i < last; ++i)
    if (const auto number = number_at(text, i, question); number && number->candidate.label)
      out.push_back({i, number->end, number->candidate});
}

void add_option(const AnswerText& text, std::size_t first, std::size_t last,
                const OptionText& option, std::vector<Match>& out) {
  if (option.numeric) return;
  for (std::size_t i = first; i + option.lower.size() <= last; ++i) {
    const std::size_t end = i + option.lower.size();
    if (text.low(i) != option.lower.front() || !text.starts_with(option.lower, i)) continue;
    const auto weight = weight_of(text, i, end, option);
    if (!weight) continue;
    Candidate candidate = {option.label, text.span(i, end)};
    candidate.at = i;
    out.push_back({i, end, candidate, *weight});
  }
}

/// Matches that are not inside a longer one, in the order of the text.
std::vector<Match> outermost(std::vector<Match> all) {
  std::ranges::stable_sort(all, [](const Match& a, const Match& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  });
  std::vector<Match> out;
  std::size_t reach = 0;
  for (const Match& match : all) {
    const bool same =
        !out.empty() && out.back().first == match.first && out.back().last == match.last;
    if (match.last > reach || same) out.push_back(match);
    reach = std::max(reach, match.last);
  }
  return out;
}

/// "in situ adenocarcinoma" is not "Adenocarcinoma" where "Adenocarcinoma in situ" is an option.
bool is_turned_round(const AnswerText& text, const Match& match, const Question& question) {
  const auto of_label = [&](const OptionText& option) {
    return option.label == match.candidate.label && option.lower.size() == match.last - match.first;
  };
  const auto own = std::ranges::find_if(question.options, of_label);
  if (own == question.options.end()) return false;
  const std::size_t before = text.skip_back(match.first, U" ");
  return std::ranges::any_of(question.options, [&](const OptionText& longer) {
    const std::u32string start = own->lower + U" ";
    return longer.lower.starts_with(start) &&
           text.ends_with(std::u32string_view(longer.lower).substr(start.size()), before);
  });
}

/// Those of the firmest kind that are not denied.
Candidates firmest(const AnswerText& text, const std::vector<Match>& matches,
                   const Question& question) {
  std::vector<Match> kept;
  Weight most = Weight::hedged;
  for (Match match : outermost(matches)) {
    const Stance stance = stance_on(text, match.first, match.last, question);
    if (stance == Stance::denied || is_turned_round(text, match, question)) continue;
    if (stance == Stance::hedged) match.weight = Weight::hedged;
    most = std::max(most, match.weight);
    kept.push_back(match);
  }
  Candidates out;
  for (const Match& match : kept)
    if (match.weight == most) out.push_back(match.candidate);
  return out;
}

/// A word without what spellings differ in: the s of a plural, "oe" and "ae" for "e", "our".
std::u32string respelled(std::u32string_view word) {
  std::u32string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool ligature =
        (word[i] == U'o' || word[i] == U'a') && i + 1 < word.size() && word[i + 1] == U'e';
    const bool our = word.substr(i).starts_with(U"our") && i > 1;
    if (!ligature) out += word[i];
    if (our) ++i;
  }
  if (out.size() > 3 && out.ends_with(U's') && !out.ends_with(U"ss") && !out.ends_with(U"us") &&
      !out.ends_with(U"is"))
    out.pop_back();
  return out;
}

struct PlacedWord {
  std::u32string text;
  std::size_t first, last;
};

std::vector<PlacedWord> words_of(const AnswerText& text) {
  std::vector<PlacedWord> out;
  for (std::size_t i = 0; i < text.size();) {
    const std::u32string_view word = text.word(i);
    if (!word.empty()) out.push_back({respelled(word), i, i + word.size()});
    i += std::max<std::size_t>(word.size(), 1);
  }
  return out;
}

/// Whether only a blank or a hyphen is between two words.
bool adjoin(const AnswerText& text, const PlacedWord& left, const PlacedWord& right) {
  return text.skip(left.last, U" -") == right.first;
}

}  // namespace

Stance stance_on(const AnswerText& text, std::size_t first, std::size_t last,
                 const Question& question) {
  if (text.in_question(first)) return Stance::denied;
  const std::size_t marked = text.skip_back(first, U" *_.)0123456789-");
  if (text.before(marked) == U'✗') return Stance::denied;
  const Stance before = stance_before(text, first);
  if (before == Stance::denied) return before;
  const Stance after = last > first ? stance_after(text, last, question) : Stance::affirmed;
  return after == Stance::affirmed ? before : after;
}

Candidates named_options(const AnswerText& text, std::size_t first, std::size_t last,
                         const Question& question) {
  std::vector<Match> all;
  add_numbers(text, first, last, question, all);
  for (const OptionText& option : question.options) add_option(text, first, last, option, all);
  return firmest(text, all, question);
}

Candidates respelled_options(const AnswerText& text, const Question& question) {
  std::vector<Match> all;
  const std::vector<PlacedWord> words = words_of(text);
  for (const OptionText& option : question.options) {
    if (option.numeric || option.lower.size() < 4 || option.level) continue;
    std::string utf8;
    for (const char32_t point : option.lower) append_utf8(utf8, point);
    const AnswerText wanted_text(utf8);
    const std::vector<PlacedWord> wanted = words_of(wanted_text);
    if (wanted.empty()) continue;
    for (std::size_t i = 0; i + wanted.size() <= words.size(); ++i) {
      std::size_t k = 0;
      while (k < wanted.size() && words[i + k].text == wanted[k].text &&
             (k == 0 || adjoin(text, words[i + k - 1], words[i + k])))
        ++k;
      if (k < wanted.size() || text.starts_with(option.lower, words[i].first)) continue;
      const std::size_t first = words[i].first, last = words[i + k - 1].last;
      Candidate candidate = {option.label, text.span(first, last)};
      candidate.at = first;
      all.push_back({first, last, candidate});
    }
  }
  return firmest(text, all, question);
}

}  // namespace assay::qa
