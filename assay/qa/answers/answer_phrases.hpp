// SPDX-License-Identifier: Apache-2.0
/// The words by which answers are recognised, in English, German, French, Spanish, Italian,
/// Portuguese, Chinese and Japanese: data only, all in lower case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::qa {

/// Where the value of a cue may be.
enum class Follow {
  linked,    ///< "answer is 3", "answer: 3"; options may also be named later in the sentence
  directly,  ///< "ISUP grade 3", "ISUP grade: 3"; only what follows directly
  sentence,  ///< "I favour Lung"; a number only if nothing follows it: not "it is 3 mm"
  alone,     ///< "hence C"; directly, and only if nothing follows it
  before,    ///< "3 is the correct answer"
};

struct Cue {
  std::u32string_view words;
  Follow follow;
  std::u32string_view not_after{};  ///< a word before it that makes it mean something else
};

/// Cues of equal rank that give one rule its name.
struct Statement {
  std::string_view rule;
  std::span<const Cue> cues;
};

using Phrases = std::span<const std::u32string_view>;

namespace phrases {

/// Ranks of statements, the firmest first.
std::span<const Statement> final_answers();
std::span<const Statement> answers();
std::span<const Statement> choices();
std::span<const Statement> isup_grades();
std::span<const Statement> grades();
/// What leads to a finding among several that are named: "consistent with", "this is".
std::span<const Statement> findings();

Phrases links();        ///< between a cue and its value: "is"
Phrases asides();       ///< between a cue and its link: "to this question"
Phrases unsure();       ///< options that "but" takes back
Phrases fillers();      ///< before a value: "the option number"
Phrases comments();     ///< behind a letter or number that is an answer: "because"
Phrases units();        ///< behind a number that counts or measures something
Phrases no_links();     ///< "is not" in one word
Phrases negators();     ///< where a value was due: "is not A but B"
Phrases contrasts();    ///< "but": what was denied before it is over
Phrases corrections();  ///< at the start of a sentence that takes back what was said
Phrases conclusions();  ///< of a sentence that concludes: "therefore"
Phrases finals();       ///< before the last of several JSON objects

Phrases deny_before();  ///< up to four words before an option
Phrases deny_close();   ///< up to two words before it: "than"
Phrases deny_next();    ///< the word before it, articles apart: "over"
Phrases deny_after();
Phrases hedge_before();
Phrases hedge_after();
Phrases articles();

Phrases level_words();  ///< options that are adjectives: of less weight before a noun
Phrases optics();       ///< "high power", "low magnification"
Phrases prefixes();     ///< "non-" before an option makes it another
Phrases prose_words();  ///< options too common in prose to be found there
Phrases stage_nouns();  ///< before the option "I"
Phrases certainty();    ///< "90 % sure"

/// A word for a number: "third", "three", "iii".
struct NumberWord {
  std::u32string_view word;
  std::int64_t value;
};

std::span<const NumberWord> ordinals();
std::span<const NumberWord> cardinals();
std::span<const NumberWord> romans();

inline bool has(Phrases phrases, std::u32string_view word) {
  return std::ranges::find(phrases, word) != phrases.end();
}

}  // namespace phrases
}  // namespace assay::qa
