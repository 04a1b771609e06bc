// SPDX-License-Identifier: Apache-2.0
/// What a reader of answers knows about the question, and what it finds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/qa.hpp"
#include "assay/qa/answers/answer_markup.hpp"
#include "assay/qa/values/truth.hpp"

namespace assay::qa {

/// An option in the form in which answers are searched for it.
struct OptionText {
  std::int64_t label = 0;
  std::u32string lower{};
  bool numeric = false;  ///< a number: it can also be a position, and then it is
  bool level = false;    ///< an adjective such as "high", which prose also uses for other things
};

struct Question {
  Question(std::string_view benchmark, std::span<const std::string> texts);

  bool panda;
  LabelRange range;
  /// Without blank ones, and with the parts of "Grade 2: Moderate" and "Poor (G3)" that only one
  /// option has.
  std::vector<OptionText> options{};
  bool number_words = false;  ///< an option is "One", "Two" ...: such words are texts, not numbers
};

/// Something in an answer that may be the label.
struct Candidate {
  std::optional<std::int64_t> label{};  ///< nothing: a value that is no label of this question
  std::pair<std::size_t, std::size_t> span{};
  bool out_of_range = false;
  std::size_t at = 0, end = 0;  ///< its first character in an AnswerText
  std::string_view rule = "";   ///< of the cue that led to it
};

using Candidates = std::vector<Candidate>;

/// Where reading went on, and what was found there.
struct ReadValue {
  Candidate candidate;
  std::size_t end = 0;  ///< the first character behind it
};

/// The result of candidates of equal rank: their label if it is the same for all, a contradiction
/// if there are two labels, the reason if there is no label. Nothing when there are no candidates.
std::optional<ExtractedAnswer> decided(const Candidates& candidates, std::string_view rule);

/// A number as a label: a position, or an option if options are numbers and it is not a position.
Candidate numbered(std::int64_t value, const Question& question,
                   std::pair<std::size_t, std::size_t> span);

/// The result of candidates that prose gives: if they disagree, those of sentences that conclude
/// ("Therefore ...") decide, if they agree.
std::optional<ExtractedAnswer> settled(const AnswerText& text, const Candidates& candidates,
                                       std::string_view rule);

/// The length of the phrase that starts at i; 0 when none does.
std::size_t phrase_at(const AnswerText& text, std::size_t i,
                      std::span<const std::u32string_view> phrases);

/// The whole number that starts at i. Nothing where none does or it is part of something else: 3.7,
/// 3+4, 30 %, 3 mm.
std::optional<ReadValue> number_at(const AnswerText& text, std::size_t i, const Question& question);

/// A letter that means an option at i: "C.", "(C)", "c" at the end; not the article in "a lesion"
/// nor the B of "B cell".
std::optional<ReadValue> letter_at(const AnswerText& text, std::size_t i, const Question& question);

/// The longest option whose text starts at i, or ends before i.
std::optional<ReadValue> option_at(const AnswerText& text, std::size_t i, const Question& question);
std::optional<ReadValue> option_before(const AnswerText& text, std::size_t i,
                                       const Question& question);

/// Any of these, and what is next to it: "3. Lung" names two, and so does "3 or 4".
Candidates values_at(const AnswerText& text, std::size_t i, const Question& question);

/// The first of these.
std::optional<ReadValue> value_at(const AnswerText& text, std::size_t i, const Question& question);

/// Whether nothing goes on at i that a number or letter before it could belong to.
bool closes(const AnswerText& text, std::size_t i);

/// Every option that is named in [first, last) and not denied there, the longest where several
/// start or end together. Of these only the firmest: "possibly Lung" counts if nothing else does.
Candidates named_options(const AnswerText& text, std::size_t first, std::size_t last,
                         const Question& question);
/// The same for options in another spelling: plurals, hyphens, "oesophagus".
Candidates respelled_options(const AnswerText& text, const Question& question);

/// Whether the words around [first, last) deny it ("not Lung", "Lung is unlikely", "Lung?"), or
/// only allow for it ("possibly Lung").
enum class Stance { affirmed, hedged, denied };
Stance stance_on(const AnswerText& text, std::size_t first, std::size_t last,
                 const Question& question);

/// JSON objects with the key that the prompt asks for, in all of the answer.
std::optional<ExtractedAnswer> json_answer(std::string_view text, const Question& question);

/// An answer in words.
ExtractedAnswer plain_answer(const AnswerText& text, const Question& question);

/// Statements of each rank: "The final answer is 3", "I favour Lung", "ISUP grade 2".
std::optional<ExtractedAnswer> final_statement(const AnswerText& text, const Question& question);
std::optional<ExtractedAnswer> answer_statement(const AnswerText& text, const Question& question);
std::optional<ExtractedAnswer> grade_statement(const AnswerText& text, const Question& question);
std::optional<ExtractedAnswer> choice_statement(const AnswerText& text, const Question& question);
std::optional<ExtractedAnswer> finding_statement(const AnswerText& text, const Question& question);

}  // namespace assay::qa
