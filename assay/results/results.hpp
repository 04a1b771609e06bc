// SPDX-License-Identifier: Apache-2.0
/// Results files: `assay.segmentation/1` out and in, the long CSV, nnU-Net's summary.json, and the
/// records of the journal. docs/formats/results.md describes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/compare/result_table.hpp"
#include "assay/metrics/results.hpp"
#include "assay/results/scored_files.hpp"

namespace assay::results {

inline constexpr std::string_view segmentation_schema = "assay.segmentation/1";

/// Where a result comes from: the only part of a results file that differs between two runs on the
/// same inputs with the same settings.
struct Provenance {
  std::string version, commit;
  std::vector<std::string> command;
  std::string started, finished;      ///< ISO 8601, UTC
  std::optional<std::string> host{};  ///< absent in anonymous results
  unsigned jobs = 1;
  CaseRoots roots{};  ///< of the cases' files, as absolute paths; empty in anonymous results
  std::string settings_sha256{};  ///< of scoring: says whether a run asks for the same again
};

/// The text of an `assay.segmentation/1` file.
std::string results_text(const metrics::SegmentationResult& result, const Provenance& provenance);

/// The long form, one value a line: model,case,label,metric,value,status, then the groups.
std::string long_csv(const metrics::SegmentationResult& result);

/// The layout of nnU-Net's summary.json.
std::string nnunet_summary(const metrics::SegmentationResult& result);

/// Every setting that decides a number, as one line of JSON: what is hashed for the journal.
std::string settings_text(const metrics::ScoreSettings& settings);
std::string settings_sha256(const metrics::ScoreSettings& settings);

/// A hash over id, files and content of all cases.
std::string inputs_sha256(const metrics::SegmentationResult& result);

/// One case as one line of JSON, and back. Throws Error::input on text that is not such a record.
std::string record_text(const metrics::CaseRecord& record);
metrics::CaseRecord parse_record(std::string_view text);

/// Reads the models of a results file, whichever of the known layouts it has: ours, the
/// specification's EvaluationResult, nnU-Net's summary.json, CSV or TSV with a row per case or per
/// value. Throws Error naming file and fault.
std::vector<compare::ResultTable> read_results(const std::filesystem::path& path);

/// The same for text that is in memory already; `name`, a path, is used in messages and names the
/// model if the text does not.
std::vector<compare::ResultTable> parse_results(std::string_view text, const std::string& name);

}  // namespace assay::results
