// SPDX-License-Identifier: Apache-2.0
/// The words of a report: a paragraph of methods, tables to paste.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/report/study.hpp"
#include "assay/report/text/paper_table.hpp"

namespace assay::report {

/// What was measured and tested, and how, in sentences ready to paste. `version` is this program's.
std::string methods_paragraph(const Study& study, std::string_view version);

/// A table with its name; markdown_table and latex_table print it.
struct NamedTable {
  std::string key, title;
  PaperTable table;
};

/// Every table that the study allows: the comparison, or a summary by model and metric; question
/// answering; folds.
std::vector<NamedTable> tables_to_paste(const Study& study);

}  // namespace assay::report
