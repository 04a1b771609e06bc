// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "assay/base/unicode.hpp"
#include "assay/qa.hpp"

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

}  // namespace assay::qa
