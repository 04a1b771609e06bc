// SPDX-License-Identifier: Apache-2.0
/// A scored cohort: what is known about each case, and what follows for the whole. Scores are
/// computed from evidence here and nowhere else, so a resumed or merged run gives the same numbers.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/contours.hpp"
#include "assay/executor.hpp"
#include "assay/metrics.hpp"

namespace assay::metrics {

/// What became of a case that was expected.
enum class Fate { scored, failed, missing_prediction, missing_reference };

std::string_view name(Fate fate);

/// What a failed or missing prediction counts as in means.
enum class Missing { exclude, worst, error };

/// How the interval of a mean is made: Student's t, or a bootstrap with bias correction and
/// acceleration (Efron 1987; 2000 resamples, seed 42). Where cases come in clusters it is Student's
/// t with a cluster-robust standard error and one degree of freedom less than there are clusters.
enum class MeanInterval { t, bca, cluster_t };

std::string_view name(MeanInterval interval);

/// What made the predictions, where assay ran the model itself.
struct PredictionSource {
  std::string backend{}, sha256{};        ///< of the model
  std::string recipe{}, recipe_sha256{};  ///< how images were prepared
  std::string space{};                    ///< in which the metrics are taken: "native", "model"
};

/// What distances are in: millimetres, or the widths of pixels or voxels whose size is not known.
enum class LengthUnit { mm, px };

std::string_view name(LengthUnit unit);

/// The unit of a metric's values: `unit` for lengths, otherwise the metric's own.
inline std::string_view unit_in(const Metric& metric, LengthUnit unit) {
  return metric.unit == "mm" ? name(unit) : metric.unit;
}

/// Which image of a pair is brought onto the other's grid, if any.
enum class Resampled { nothing, prediction, reference };

/// How labels are resampled: each voxel takes the nearest label, or the label with the largest
/// weight among its eight neighbours, as if each label's mask were interpolated linearly.
enum class Interpolation { nearest, linear };

/// What the volumes of a file with several volumes are. automatic: probabilities of classes, and
/// only in a prediction. labels: each is the mask of one label. classes: each holds the scores of
/// one class, and the highest score gives the label. time: each is a point in time and a case of
/// its own.
enum class VolumeRule { automatic, labels, classes, time };

/// Everything that decides a number; written into the result.
struct ScoreSettings {
  std::string model_name{};
  std::vector<ChosenMetric> metrics{};
  bool marks_reliable = false;  ///< tables mark a mean Dice that reaches `reliable_dice`
  const Convention* convention = &conventions().front();
  double beta = 1;
  LesionSettings lesions{};
  std::vector<Region> regions = {foreground_region()};
  bool all_labels = false;  ///< score every label that occurs; `regions` then only gives names
  std::optional<Label> ignored{};
  std::optional<double> threshold{};
  bool foreground_nonzero = false;  ///< foreground is every value but 0, negative ones too
  Missing missing = Missing::exclude;
  bool allow_affine_mismatch = false;
  bool compat_spec = false;  ///< the specification's numbers and JSON tokens
  MeanInterval interval = MeanInterval::t;
  std::optional<PredictionSource> source{};
  std::optional<ContourSettings> contours{};    ///< how contours become voxels, if there are any
  VoxelReader reader = VoxelReader::automatic;  ///< does not change the results
  /// More folders in which the images of contours may be; does not change the results either.
  std::vector<std::string> image_folders{};
  PictureRules pictures{};  ///< what pictures and arrays do not state themselves
  /// Resolution level of predictions; `pictures` has the references'.
  std::size_t prediction_level = 0;
  LengthUnit unit = LengthUnit::mm;  ///< known once the cases have been scored
  Resampled resampled = Resampled::nothing;
  Interpolation interpolation = Interpolation::nearest;
  VolumeRule volumes = VolumeRule::automatic;
};

using Groups = std::vector<std::pair<std::string, std::string>>;  ///< column, value

/// Whether any metric needs distances between surfaces.
bool needs_boundary(const ScoreSettings& settings);

/// Whether any metric needs lesions.
bool needs_lesions(const ScoreSettings& settings);

/// Whether any metric needs probabilities.
bool needs_probability(const ScoreSettings& settings);

/// Whether every metric needs probabilities, so that a map needs no threshold.
bool needs_only_probability(const ScoreSettings& settings);

/// Whether a probability metric was asked for by name, so that predictions must be probabilities.
bool requires_probability(const ScoreSettings& settings);

/// Whether any metric is the user's own.
bool has_own_metrics(const ScoreSettings& settings);

/// Which numbers to keep of the distances.
BoundaryRequest boundary_request(const ScoreSettings& settings);

/// Scores two masks of the same shape, voxel by voxel; non-zero is foreground, and the reference's
/// grid gives distances and volumes. Returns one score for each metric of the settings. Only
/// metrics, convention, beta and lesions of the settings are used. Throws Error::input when the
/// shapes differ.
std::vector<Score> score_masks(View<std::uint8_t> prediction, View<std::uint8_t> reference,
                               const ScoreSettings& settings);

/// What resampling did to one image of a case.
struct ResamplingEvidence {
  std::string from{};                  ///< the grid it had, in words
  std::int64_t before = 0, after = 0;  ///< voxels that are not background, on the old and new grid
  std::int64_t changed = 0;  ///< voxels of the old grid that differ after resampling back to it

  bool operator==(const ResamplingEvidence&) const = default;
};

/// What was measured on one case: one entry of the journal. It holds evidence; scores are computed
/// from it later.
struct CaseRecord {
  std::string id;
  Fate fate = Fate::failed;
  std::string error;                ///< why the case could not be scored; "" when it was
  bool reference_at_fault = false;  ///< it was the reference that could not be read
  std::vector<std::string> warnings{};
  Groups groups{};
  std::string prediction{}, reference{};  ///< as given, relative to the roots
  std::string prediction_sha256{}, reference_sha256{};
  std::string image{}, image_sha256{};        ///< what assay made the prediction from, if it did
  std::map<std::string, Confusion> counts{};  ///< by region key
  Boxed<OccurringLabels> labels{};            ///< if the files were read as label maps
  /// Keys of structures whose file is missing; a structure that lacks both is in the second list.
  std::vector<std::string> without_prediction{}, without_reference{};
  std::map<std::string, BoundaryEvidence> boundary{};        ///< by region key; if asked for
  std::map<std::string, LesionEvidence> lesions{};           ///< likewise
  std::map<std::string, ProbabilityEvidence> probability{};  ///< likewise
  std::map<std::string, OwnValues> own{};                    ///< likewise
  /// The prediction is a map without a threshold, so `counts` mean nothing.
  bool is_uncut_map = false;
  std::int64_t voxels = 0;  ///< voxels that were compared
  double voxel_ml = 0;
  double diagonal_mm = 0;  ///< of the reference's image; 0 when no metric needs it
  bool in_pixels = false;  ///< the voxel size is unknown: mm above are widths of voxels
  Boxed<ResamplingEvidence> resampling{};  ///< if an image was brought onto the other's grid

  bool operator==(const CaseRecord&) const = default;
};

/// How many values of the user's own metrics could not be computed.
std::size_t failed_own_values(const CaseRecord& record);

/// A deque releases the memory of records while they are scored, so that a large cohort is never in
/// memory twice.
using CaseRecords = std::deque<CaseRecord>;

/// One label or region of one case.
struct LabelScores {
  Evidence evidence;
  /// Set when the structure has no prediction or no reference; there is no evidence then.
  std::optional<Undefined> missing{};
  std::vector<Score> scores;  ///< one for each metric of the settings
  /// One for each metric: whether the model failed. There is no value then, or only one because
  /// failures count.
  std::vector<bool> failed{};
};

struct CaseScores {
  CaseRecord record;
  std::vector<LabelScores> labels;  ///< one for each region; empty when the case does not count
};

struct Ledger {
  std::size_t expected = 0, scored = 0, failed = 0, missing_prediction = 0, missing_reference = 0;
  /// Structures of scored cases without a prediction, and without a reference.
  std::size_t missing_structures = 0, missing_reference_structures = 0;
  /// Values of the user's own metrics, in scored cases, that could not be computed.
  std::size_t own_metric_failures = 0;

  /// Whether everything that was expected has been scored.
  bool is_complete() const {
    return scored == expected && missing_structures == 0 && missing_reference_structures == 0 &&
           own_metric_failures == 0;
  }
};

struct SegmentationResult {
  ScoreSettings settings;
  std::vector<Region> regions;    ///< what was scored, in order
  std::vector<CaseScores> cases;  ///< every expected case, by id
  Ledger ledger;
  std::vector<std::string> warnings{};  ///< of the cohort as a whole
};

/// Scores the records. The order of `records` does not matter; cases come out sorted by id. Metrics
/// that are `if_present` are left out of the result's settings when no record has what they need.
SegmentationResult scored(const ScoreSettings& settings, CaseRecords records,
                          const Executor& executor = {});

/// What a summary needs to know about its metric.
struct SummaryRules {
  Range range = {-infinity, infinity};  ///< intervals are cut to it
  MeanInterval interval = MeanInterval::t;
  /// The cluster of each score. If given, the interval is `cluster_t`, and there is none for fewer
  /// than six clusters.
  std::span<const std::size_t> clusters{};
};

/// The rules for a metric. A metric that assay does not know has no limits.
SummaryRules summary_rules(const std::optional<ChosenMetric>& metric,
                           MeanInterval interval = MeanInterval::t);

/// Distribution of one metric over cases.
struct Summary {
  std::size_t n = 0;                                            ///< cases with a value
  std::array<std::size_t, all_undefined.size()> undefined{};    ///< the rest, by reason
  std::optional<double> mean, std, median, q25, q75, min, max;  ///< std: ddof 1
  std::optional<std::pair<double, double>> ci95;                ///< of the mean; none below n = 2
  bool ci_clipped = false;                                      ///< it was cut to the range
  MeanInterval ci_method = MeanInterval::t;
};

Summary summary(std::span<const Score> scores, const SummaryRules& rules = {});

/// Whether a case has no readable prediction although its reference is not at fault.
bool is_models_failure(const CaseRecord& record);

/// Whether a case is in the means: it was scored, or counts as worst.
bool is_counted(const CaseScores& scores);

/// A case in one metric: the unweighted mean over its labels that have a value. It is undefined
/// when the model failed on one of them, and when none of them has a value.
struct CaseAverage {
  Score score;
  std::size_t region = 0;  ///< the region that leaves the average undefined
  bool failed = false;     ///< by the model's fault

  bool operator==(const CaseAverage&) const = default;
};

/// Which regions the average of a case is over: its labels, or its unions of labels where only
/// those were asked for. The two are never mixed.
std::vector<std::size_t> averaged_regions(std::span<const Region> regions);

/// The same in words: "labels 1, 2, 4", "regions WT, TC, ET". If there are more than `most`, the
/// first few and the last are named.
std::string averaged_words(std::span<const Region> regions, std::size_t most = 1000);

/// The average of one case over the regions that have a part in it.
CaseAverage average_of(const CaseScores& scores, std::span<const Region> regions,
                       std::size_t metric);

/// One average per counted case, in the order of cases.
std::vector<CaseAverage> averages_of(const SegmentationResult& result, std::size_t metric);

/// Their scores alone.
std::vector<Score> case_averages(const SegmentationResult& result, std::size_t metric);

/// What `case_averages` would give under other metrics, one list for each, if failures do not
/// count. It uses the evidence that was kept, so no file is read again.
std::vector<std::vector<Score>> averages_under(const SegmentationResult& result,
                                               std::span<const ChosenMetric> metrics,
                                               const Executor& executor = {});

/// How many values of labels the averages of cases leave out, by reason. These are nobody's fault:
/// a failure of the model would leave the average undefined.
using ReasonCounts = std::array<std::size_t, all_undefined.size()>;
ReasonCounts left_out_of_averages(const SegmentationResult& result, std::size_t metric);

/// Mean Dice of a region over the scored cases that have probabilities, at one threshold.
struct SweepMean {
  double threshold = 0;
  std::optional<double> dice{}, precision{}, recall{};
};
/// At every threshold of the sweep; empty when no case has probabilities.
std::vector<SweepMean> sweep_means(const SegmentationResult& result, std::size_t region);

/// The scores of one case at one threshold of the sweep.
SweepMean sweep_scores(const ProbabilityEvidence& evidence, std::size_t threshold);

/// The threshold with the highest Dice, the lowest of several; nothing when none has a value.
std::optional<SweepMean> best_threshold(std::span<const SweepMean> sweep);

/// The values of one region.
std::vector<Score> region_scores(const SegmentationResult& result, std::size_t metric,
                                 std::size_t region);

/// What the model's failures do to a mean: predictions that failed or are missing, and values that
/// are undefined through its fault. They matter for the mean, whatever the settings count.
struct FailureEffect {
  std::size_t failures = 0;              ///< cases in which the model failed
  std::size_t n = 0;                     ///< the others, and so the cases of `mean_without`
  std::optional<double> mean_without{};  ///< over the cases that have a value
  /// With every failure counted as the metric's row says; none when it does not say, or when the
  /// size of an image is not known.
  std::optional<double> mean_with{};
};

/// For the averages of cases, or for one region.
FailureEffect failure_effect(const SegmentationResult& result, std::size_t metric,
                             std::optional<std::size_t> region = std::nullopt);

/// How often the model failed, by the way it did.
struct FailureCounts {
  std::size_t failed_predictions = 0, missing_predictions = 0;  ///< cases
  std::size_t missing_structures = 0;                           ///< labels of scored cases
  /// Labels of scored cases for which some metric is undefined because of it.
  std::size_t empty_predictions = 0, false_alarms = 0;
};
FailureCounts failure_counts(const SegmentationResult& result);

/// For each of the user's own metrics that failed: how often, and its first message.
std::vector<std::string> own_failure_sentences(const ScoreSettings& settings,
                                               std::span<const CaseRecord* const> records);
std::vector<std::string> own_failure_sentences(const SegmentationResult& result);

}  // namespace assay::metrics
