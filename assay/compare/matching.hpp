// SPDX-License-Identifier: Apache-2.0
/// Which cases several results files have in common, and which had to be left out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "assay/compare/result_table.hpp"

namespace assay::compare {

struct MatchOptions {
  bool intersect = false;    ///< go on with the common cases when the files differ
  bool by_position = false;  ///< the n-th value of each file is the same case
};

/// A case that some model lacks.
struct LeftOut {
  std::string id, model, reason;
};

struct Matching {
  std::vector<std::string> ids;                  ///< sorted; positions from 1 when by position
  std::vector<std::vector<std::size_t>> places;  ///< by model: where each case stands in its table
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;
};

/// Version 0.1 called the cases of a BIDS tree by their paths. Where another table calls cases by
/// entities (`sub-01_ses-2`), such paths become these.
void use_entity_ids(std::span<ResultTable> tables);

/// Throws Error::input when the files have different cases (and none of the options allows it), no
/// case in common, or no ids.
Matching matched_cases(std::span<const ResultTable> tables, const MatchOptions& options);

}  // namespace assay::compare
