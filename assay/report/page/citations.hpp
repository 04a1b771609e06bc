// SPDX-License-Identifier: Apache-2.0
/// The papers of the methods that a report uses, as BibTeX.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report/study.hpp"

namespace assay::report {

/// A paper, a book or a thesis.
struct CitedWork {
  std::string_view key;   ///< of BibTeX: "dice1945"
  std::string_view name;  ///< as metrics and texts call it: "Dice 1945"
  std::string_view kind;  ///< of BibTeX: "article"
  std::string_view author, title, year;
  std::string_view place{};  ///< journal, book title, publisher or school
  std::string_view volume{}, number{}, pages{}, doi{};
};

std::span<const CitedWork> cited_works();

/// The works named by the `reference` of a metric's row, such as "Dice 1945; Metrics Reloaded
/// 2024".
std::vector<const CitedWork*> works_of_reference(std::string_view reference);

/// The works behind everything that the study measured and tested, in the order of our table.
std::vector<const CitedWork*> works_of(const Study& study);

/// A .bib file: these works, and this program.
std::string bibtex(std::span<const CitedWork* const> found, std::string_view version);

}  // namespace assay::report
