// SPDX-License-Identifier: Apache-2.0
/// A table that adds columns to cases: site, scanner, age. BIDS' participants.tsv is such a table.
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
  /// neither, or when an id occurs twice.
  explicit GroupTable(const std::filesystem::path& path);

  /// The names of the columns that are groups.
  const std::vector<std::string>& columns() const { return columns_; }

  /// The values of a case in the order of the columns; null when no row matches. A row matches the
  /// case with its id. Otherwise it matches every case that has all BIDS entities of its id, so
  /// that `sub-01` also matches `sub-01_ses-2`. Of several such rows, the one with the most
  /// entities is used.
  const std::vector<std::string>* values_of(const std::string& id) const;

  /// The given cases that have no row.
  std::vector<std::string> without_row(std::span<const std::string> ids) const;

  /// The message for cases without a row: both spellings if no case has one, else how many.
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
