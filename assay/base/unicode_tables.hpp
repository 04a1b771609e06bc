// SPDX-License-Identifier: Apache-2.0
/// The tables used by unicode.hpp.
#pragma once

#include <cstdint>
#include <span>

namespace assay {

struct CharacterRange {
  char32_t first, last;
};

/// Characters first, first + step ... last, whose lower case lies `shift` further on.
struct LowerCaseRun {
  char32_t first, last;
  char32_t step;
  std::int32_t shift;
};

/// All ascending.
std::span<const CharacterRange> word_ranges();
std::span<const char32_t> decimal_zeros();  ///< each is followed by the digits 1 to 9
std::span<const LowerCaseRun> lower_case_runs();

}  // namespace assay
