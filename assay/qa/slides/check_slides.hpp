// SPDX-License-Identifier: Apache-2.0
/// Looks for the slides of a table before any money is spent.
#pragma once

#include <string>
#include <vector>

#include "assay/executor.hpp"
#include "assay/qa.hpp"
#include "assay/qa/slides/slide_check.hpp"
#include "assay/qa/slides/slide_folder.hpp"

namespace assay::qa {

struct SlideCheckSettings {
  std::vector<std::string> benchmarks{};  ///< empty: all
  bool open = false;                      ///< each slide that is found
  Executor executor{};
};

/// Throws Error when slides shall be opened and there is no OpenSlide.
SlideCheck check_slides(const ItemTable& table, const SlideFolder& folder,
                        const SlideCheckSettings& settings);

}  // namespace assay::qa
