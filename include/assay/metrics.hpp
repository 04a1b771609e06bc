// SPDX-License-Identifier: Apache-2.0
/// Metrics: what is counted, the table of metrics, conventions, and scores of evidence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/named.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

// ---- What a metric yields.

/// Why a metric has no value. A reader can then tell "bad" from "not defined".
enum class Undefined {
  both_empty,
  reference_empty,
  prediction_empty,
  zero_denominator,
  not_probabilities,
  not_a_mask,
  missing_prediction,
  missing_reference,
  no_voxel_size,
  not_scored,
  own_metric_undefined,
  own_metric_failed
};

/// Every reason, in the order in which they are shown.
inline constexpr std::array all_undefined = {
    Undefined::both_empty,         Undefined::reference_empty,      Undefined::prediction_empty,
    Undefined::zero_denominator,   Undefined::not_probabilities,    Undefined::not_a_mask,
    Undefined::missing_prediction, Undefined::missing_reference,    Undefined::no_voxel_size,
    Undefined::not_scored,         Undefined::own_metric_undefined, Undefined::own_metric_failed};

/// A number, or the reason there is none. Never NaN, never a silent 0.
using Score = std::variant<double, Undefined>;

/// A count as a number to calculate with.
constexpr double real(std::int64_t count) {
  return static_cast<double>(count);
}

/// The quotient, or `zero_denominator`.
constexpr Score ratio(double numerator, double denominator) {
  if (denominator == 0) return Undefined::zero_denominator;
  return numerator / denominator;
}

/// The number, if there is one.
constexpr std::optional<double> value(const Score& score) {
  if (const auto* number = std::get_if<double>(&score)) return *number;
  return std::nullopt;
}

/// The spelling used in JSON, CSV and the report.
constexpr std::string_view name(Undefined why) {
  switch (why) {
    case Undefined::both_empty: return "both_empty";
    case Undefined::reference_empty: return "reference_empty";
    case Undefined::prediction_empty: return "prediction_empty";
    case Undefined::zero_denominator: return "zero_denominator";
    case Undefined::not_probabilities: return "not_probabilities";
    case Undefined::not_a_mask: return "not_a_mask";
    case Undefined::missing_prediction: return "missing_prediction";
    case Undefined::missing_reference: return "missing_reference";
    case Undefined::no_voxel_size: return "no_voxel_size";
    case Undefined::not_scored: return "not_scored";
    case Undefined::own_metric_undefined: return "own_metric_undefined";
    case Undefined::own_metric_failed: return "own_metric_failed";
  }
  return "";
}

// ---- What is measured once per case; every metric is a function of it.

/// Voxel counts of one label or region against the rest.
struct Confusion {
  std::int64_t tp = 0, fp = 0, fn = 0, tn = 0;

  constexpr std::int64_t prediction() const { return tp + fp; }
  constexpr std::int64_t reference() const { return tp + fn; }
  constexpr std::int64_t total() const { return tp + fp + fn + tn; }
  constexpr bool operator==(const Confusion&) const = default;
};

/// What is kept of the distances from one surface to the other: the numbers that the requested
/// metrics need, at full precision.
struct DirectedEvidence {
  double weight = 0;  ///< of the whole surface: voxels, or mm2
  double sum_mm = 0;  ///< of distance times weight
  double greatest_mm = 0;
  std::map<double, double> percentile_mm{};  ///< by percent
  std::map<double, double> within{};         ///< weight by tolerance in mm

  bool operator==(const DirectedEvidence&) const = default;
};

/// Two surfaces that both exist.
struct BoundaryEvidence {
  DirectedEvidence prediction{}, reference{};
  std::map<double, double> pooled_percentile_mm{};  ///< of both directions as one list
  std::int64_t common = 0, either = 0;  ///< border voxels common to both masks, and of either
  /// Length of the reference's outlines on its slices that the prediction lacks.
  double added_path_mm = 0;

  bool operator==(const BoundaryEvidence&) const = default;
};

/// A connected component of a mask, and what it was matched with on the other side.
struct MatchedLesion {
  std::int64_t voxels = 0;
  std::array<double, 3> centroid_mm{};
  bool matched = false;  ///< detected if of the reference, a true lesion if of the prediction
  std::vector<std::uint32_t> partners{};  ///< numbers on the other side, from 0
  double dice = 0;                        ///< of a reference's lesion with all of its partners
  std::optional<double> hd95_mm{};        ///< likewise; if asked for, and it has partners

  bool operator==(const MatchedLesion&) const = default;
};

/// Limits between bins of lesion size; the first bin has no lower limit, the last no upper one.
inline constexpr std::array<double, 4> lesion_bins_ml = {0.1, 1, 10, 100};

struct LesionBin {
  std::int64_t lesions = 0, detected = 0;

  bool operator==(const LesionBin&) const = default;
};

/// All lesions of both masks under one rule of matching.
struct LesionEvidence {
  std::int64_t references = 0, predictions = 0;  ///< lesions
  std::int64_t detected = 0, confirmed = 0;      ///< of the reference, of the prediction
  double dice_sum = 0;                           ///< of the reference's lesions; a missed one has 0
  double hd95_sum_mm = 0;                        ///< of those detected, if asked for
  double iou_sum = 0;  ///< of the pairs with IoU > 0.5 (panoptica: >= 0.5), one to one
  std::int64_t iou_pairs = 0;
  double penalty_mm = 0;     ///< the distance that a missed or false lesion counts as
  bool harmonic_f1 = false;  ///< F1 from precision and recall, not from counts of lesions
  std::array<LesionBin, lesion_bins_ml.size() + 1> by_size{};
  std::vector<MatchedLesion> reference{}, prediction{};  ///< the first thousand of each

  std::int64_t missed() const { return references - detected; }
  std::int64_t false_alarms() const { return predictions - confirmed; }
  bool operator==(const LesionEvidence&) const = default;
};

/// Thresholds at which overlap is reported: foreground is a probability of at least that much.
inline constexpr std::array<double, 19> sweep_thresholds = {
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5,
    0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};

/// Voxels that are foreground at one threshold.
struct SweepCounts {
  std::int64_t tp = 0, fp = 0;

  bool operator==(const SweepCounts&) const = default;
};

/// Bins of equal width; each includes its upper end, and the first includes 0 too.
inline constexpr std::size_t calibration_bins = 15;

struct CalibrationBin {
  std::int64_t voxels = 0, positives = 0;
  double sum = 0;  ///< of probabilities

  bool operator==(const CalibrationBin&) const = default;
};

/// How a map of probabilities orders the voxels of a reference, and how well it is calibrated.
struct ProbabilityEvidence {
  std::int64_t voxels = 0, positives = 0;  ///< positives: foreground of the reference
  double pairs_won = 0;  ///< pairs of a positive and a negative voxel, ordered right; a tie is half
  double precision_sum = 0;  ///< over positive voxels, of the precision at their probability
  double squared_error = 0;
  std::array<CalibrationBin, calibration_bins> bins{};
  std::array<SweepCounts, sweep_thresholds.size()> sweep{};

  std::int64_t negatives() const { return voxels - positives; }
  bool operator==(const ProbabilityEvidence&) const = default;
};

/// What a metric of the user's own gave for one label of one case.
struct OwnValue {
  std::optional<double> value{};
  bool failed = false;    ///< it could not be computed, as opposed to having no value
  std::string message{};  ///< why there is no value; "": no reason was given

  bool operator==(const OwnValue&) const = default;
};

/// By the name of the metric.
using OwnValues = std::map<std::string, OwnValue>;

/// An optional value that takes only a pointer when it is absent. There are many labels of many
/// cases, and few of them have all kinds of evidence.
template <class Value>
class Boxed {
 public:
  Boxed() = default;
  Boxed(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
  Boxed(std::optional<Value> value) {
    if (value) value_ = std::make_unique<Value>(std::move(*value));
  }
  Boxed(const Boxed& other) : value_(other ? std::make_unique<Value>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const Value& operator*() const { return *value_; }
  Value& operator*() { return *value_; }
  const Value* operator->() const { return value_.get(); }
  Value* operator->() { return value_.get(); }
  bool operator==(const Boxed& other) const {
    return value_ && other.value_ ? *value_ == *other.value_ : value_ == other.value_;
  }

 private:
  std::unique_ptr<Value> value_;
};

/// Everything that is known about one label in one case.
struct Evidence {
  Confusion counts;
  double voxel_ml = 0;                       ///< of one voxel of the reference; 0: not known
  Boxed<BoundaryEvidence> boundary{};        ///< if asked for, and neither mask is empty
  Boxed<LesionEvidence> lesions{};           ///< if asked for, and not both masks are empty
  Boxed<ProbabilityEvidence> probability{};  ///< if asked for, and the prediction has any
  Boxed<OwnValues> own{};                    ///< of the user's own metrics, if there are any
  bool is_uncut_map = false;  ///< the prediction is a map without threshold: no mask, no counts

  bool operator==(const Evidence&) const = default;
};

/// Which masks are not empty.
enum class Presence { ok, reference_empty, prediction_empty, both_empty };

inline constexpr std::array all_presence = {Presence::ok, Presence::reference_empty,
                                            Presence::prediction_empty, Presence::both_empty};

/// The spelling used in JSON: the status of a label.
constexpr std::string_view name(Presence presence) {
  constexpr std::string_view names[] = {"ok", "reference_empty", "prediction_empty", "both_empty"};
  return names[static_cast<std::size_t>(presence)];
}

constexpr Presence presence(const Confusion& counts) {
  if (counts.reference() != 0)
    return counts.prediction() != 0 ? Presence::ok : Presence::prediction_empty;
  return counts.prediction() != 0 ? Presence::reference_empty : Presence::both_empty;
}

// ---- From voxels to counts, in one pass.

/// Counts two masks in which non-zero is foreground. The views must have the same number of voxels
/// in the same order; the caller must have checked that they lie on the same grid.
Confusion count_foreground(std::span<const std::uint8_t> prediction,
                           std::span<const std::uint8_t> reference);

/// How many words `pack_foreground` needs for this number of voxels.
constexpr std::size_t packed_words(std::size_t voxels) {
  return (voxels + 63) / 64;
}

/// A mask as one bit per voxel, the first voxel lowest; bits after the last voxel are 0. A packed
/// mask is small enough to stay in the cache while the other file is read into the same memory.
void pack_foreground(std::span<const std::uint8_t> mask, std::span<std::uint64_t> bits);

/// The same counts against a packed reference.
Confusion count_foreground(std::span<const std::uint8_t> prediction,
                           std::span<const std::uint64_t> reference_bits);

/// How many voxels the prediction gives one label and the reference another.
struct JointCount {
  Label prediction = 0, reference = 0;
  std::int64_t voxels = 0;

  bool operator==(const JointCount&) const = default;
};

/// The joint histogram of two label maps, ascending, without zero entries: one pass over the voxels
/// from which the counts of every label, every region and any ignored label follow.
std::vector<JointCount> joint_counts(const LabelView& prediction, const LabelView& reference);

/// What is scored as one: a label, a union of labels, or everything above zero.
struct Region {
  std::string key;               ///< spelling in results: "1", "whole", "foreground"
  std::string name;              ///< for people; equal to the key when no better one is known
  std::vector<Label> members;    ///< ascending; empty for the foreground: every value above zero
  bool is_union = false;         ///< a region: labels that were named together, one or several
  std::optional<Color> color{};  ///< as a look-up table has it; changes nothing that is measured

  bool contains(Label label) const;
  bool operator==(const Region&) const = default;
};

/// The key and name of the region that is scored when nothing else is asked for.
Region foreground_region();

/// Counts of one region against the rest. Voxels whose reference is `ignored` are not counted at
/// all.
Confusion confusion(std::span<const JointCount> counts, const Region& region,
                    std::optional<Label> ignored = std::nullopt);

/// Ascending, each once.
std::vector<Label> distinct(std::vector<Label> labels);

/// Labels that occur in each of two maps, the background included; ascending.
struct OccurringLabels {
  std::vector<Label> prediction{}, reference{};

  bool operator==(const OccurringLabels&) const = default;
};

OccurringLabels occurring_labels(std::span<const JointCount> counts);

/// Every label but the background that occurs in either map, ascending.
std::vector<Label> labels_in(const OccurringLabels& found);

// ---- What definitions of surface distances leave open, as a convention settles it.

struct SurfaceRules {
  /// border_voxels: voxels with background next to them, each counting 1. surfels: points at the
  /// corners of voxels, weighted by the area that marching cubes puts there. faces: the faces
  /// between foreground and background themselves, weighted by their area.
  enum class Elements { border_voxels, surfels, faces };

  Elements elements = Elements::border_voxels;
  /// An axis of one voxel counts, so every voxel of a single slice is border.
  bool thin_axes = false;
  bool steps = false;          ///< a percentile is one of the distances, not interpolated
  bool pooled = false;         ///< percentiles of both directions as one list, not the greater
  bool assd_of_means = false;  ///< ASSD is the mean of two means, which others call MASD
  bool nsd_of_shares = false;  ///< NSD is the mean of two shares, not the share of both surfaces

  constexpr bool operator==(const SurfaceRules&) const = default;
};

/// Which numbers are to be kept of the distances.
struct BoundaryRequest {
  std::vector<double> percentiles, tolerances_mm;

  bool operator==(const BoundaryRequest&) const = default;
};

// ---- What a lesion is and when it counts as found: chosen by the user, or defined by a
// convention.

/// Which voxels are neighbours: those that share a face; a face or an edge; or a corner as well.
enum class Connectivity { faces = 6, edges = 18, corners = 26 };

/// When a lesion counts as found.
/// any: one voxel in common (ISLES, WMH). brats: reference lesions that meet when dilated are one,
/// and a prediction finds them by touching the dilated lesion. anima: at least 10 % covered, by
/// lesions that lie outside by no more than 70 %. iou: IoU > 0.5, one to one.
enum class LesionRule { any, brats, anima, iou };

std::span<const Named<LesionRule>> lesion_rules();
std::string_view name(LesionRule rule);

struct LesionSettings {
  LesionRule rule = LesionRule::any;
  Connectivity connectivity = Connectivity::corners;
  double least_ml = 0;        ///< smaller lesions are left out, on both sides
  bool half_matches = false;  ///< an IoU of exactly 0.5 makes a pair, for the rule iou and for pq

  bool operator==(const LesionSettings&) const = default;
};

// ---- One row per metric: its definition, and everything that is said about it anywhere.

/// Which way a value improves. `zero`: the nearer to zero the better; `neither`: it only informs.
enum class Better { higher, lower, zero, neither };

/// The spelling used in JSON and help.
std::string_view name(Better better);

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Range {
  double low = 0, high = 1;
};

/// The score when a mask is empty. Where nothing is stated, the formula decides.
struct EmptyRule {
  std::optional<Score> both{}, reference{}, prediction{};
};

/// What formulas take besides evidence; written into every result.
struct Parameters {
  double beta = 1;         ///< weight of recall in fbeta
  double dice_smooth = 0;  ///< added to numerator and denominator of Dice by some tools
};

/// The argument of a formula says which evidence it needs; the pipeline gathers no other.
using CountFormula = Score (*)(const Confusion&);
using ParameterFormula = Score (*)(const Confusion&, const Parameters&);
using VolumeFormula = Score (*)(const Confusion&, double voxel_ml);
using BoundaryFormula = Score (*)(const BoundaryEvidence&, const SurfaceRules&, double argument);
using LesionFormula = Score (*)(const LesionEvidence&);
using ProbabilityFormula = Score (*)(const ProbabilityEvidence&);
struct OwnFormula {};  ///< the user's own, computed from masks while a case is read
using Formula = std::variant<CountFormula, ParameterFormula, VolumeFormula, BoundaryFormula,
                             LesionFormula, ProbabilityFormula, OwnFormula>;

/// CLI help, JSON schema, docs/metrics.md, the HTML report and the Python docstrings read this row.
struct Metric {
  std::string_view name;      ///< spelling in CLI, JSON and Python
  std::string_view title;     ///< for people
  std::string_view brief{};   ///< for narrow columns, where the name will not do: "HD95"
  std::string_view also{};    ///< other names, separated by commas; only unambiguous ones
  std::string_view group;     ///< overlap, boundary, lesion, probability, own
  std::string_view equation;  ///< plain text
  std::string_view unit;      ///< "" for a ratio
  Better better;
  Range range;
  EmptyRule empty;
  /// What a failure of the model counts as, where failures are counted: the value of an empty or
  /// uninformative prediction. Infinity means the image's diagonal. For metrics that are best at
  /// zero it is a magnitude; predicting too much counts above zero, too little below.
  std::optional<double> failure;
  std::string_view note;       ///< one sentence on use or pitfall
  std::string_view reference;  ///< where the definition is given
  Formula formula;
  double argument = 0;  ///< of the formula: the percentile, or the tolerance in mm

  bool needs_only_counts() const {
    return std::holds_alternative<CountFormula>(formula) ||
           std::holds_alternative<ParameterFormula>(formula);
  }
  bool needs_boundary() const { return std::holds_alternative<BoundaryFormula>(formula); }
  bool needs_lesions() const { return std::holds_alternative<LesionFormula>(formula); }
  bool needs_probability() const { return std::holds_alternative<ProbabilityFormula>(formula); }
  bool is_own() const { return std::holds_alternative<OwnFormula>(formula); }
};

struct OwnMetric;  // a row of the user's own (own_metric.hpp)

/// A requested metric: its row, and its argument if that is not the row's own.
struct ChosenMetric {
  const Metric* metric = nullptr;
  std::string key{};  ///< spelling in results: "dice", "hd99", "nsd@2mm"
  double argument = 0;
  bool if_present = false;  ///< asked for by "all": left out where no prediction has what it needs
  std::shared_ptr<const OwnMetric> own{};  ///< owns the row where it is not in the table

  const Metric* operator->() const { return metric; }
  const Metric& operator*() const { return *metric; }
  bool operator==(const ChosenMetric&) const = default;
};

/// Every metric, in the order shown to people.
std::span<const Metric> metrics();

/// The metric of that name. Throws Error::usage, naming the nearest spelling.
const Metric& metric(std::string_view name);

/// The metric that a key of a result means: a name of the table, another percentile ("hd99"),
/// another tolerance ("nsd@2mm"). Nothing when there is none.
std::optional<ChosenMetric> metric_of_key(std::string_view key);

/// The key of a metric with an argument of its own: "hd" with "99" is hd99, "nsd" with "2" is
/// nsd@2mm. Nothing for a metric that takes none.
std::optional<std::string> key_with(std::string_view name, std::string_view argument);

/// The group that is scored unless another list is given.
inline constexpr std::string_view default_group = "standard";

/// The metrics of a comma-separated list of names and groups ("paper", "overlap", "all"), in the
/// order asked for and without repetition. Names may be those of synonyms.hpp: "DSC" is dice. With
/// "all", metrics of probabilities count only where a prediction is a map of probabilities. `nsd`
/// uses the first of the tolerances in mm, and each further tolerance adds a key of its own. The
/// user's own metrics are called by their names, too; those that the list does not name come last.
/// Throws Error::usage on an unknown or empty name.
std::vector<ChosenMetric> chosen_metrics(
    std::string_view list, std::span<const double> tolerances_mm = {},
    std::span<const std::shared_ptr<const OwnMetric>> own = {});

/// The groups that `chosen_metrics` understands.
std::vector<std::string_view> metric_groups();

/// Whether a comma-separated list has the name of that group in it.
bool asks_for(std::string_view list, std::string_view group);

/// A named way to settle what definitions leave open, such as another tool's rules.
struct Convention {
  /// Exception to a metric's own rules. `otherwise` replaces a value that is undefined for any
  /// reason that `empty` does not cover.
  struct Override {
    std::string_view metric;
    EmptyRule empty;
    std::optional<double> otherwise{};
  };

  std::string_view name;
  std::string_view summary;
  /// Metrics that the tool reports, and whose values here are those of the tool. Empty: all
  /// metrics.
  std::span<const std::string_view> covered{};
  double dice_smooth = 0;
  std::span<const Override> overrides{};
  SurfaceRules surface{};
  LesionSettings lesions{};  ///< unless the user asks for others

  bool covers(const Metric& metric) const;
};

/// Every convention; the first is the default.
std::span<const Convention> conventions();

/// The convention of that name. Throws Error::usage, naming the nearest spelling.
const Convention& convention(std::string_view name);

/// The keys of those metrics that a convention does not cover; their values follow assay's own
/// rules.
std::vector<std::string> not_covered(const Convention& convention,
                                     std::span<const ChosenMetric> metrics);

/// Applies the rule for empty masks, then the formula.
Score score(const ChosenMetric& metric, const Evidence& evidence, const Parameters& parameters = {},
            const Convention& convention = conventions().front());
Score score(const Metric& metric, const Evidence& evidence, const Parameters& parameters = {},
            const Convention& convention = conventions().front());

/// The lowest mean Dice at which Liew et al. (Scientific Data, 2022) call segmentations of stroke
/// lesions reliable. Tables mark means that reach it where the metrics of `paper` were asked for.
inline constexpr double reliable_dice = 0.85;

}  // namespace assay::metrics
