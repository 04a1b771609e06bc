// SPDX-License-Identifier: Apache-2.0
/// The options of everything that scores images, as typed; nothing is looked up or opened yet.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/results/foreign/trackers.hpp"
#include "assay/score.hpp"
#include "cli/arguments.hpp"
#include "cli/memory.hpp"
#include "cli/shard_options.hpp"

namespace assay::cli {

/// The help of --groups, the same for every command with cases.
inline constexpr const char* groups_help =
    "CSV or TSV table that adds columns, such as site, by 'id' or BIDS 'participant_id'";

/// Layouts of results; the value says whether it is nnU-Net's.
inline constexpr std::array<Named<bool>, 2> layouts = {{{"json", false}, {"nnunet", true}}};

/// The one word that --compat takes.
inline constexpr std::array<Named<bool>, 1> specification = {{{"spec", true}}};

/// "all", or "1,2,3".
template <>
struct Kind<score::LabelChoice> {
  static score::LabelChoice value(const std::string& text);
  static std::string shown(const score::LabelChoice&) { return ""; }
};

/// A union of labels: "whole=1,2,4".
template <>
struct Kind<metrics::Region> {
  static metrics::Region value(const std::string& text);
};

/// An experiment tracker and its folder: "mlflow=mlruns".
struct TrackerTarget {
  results::WriteTracked write = nullptr;
  std::string place{};
};

template <>
struct Kind<TrackerTarget> {
  static TrackerTarget value(const std::string& text);
};

struct ScoreOptions {
  metrics::ScoreSettings settings{};
  std::string ref, ref_pattern, model, dataset_json, groups, label_names, colors, spacing, level;
  score::LabelChoice labels;
  std::vector<metrics::Region> regions;
  std::vector<TrackerTarget> trackers;
  std::vector<double> nsd_tolerances = {metrics::metric("nsd").argument};
  std::optional<metrics::LesionRule> lesion_rule;  ///< unset: the convention's, also below
  std::optional<metrics::Connectivity> connectivity;
  std::optional<double> min_lesion_ml;
  std::string metrics, convention, csv;
  std::vector<std::string> own_metrics;  ///< files that declare them
  ContourSettings contours;
  std::optional<Bytes> max_memory;
  std::optional<metrics::Missing> missing;      ///< unset: the default of the settings
  std::optional<metrics::VolumeRule> volumes;   ///< likewise
  std::optional<metrics::Resampled> resampled;  ///< likewise
  /// Results are Grand Challenge's metrics.json. The platform treats any exit status but 0 as a
  /// broken evaluation, so failed cases do not change it.
  bool grand_challenge = false;
  ShardOptions shard;
  bool nnunet = false, anonymous = false, resume = false, keep_journal = false;
};

/// All but the options that say what is scored.
void declare_score_options(Arguments& arguments, ScoreOptions& options);

/// The metrics of the caller, and those declared in the files that the options name, whose programs
/// are started. Throws Error if two have the same name.
std::vector<std::shared_ptr<const metrics::OwnMetric>> open_own_metrics(
    const ScoreOptions& options, std::vector<std::shared_ptr<const metrics::OwnMetric>> of_caller);

/// Throws Error::usage for settings that make no sense. `own` are the user's own metrics.
metrics::ScoreSettings settings_of(const ScoreOptions& options,
                                   std::span<const std::shared_ptr<const metrics::OwnMetric>> own);

/// The request, except for the predictions that are scored.
score::CohortRequest request_of(const ScoreOptions& options);

}  // namespace assay::cli
