// SPDX-License-Identifier: Apache-2.0
/// Results of question answering: `assay.qa/1` out and in; the specification's results file and the
/// JSON Lines of the GIANT authors in. docs/formats/qa.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/qa/answers/comparison.hpp"
#include "assay/qa/answers/scores.hpp"
#include "assay/qa/values/item.hpp"
#include "assay/qa/values/result.hpp"
#include "assay/results/results.hpp"

namespace assay::qa {

inline constexpr std::string_view qa_schema = "assay.qa/1";

/// The text of an `assay.qa/1` file, built item by item.
std::string qa_results_text(const QaResult& result, const QaScores& scores,
                            const results::Provenance& provenance);

void write_qa_results(const std::filesystem::path& path, const QaResult& result,
                      const QaScores& scores, const results::Provenance& provenance);

/// Several benchmarks as one document, without their items: `assay.qa-scores/1`.
struct ScoredQa {
  QaResult result;
  QaScores scores;
};
std::string qa_scores_text(const std::vector<ScoredQa>& runs,
                           const results::Provenance& provenance);

/// One line per item: benchmark,item_id,slide,outcome,truth_label,predicted_label,correct,rule,
/// cost_usd,total_tokens,prediction,error.
std::string qa_csv(const std::vector<ScoredQa>& runs);

/// The text of an `assay.qa-comparison/1` file.
std::string qa_comparison_text(const std::vector<QaComparison>& comparisons,
                               const QaComparisonSettings& settings,
                               const results::Provenance& provenance);

/// Whose file it was.
///   assay           labels, options and all votes are in it
///   specification   labels, no options
///   authors         texts only: JSON Lines of the GIANT authors, whose truths are in the table
enum class QaLayout { assay, specification, authors };

struct SavedQa {
  QaResult result;
  QaLayout layout = QaLayout::assay;
  std::string file{};
};

/// Reads a results file of any of these layouts; one of the authors can hold several benchmarks and
/// needs `table`. Throws Error naming file and fault.
std::vector<SavedQa> read_qa_results(const std::filesystem::path& path,
                                     const ItemTable* table = nullptr);

/// The same for text that is in memory already; `name` is used in messages.
std::vector<SavedQa> parse_qa_results(std::string_view text, const std::string& name,
                                      const ItemTable* table = nullptr);

}  // namespace assay::qa
