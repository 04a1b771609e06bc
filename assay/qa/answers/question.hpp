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
#include "assay/qa/answers/answer_text.hpp"
#include "assay/qa/values/truth.hpp"

namespace assay::qa {

/// An option in the form in which answers are searched for it.
struct OptionText {
  std::int64_t label = 0;
  std::u32string lower{};
  bool numeric = false;  ///< a number: it can also be a position, and then it is
};

struct Question {
  Question(std::string_view benchmark, std::span<const std::string> texts);

  bool panda;
  LabelRange range;
  std::vector<OptionText> options{};  ///< without blank ones
};

/// Something in an answer that may be the label.
struct Candidate {
  std::optional<std::int64_t> label{};  ///< nothing: a value that is no label of this question
  std::pair<std::size_t, std::size_t> span{};
  bool out_of_range = false;
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

/// The whole number that starts at i. Nothing where none does or it is part of something else: 3.7,
/// 3+4, 30 %.
std::optional<ReadValue> number_at(const AnswerText& text, std::size_t i, const Question& question);

/// A letter that means an option at i: "C.", "(C)", "c" at the end; not the article in "a lesion"
/// nor the B of "B cell".
std::optional<ReadValue> letter_at(const AnswerText& text, std::size_t i, const Question& question);

/// The longest option whose text starts at i.
std::optional<ReadValue> option_at(const AnswerText& text, std::size_t i, const Question& question);

/// Any of these, and what is next to it: "3. Lung" names two, and so does "3 or 4".
Candidates values_at(const AnswerText& text, std::size_t i, const Question& question);

/// Every option that is named in [first, last) and not denied there, the longest where several
/// start or end together.
Candidates named_options(const AnswerText& text, std::size_t first, std::size_t last,
                         const Question& question);

/// Whether the words around [first, last) deny it: "not Lung", "Lung is unlikely".
bool is_denied(const AnswerText& text, std::size_t first, std::size_t last);

/// JSON objects with the key that the prompt asks for, in all of the answer.
std::optional<ExtractedAnswer> json_answer(std::string_view text, const Question& question);

/// An answer in words.
ExtractedAnswer plain_answer(const AnswerText& text, const Question& question);

/// "The final answer is 3", "option 14", "ISUP grade 2", the firmest kind first.
std::optional<ExtractedAnswer> stated_answer(const AnswerText& text, const Question& question);

}  // namespace assay::qa
