// SPDX-License-Identifier: Apache-2.0
/// Results files of assay and of other tools, in and out.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/compare.hpp"
#include "assay/metrics.hpp"
#include "assay/parity.hpp"

namespace assay::results {

// ---- Where results come from.

/// The folders that the paths of cases start from; "" where there is none or it is not known.
struct CaseRoots {
  std::filesystem::path prediction{}, reference{}, image{};

  bool operator==(const CaseRoots&) const = default;
};

/// Their keys in `provenance.roots`.
inline constexpr std::pair<std::string_view, std::filesystem::path CaseRoots::*> root_members[] = {
    {"prediction", &CaseRoots::prediction},
    {"reference", &CaseRoots::reference},
    {"image", &CaseRoots::image},
};

/// Where a result comes from: the only part of a results file that differs between two runs on the
/// same inputs with the same settings.
struct Provenance {
  std::string version{}, commit{};
  std::vector<std::string> command{};
  std::string started{}, finished{};  ///< ISO 8601, UTC
  std::optional<std::string> host{};  ///< absent in anonymous results
  unsigned jobs = 1;
  CaseRoots roots{};  ///< of the cases' files, as absolute paths; empty in anonymous results
  std::string settings_sha256{};  ///< of scoring: tells whether a run asks for the same again

  bool operator==(const Provenance&) const = default;
};

// ---- Results files: `assay.segmentation/1`, the long CSV and nnU-Net's summary.json out, every
// known layout in. docs/formats/results.md describes them.

/// The text of an `assay.segmentation/1` file.
std::string results_text(const metrics::SegmentationResult& result, const Provenance& provenance);

/// Writes such a file, whole or not at all. Throws Error::io.
void write_results(const std::filesystem::path& path, const metrics::SegmentationResult& result,
                   const Provenance& provenance);

/// The long form, one value a line: model,case,label,metric,value,status, then the groups.
std::string long_csv(const metrics::SegmentationResult& result);

/// The layout of nnU-Net's summary.json.
std::string nnunet_summary(const metrics::SegmentationResult& result);

/// Reads the models of a results file, whichever of the known layouts it has: ours, the
/// specification's EvaluationResult, nnU-Net's summary.json, CSV or TSV with a row per case or per
/// value. Throws Error naming file and fault.
std::vector<compare::ResultTable> read_results(const std::filesystem::path& path);

/// The same for text that is in memory already; `name`, a path, is used in messages and names the
/// model if the text does not.
std::vector<compare::ResultTable> parse_results(std::string_view text, const std::string& name);

/// All models of all files, in the order given. The first file that cannot be read decides the
/// Error, whatever the number of threads.
std::vector<compare::ResultTable> read_result_files(std::span<const std::string> paths,
                                                    unsigned jobs);

/// Adds the columns of a table (see group_table.hpp) to the groups of the cases. Notes which cases
/// have no row in it.
std::vector<std::string> add_groups(std::vector<compare::ResultTable>& tables,
                                    const std::filesystem::path& path);

// ---- `assay.comparison/1`: what was compared, and every number of it. docs/formats/comparison.md
// describes it.

inline constexpr std::string_view comparison_schema = "assay.comparison/1";

/// The text of an `assay.comparison/1` file; `with_paper` adds the published models.
std::string comparison_text(const compare::Comparison& comparison, bool with_paper,
                            const Provenance& provenance);

/// The part of a saved comparison that people look at again: one model in one metric.
struct SavedPair {
  std::string model_name, metric;
  std::size_t n = 0;
  std::optional<double> difference{};
  std::optional<std::pair<std::optional<double>, std::optional<double>>> ci95{};
  std::optional<double> corrected_p_value{};
  std::string verdict{};
  std::optional<std::string> sentence{};
};

struct SavedComparison {
  std::string baseline;
  std::vector<SavedPair> pairs{};
};

/// Throws Error::input, with `name`, on anything but an `assay.comparison/1` file.
SavedComparison parse_comparison(std::string_view text, const std::string& name);

// ---- Results of an experiment, as parity needs them: the original system's files, `assay folds`,
// `assay.segmentation/1`, and single runs. docs/parity.md says which field is read when.

struct ExperimentReading {
  /// Only what the specification's code reads, and the values that it invents.
  bool compat_spec = false;
};

/// Numbers that are absent, null, not finite or not numbers are missing, with the reason. Throws
/// Error when the file cannot be read, is not a JSON object, or has another schema.
parity::Achieved read_experiment(const std::filesystem::path& path,
                                 const ExperimentReading& how = {});

/// The same for text that is in memory already; `name` is used in messages.
parity::Achieved parse_experiment(std::string_view text, const std::string& name,
                                  const ExperimentReading& how = {});

/// Parameters, channels and dilations, wherever a file that describes a network has them.
parity::NetworkDescription read_model_description(const std::filesystem::path& path);
parity::NetworkDescription parse_model_description(std::string_view text, const std::string& name);

// ---- Published results of any paper: docs/formats/paper.md.

/// Throws Error::input naming file, model and field at fault.
parity::Paper read_paper(const std::filesystem::path& path);

/// The same for text that is in memory already; `name` is used in messages.
parity::Paper parse_paper(std::string_view text, const std::string& name);

/// Every model of a paper, with Dice for each million parameters; `read_paper` reads it back.
std::string paper_text(const parity::Paper& paper);

// ---- `assay.parity/1`: docs/formats/parity.md.

inline constexpr std::string_view parity_schema = "assay.parity/1";

/// The text of an `assay.parity/1` file.
std::string parity_text(const parity::ParityReport& report, const Provenance& provenance);

/// What people look at again: verdicts, values, limits, sentences. The file does not contain the
/// samples that they come from. Throws Error::input, with `name`, on anything but such a file.
parity::ParityReport parse_parity(std::string_view text, const std::string& name);

}  // namespace assay::results
