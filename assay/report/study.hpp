// SPDX-License-Identifier: Apache-2.0
/// What a report is made from: everything that was read, in one value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/compare/comparison.hpp"
#include "assay/compare/result_table.hpp"

namespace assay {

/// Segmentation results of one or more models.
struct Study {
  std::string title;
  std::vector<ResultTable> models{};  ///< names are distinct
  std::vector<std::string> ids{};  ///< every case of any model, sorted: marks name positions here
  std::optional<Comparison> comparison{};  ///< of the models, where there are two that share cases
};

}  // namespace assay
