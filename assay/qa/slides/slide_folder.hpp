// SPDX-License-Identifier: Apache-2.0
/// Where the slides of a benchmark are below --wsi-root.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/qa.hpp"

namespace assay::qa {

/// What was found for an item: a path, or the reason why there is none.
struct SlideMatch {
  std::filesystem::path path{};  ///< a file; of a DICOM series: one of its files
  std::string problem{};         ///< a sentence; empty when there is a path
  bool ambiguous = false;        ///< several candidates, which is an error and not a lack
};

/// Lists the folder once; looking an item up touches the disk no more.
class SlideFolder {
 public:
  /// Throws Error::io when `root` is not a readable folder.
  explicit SlideFolder(const std::filesystem::path& root);

  SlideMatch find(const Item& item) const;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
  std::vector<std::string> files_;  ///< relative, sorted
};

}  // namespace assay::qa
