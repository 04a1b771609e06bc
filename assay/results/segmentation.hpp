// SPDX-License-Identifier: Apache-2.0
/// `assay.segmentation/1`, written and read; its first block is the specification's
/// EvaluationResult. docs/formats/results.md describes it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/text.hpp"
#include "assay/cohort.hpp"
#include "assay/compare.hpp"
#include "assay/executor.hpp"
#include "assay/results.hpp"

namespace assay {
class JsonObject;
}

namespace assay::results {

inline constexpr std::string_view segmentation_schema = "assay.segmentation/1";

/// The metrics of the first block, whatever else was asked for.
inline constexpr std::array<const char*, 3> headline_metrics = {"dice", "avd", "mcc"};

/// Words and members of the file that its writer and its reader share.
namespace words {
inline constexpr std::string_view ok = "ok", failed = "failed";           ///< the status of a case
inline constexpr std::string_view counted_as_worst = "counted_as_worst";  ///< of its labels
inline constexpr std::string_view model = "model", nobody = "nobody";     ///< culprits
inline constexpr std::string_view label = "label", region = "region";     ///< kinds of labels
inline constexpr std::string_view nonzero = "nonzero", spec = "spec";     ///< settings
inline constexpr std::string_view of_file = "file";                       ///< likewise
inline constexpr std::pair<const char*, std::int64_t metrics::Confusion::*> counts[] = {
    {"tp", &metrics::Confusion::tp},
    {"fp", &metrics::Confusion::fp},
    {"fn", &metrics::Confusion::fn},
    {"tn", &metrics::Confusion::tn}};
}  // namespace words

/// The text of such a file, written piece by piece, so that any number of cases needs little
/// memory. The bytes do not depend on the executor.
void write_results_text(const metrics::SegmentationResult& result, const Provenance& provenance,
                        const TextSink& sink, const Executor& executor = {});

/// The same for the layouts of nnU-Net's summary.json, of Grand Challenge's metrics.json and of the
/// long CSV.
void write_nnunet_summary(const metrics::SegmentationResult& result, const TextSink& sink,
                          const Executor& executor = {});
void write_grand_challenge(const metrics::SegmentationResult& result, const TextSink& sink,
                           const Executor& executor = {});
void write_long_csv(const metrics::SegmentationResult& result, const TextSink& sink);

/// A hash over every setting that affects a number.
std::string settings_sha256(const metrics::ScoreSettings& settings);

/// A hash over id, files and content of all cases.
std::string inputs_sha256(const metrics::SegmentationResult& result);

/// A number of a file, which may be absent, null, NaN or infinite.
struct ToldNumber {
  bool is_absent = true;
  std::optional<double> value{};
};

/// One metric of the first block.
struct HeadlineBlock {
  std::string metric;
  ToldNumber mean{}, std{};                                    ///< of the headline's metrics only
  std::optional<std::vector<std::optional<double>>> values{};  ///< never NaN
};

struct SavedSummary {
  std::string key;
  std::optional<metrics::ChosenMetric> metric{};  ///< none when it is not one of ours
  metrics::Summary summary{};
  metrics::FailureEffect failures{};
  bool is_whole = false;  ///< the file has all of its numbers
};

/// A label or region, and its summaries.
struct SavedLabel {
  metrics::Region region;
  std::vector<SavedSummary> metrics{};
};

/// What a file says about one label of one case.
struct SavedScores {
  std::size_t label = 0;  ///< index among the file's labels
  std::string status{};
  std::vector<std::pair<std::size_t, std::optional<double>>> values{};  ///< by metric of the file
  std::vector<std::pair<std::size_t, metrics::Undefined>> undefined{};  ///< likewise
  std::optional<metrics::Confusion> counts{};  ///< none unless the volume of a voxel is also known
  double voxel_ml = 0;
};

struct SavedCase {
  metrics::CaseRecord record;  ///< fate, files, groups; no evidence
  std::vector<SavedScores> labels{};
};

struct SavedSettings {
  const metrics::Convention* convention = nullptr;  ///< none when it is not one of ours
  bool compat_spec = false;
  bool names_averaged = false;  ///< files of 0.1 do not: they averaged labels and regions together
  std::optional<double> threshold{};
  bool foreground_nonzero = false, allow_affine_mismatch = false;
  metrics::LengthUnit unit = metrics::LengthUnit::mm;
};

/// What a file says, as far as assay needs it.
struct SegmentationFile {
  std::string source, model_name;
  bool is_evaluation = false;  ///< the specification's: only the first block exists
  std::string lacks{};         ///< the first member that a comparison needs but the file lacks
  std::vector<HeadlineBlock> headline{};
  std::vector<SavedSummary> metrics{};
  std::vector<SavedLabel> labels{};
  std::vector<SavedCase> cases{};
  std::optional<metrics::Ledger> ledger{};
  std::vector<std::string> warnings{};
  SavedSettings settings{};
  Provenance provenance{};

  /// The block of that metric, or null.
  const HeadlineBlock* block(std::string_view metric) const;
};

/// The only reader of `assay.segmentation/1` and of the specification's EvaluationResult. Members
/// that files of 0.1 lack may be absent; members that are there must have the type that is written.
/// Throws an Error::input that names file, place and fault.
SegmentationFile parse_segmentation(const JsonObject& file);
SegmentationFile parse_segmentation(std::string_view text, const std::string& name);

/// Nothing when the text is not `assay.segmentation/1`. Throws Error when it is damaged.
std::optional<SegmentationFile> segmentation_in(std::string_view text, const std::string& name);

/// Values of cases and labels for comparisons. Throws Error::input where the file lacks them, or
/// when there is nothing to compare.
compare::ResultTable table_of(const SegmentationFile& file);

/// A run whose results need not be computed again.
struct FinishedRun {
  std::string text;  ///< the whole file
  SegmentationFile file;
};

/// Nothing when the file is absent, is not `assay.segmentation/1`, does not state its settings, or
/// lacks a part of the table that is shown.
std::optional<FinishedRun> read_finished_run(const std::filesystem::path& path);

}  // namespace assay::results
