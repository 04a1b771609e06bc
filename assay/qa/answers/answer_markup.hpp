// SPDX-License-Identifier: Apache-2.0
/// An answer made ready for reading: one kind of quote, dash and blank, with every place kept.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::qa {

/// `\boxed{` in an answer, as one character; answer_cues.cpp has the rule that reads what follows.
inline constexpr char32_t box = U'□';

/// Runs of white space are one blank, or one line break where they hold one. Full-width characters
/// are plain ones, arrows are →, ticks are ✓ and crosses ✗. LaTeX commands and HTML tags are gone,
/// but for their braces and the box.
class AnswerText {
 public:
  /// `offset` is where `utf8` starts in the whole answer.
  explicit AnswerText(std::string_view utf8, std::size_t offset = 0);

  /// What is from i on, with the same places in the whole answer.
  AnswerText from(std::size_t i) const;

  std::size_t size() const { return points_.size(); }
  bool has(std::size_t i) const { return i < points_.size(); }
  /// The character at i; a line break beyond either end, so that borders need no special case.
  char32_t at(std::size_t i) const { return has(i) ? points_[i] : U'\n'; }
  char32_t before(std::size_t i) const { return i == 0 ? U'\n' : at(i - 1); }
  /// In lower case.
  char32_t low(std::size_t i) const { return has(i) ? lower_[i] : U'\n'; }
  /// Whether a word may start or end before i. Chinese and Japanese have no blanks between words:
  /// one may end beside each of their characters.
  bool boundary(std::size_t i) const;

  /// Bytes of the whole answer that characters [first, last) take; first < last.
  std::pair<std::size_t, std::size_t> span(std::size_t first, std::size_t last) const {
    return {begins_[first], ends_[last - 1]};
  }

  /// Whether `lower` (in lower case, blanks single) starts at i, and ends where a word may end.
  bool starts_with(std::u32string_view lower, std::size_t i) const;
  /// Whether it ends before i in the same way.
  bool ends_with(std::u32string_view lower, std::size_t i) const {
    return i >= lower.size() && starts_with(lower, i - lower.size());
  }

  /// The word that starts at i, in lower case with its apostrophes; empty where none does.
  std::u32string_view word(std::size_t i) const;
  /// The words that end before i, or start at or after i, up to `most` of them and to the end of
  /// the clause. The nearest comes first.
  std::vector<std::u32string_view> words_before(std::size_t i, std::size_t most) const;
  std::vector<std::u32string_view> words_after(std::size_t i, std::size_t most) const;

  /// The first position from i on with a character that is not one of these.
  std::size_t skip(std::size_t i, std::u32string_view any_of) const;
  /// The last position up to i that none of these precedes.
  std::size_t skip_back(std::size_t i, std::u32string_view any_of) const;

  /// The end of the sentence around i, and its start; no further than a long sentence is.
  std::size_t sentence_end(std::size_t i) const;
  std::size_t sentence_start(std::size_t i) const;
  bool in_question(std::size_t i) const { return at(sentence_end(i)) == U'?'; }

 private:
  AnswerText() = default;
  bool in_word(std::size_t i) const;
  bool ends_sentence(std::size_t i) const;
  void add(char32_t point, std::size_t begin, std::size_t end);

  std::u32string points_, lower_;
  std::vector<std::size_t> begins_, ends_;
};

/// Text in the form in which AnswerText holds it, in lower case.
std::u32string normalised(std::string_view utf8);

/// The answer with blanks in the place of reasoning: <think> ... </think>. A block that is never
/// closed reaches to the end, one that is never opened from the start.
std::string without_reasoning(std::string_view text);

/// The answer with blanks in the place of {...}, but for what LaTeX puts between braces.
std::string without_objects(std::string_view text);

}  // namespace assay::qa
