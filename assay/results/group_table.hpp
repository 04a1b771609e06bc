// SPDX-License-Identifier: Apache-2.0
/// Columns that a table adds to cases: site, scanner, age. BIDS' participants.tsv is such a table.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/base/bids.hpp"

namespace assay::results {

class GroupTable {
 public:
  /// Reads CSV or TSV with a column `id`, or BIDS' `participant_id`. Throws Error when it has
  /// neither, or an id twice.
  explicit GroupTable(const std::filesystem::path& path);

  /// The names of the columns that are groups.
  const std::vector<std::string>& columns() const { return columns_; }

  /// The values of a case in the order of the columns; null when no row is of this case. A row is
  /// of the case with its id, or else of every case that states all BIDS entities of its id:
  /// `sub-01` is of `sub-01_ses-2`, too.
  const std::vector<std::string>* values_of(const std::string& id) const;

  /// Which of these cases have no row.
  std::vector<std::string> without_row(std::span<const std::string> ids) const;

  /// What to tell when cases have no row: both spellings if none has one, else how many.
  std::string trouble(std::span<const std::string> without_row, std::size_t cases) const;

 private:
  struct Row {
    std::string id;
    Entities entities;
    std::vector<std::string> values;
  };

  std::string source_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;  ///< by id
};

}  // namespace assay::results
