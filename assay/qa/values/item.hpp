// SPDX-License-Identifier: Apache-2.0
/// Questions about slides, and the benchmarks they belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/stats/classification.hpp"

namespace assay::qa {

/// One question. Unique by (benchmark, id).
struct Item {
  std::string benchmark, id;
  std::string image_path, file_id;     ///< as the table has them; file_id may be empty
  std::string prompt;                  ///< as the model sees it: options injected, braces unescaped
  std::vector<std::string> options{};  ///< empty: none. Positions are labels, so blanks are kept
  std::int64_t truth = 0;              ///< from 1 with options; the ISUP grade 0 to 5 for PANDA
};

/// A benchmark that the published table has.
struct Task {
  std::string_view name;
  std::size_t questions = 0;
  std::size_t classes = 0;  ///< 0: differs between questions
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  std::string_view slide_folder;  ///< below --wsi-root, as people lay slides out
};

std::span<const Task> tasks();

/// Nothing for a benchmark that is not among them.
const Task* find_task(std::string_view name);

/// A benchmark of a table, in order of appearance.
struct Benchmark {
  std::string name;
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
};

struct ItemTable {
  std::vector<Item> items;  ///< valid rows in the order of the table
  std::vector<Benchmark> benchmarks;
  std::vector<std::string> warnings{};
  std::size_t rows = 0, invalid = 0;  ///< all rows; those that say is_valid = false
  std::string sha256{};               ///< of the file
};

}  // namespace assay::qa
