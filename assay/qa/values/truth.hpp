// SPDX-License-Identifier: Apache-2.0
/// The right answer of a question as a label.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay::qa {

/// Which labels an answer can have.
struct LabelRange {
  std::int64_t first = 1;
  std::int64_t last = 0;  ///< below first: no limit is known

  bool bounded() const { return last >= first; }
  bool contains(std::int64_t label) const {
    return bounded() ? label >= first && label <= last : label >= 0;
  }
};

/// PANDA in any letter case has ISUP grades 0 to 5; options have 1 to their number; a benchmark
/// with a known number of classes has that many.
LabelRange label_range(std::string_view benchmark, std::size_t options);

bool is_panda(std::string_view benchmark);

/// An integer, or the text of an option (exactly, then in any letter case). Throws Error::input
/// saying what is wrong: empty, neither, or out of range.
std::int64_t truth_label(std::string_view answer, std::string_view benchmark,
                         std::span<const std::string> options);

}  // namespace assay::qa
