// SPDX-License-Identifier: Apache-2.0
/// A damaged journal made whole: what is kept, what is lost, and what that means for the costs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::qa {

/// A lost piece, and what it was if that can still be read.
struct LostRecord {
  std::size_t line = 0, bytes = 0;
  std::string kind{};  ///< call, sent, attempt ...; "" when it cannot be told
  std::string of{};    ///< "tcga/17, run 0, step 3"; may be empty
};

struct QaSalvage {
  bool damaged = false;  ///< otherwise there is nothing to do
  bool torn = false;     ///< the last line was never committed; that is not damage
  std::string text{};    ///< the new journal
  std::size_t kept = 0;
  std::vector<LostRecord> lost{};
  bool is_qa = true;              ///< false: of `assay score`
  bool lost_settings = false;     ///< and could not be made again
  double possible_usd = 0;        ///< that lost calls may have cost and nothing else accounts for
  std::size_t unknown_calls = 0;  ///< the same where there are no prices: how many calls
};

/// Pure: `now_s` and `version` go into records that are made anew. Throws Error::input when nothing
/// can be kept, or nothing of use.
QaSalvage salvaged_run(std::string_view text, const std::string& name, double now_s,
                       const std::string& version);

}  // namespace assay::qa
