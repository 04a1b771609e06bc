// SPDX-License-Identifier: Apache-2.0
/// What became of every question of a benchmark: the data of `assay.qa/1`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/qa/values/usage.hpp"
#include "assay/stats/classification.hpp"

namespace assay::qa {

/// The classes of the ledger; every expected item is in exactly one.
///   unparsed   an answer came, but no label could be read from it
///   missing    its slide is not there
///   skipped    not asked: another selection, the budget, an interruption
enum class Outcome { scored, unparsed, refused, truncated, errored, missing, skipped };

std::span<const Named<Outcome>> outcomes();

/// A label read from an answer, and why: which rule, and where in the text (bytes).
struct ExtractedAnswer {
  std::optional<std::int64_t> label{};
  std::string raw{};   ///< the answer without white space around it
  std::string rule{};  ///< of the one that fired, or why none did: "contradiction", "none" ...
  std::pair<std::size_t, std::size_t> span{};  ///< [begin, end) in `raw`
};

/// One run over an item: what votes.
struct Attempt {
  unsigned run = 0;
  Outcome outcome = Outcome::skipped;
  ExtractedAnswer answer{};  ///< `raw` is the prediction
  std::optional<double> cost_usd{};
  std::optional<std::int64_t> total_tokens{};
  unsigned calls = 0;             ///< answered calls behind it
  std::string trajectory_file{};  ///< relative to the run's folder
  std::string error{};
};

struct ItemResult {
  std::string item_id;
  std::string slide{};  ///< image_path: items of one slide are not independent
  Outcome outcome = Outcome::skipped;
  std::string prediction{};
  std::optional<std::int64_t> predicted_label{};
  std::int64_t truth_label = 0;
  bool correct = false;
  std::string rule{};
  std::pair<std::size_t, std::size_t> span{};
  std::optional<double> cost_usd{};  ///< of all runs; nothing when any part is unknown
  std::optional<std::int64_t> total_tokens{};
  std::string trajectory_file{};
  std::string error{};
  std::vector<Attempt> votes{};  ///< by run
  std::vector<std::string> options{};
};

/// The content of one `RUN/<benchmark>_results.json`, without scores: those are computed from it.
struct QaResult {
  std::string run_id, benchmark_name, model_name;
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  /// Name and value (as JSON text) of every setting, in order.
  std::vector<std::pair<std::string, std::string>> config{};
  std::vector<ItemResult> results{};  ///< in the order of the table
  std::string timestamp{};
};

}  // namespace assay::qa
