// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/qa.hpp"
#include "assay/qa/answers/question.hpp"

namespace assay::qa {

std::span<const Named<ExtractionRules>> extraction_rules() {
  using enum ExtractionRules;
  static constexpr std::array<Named<ExtractionRules>, 3> table = {
      {{"assay", assay}, {"spec", spec}, {"giant", giant}}};
  return table;
}

ExtractedAnswer extract_label(std::string_view prediction, std::string_view benchmark,
                              std::span<const std::string> options, ExtractionRules rules) {
  using Extract =
      ExtractedAnswer (*)(std::string_view, std::string_view, std::span<const std::string>);
  static constexpr std::array<Extract, 3> by_rules = {extract_assay, extract_spec, extract_giant};
  const std::string_view text = stripped(prediction);
  ExtractedAnswer answer = by_rules[static_cast<std::size_t>(rules)](text, benchmark, options);
  answer.raw = text;
  return answer;
}

// The default rules: what the prompt asked for comes first. If two different candidates have equal
// rank, neither is taken.

namespace {

/// The last block that says that it is the answer, [begin, end) without its tags.
struct Block {
  std::size_t begin, end;
};

std::optional<Block> answer_block(std::string_view text) {
  const std::string lower = ascii_lowered(text);
  for (const std::string name : {"response", "answer", "final_answer", "final"}) {
    const std::string open = "<" + name + ">";
    const std::size_t at = lower.rfind(open);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + open.size();
    return Block{begin, std::min(lower.find("</" + name + ">", begin), text.size())};
  }
  return std::nullopt;
}

ExtractedAnswer moved(ExtractedAnswer answer, std::size_t offset) {
  answer.span.first += offset;
  answer.span.second += offset;
  return answer;
}

}  // namespace

ExtractedAnswer extract_assay(std::string_view text, std::string_view benchmark,
                              std::span<const std::string> options) {
  const Question question(benchmark, options);
  const std::string said = without_reasoning(text);
  std::string_view kept = said;
  const auto block = answer_block(kept);
  if (block) {
    const std::string_view inside = kept.substr(block->begin, block->end - block->begin);
    if (auto found = json_answer(inside, question)) return moved(*found, block->begin);
  }
  if (auto found = json_answer(kept, question)) return *found;
  const std::string prose = question.panda ? without_objects(kept) : "";
  if (question.panda) kept = prose;  // without the key, an object is no answer
  if (block) {
    const AnswerText inside(kept.substr(block->begin, block->end - block->begin), block->begin);
    ExtractedAnswer found = plain_answer(inside, question);
    if (found.label) found.rule = "response";
    if (found.rule != "none") return found;
  }
  return plain_answer(AnswerText(kept), question);
}

}  // namespace assay::qa
