// SPDX-License-Identifier: Apache-2.0
/// How deeply parsed text may be nested. Readers recurse, and so does the code that walks through
/// their results, so text from elsewhere must not decide how much stack they need.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// The deepest nesting of lists, objects and tables, for every format. Files that people write stay
/// below 20.
inline constexpr int deepest_nesting = 200;

/// The sentence for text that is nested more deeply than `most`; `place` is line and
/// column where they are known.
inline std::string nested_too_deeply(std::string_view place, int most = deepest_nesting) {
  return std::string(place) + ": nested more than " + std::to_string(most) +
         " levels deep, which is the most that assay reads";
}

}  // namespace assay
