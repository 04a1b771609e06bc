// SPDX-License-Identifier: Apache-2.0
/// Scores of question answering for people: on one screen, or as Markdown.
#pragma once

#include <string>
#include <vector>

#include "assay/qa.hpp"
#include "assay/report/text/terminal.hpp"

namespace assay::report {

struct QaReportStyle {
  TerminalStyle terminal{};
  bool classes = false;  ///< the table of classes too
};

/// "accuracy", "balanced accuracy".
std::string_view qa_metric_words(stats::ClassificationMetric metric);

/// The headline with every interval by name, the ledger, both policies with their bounds, and the
/// published values.
std::string qa_report(const qa::ScoredQa& run, const QaReportStyle& style);

/// A row per benchmark.
std::string qa_markdown(const std::vector<qa::ScoredQa>& runs);

/// Two runs: the scores, the tests, and the items that changed.
std::string qa_comparison_report(const qa::QaComparison& comparison, const QaReportStyle& style);
std::string qa_comparison_markdown(const std::vector<qa::QaComparison>& comparisons);

/// One line per flip: benchmark,item_id,change,truth_label,first_label,second_label, ...
std::string qa_comparison_csv(const std::vector<qa::QaComparison>& comparisons);

}  // namespace assay::report
