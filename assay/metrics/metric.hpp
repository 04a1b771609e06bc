// SPDX-License-Identifier: Apache-2.0
/// One row per metric: its definition, and everything that is said about it anywhere.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/metrics/evidence.hpp"
#include "assay/metrics/lesion_settings.hpp"
#include "assay/metrics/score.hpp"
#include "assay/metrics/surface_rules.hpp"

namespace assay::metrics {

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
using Formula = std::variant<CountFormula, ParameterFormula, VolumeFormula, BoundaryFormula,
                             LesionFormula, ProbabilityFormula>;

/// CLI help, JSON schema, docs/metrics.md, the HTML report and the Python docstrings read this row.
struct Metric {
  std::string_view name;      ///< spelling in CLI, JSON and Python
  std::string_view title;     ///< for people
  std::string_view group;     ///< overlap, boundary, lesion, probability
  std::string_view equation;  ///< plain text
  std::string_view unit;      ///< "" for a ratio
  Better better;
  Range range;
  EmptyRule empty;
  /// What a failure of the model counts as, where failures are counted: the value of an empty or
  /// uninformative prediction. Infinity means the image's diagonal. Metrics that are best at zero
  /// give the size; too much is above zero, too little below.
  std::optional<double> failure;
  std::string_view note;       ///< one sentence on use or pitfall
  std::string_view reference;  ///< where the definition stands
  Formula formula;
  double argument = 0;  ///< of the formula: the percentile, or the tolerance in mm

  bool needs_only_counts() const {
    return std::holds_alternative<CountFormula>(formula) ||
           std::holds_alternative<ParameterFormula>(formula);
  }
  bool needs_boundary() const { return std::holds_alternative<BoundaryFormula>(formula); }
  bool needs_lesions() const { return std::holds_alternative<LesionFormula>(formula); }
  bool needs_probability() const { return std::holds_alternative<ProbabilityFormula>(formula); }
};

/// A requested metric: its row, and its argument if that is not the row's own.
struct ChosenMetric {
  const Metric* metric = nullptr;
  std::string key{};  ///< spelling in results: "dice", "hd99", "nsd@2mm"
  double argument = 0;
  bool if_present = false;  ///< asked for by "all": left out where no prediction has what it needs

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

/// The group that is scored unless another list is given.
inline constexpr std::string_view default_group = "standard";

/// The metrics of a comma-separated list of names and groups ("paper", "overlap", "all"), in the
/// order asked for and without repetition. Names are those of synonyms.hpp: "DSC" is dice. "all"
/// asks for those of probabilities only where a prediction is a map of them. `nsd` is at the first
/// of the tolerances in mm, and each other one adds a key of its own. Throws Error::usage on an
/// unknown or empty name.
std::vector<ChosenMetric> chosen_metrics(std::string_view list,
                                         std::span<const double> tolerances_mm = {});

/// The groups that `chosen_metrics` understands.
std::vector<std::string_view> metric_groups();

/// Whether a comma-separated list has the name of that group in it.
bool asks_for(std::string_view list, std::string_view group);

/// A named way to settle what definitions leave open, such as another tool's rules.
struct Convention {
  /// Exception to a metric's own rules; `otherwise` takes the place of any value that is undefined
  /// for another reason than the rule given here.
  struct Override {
    std::string_view metric;
    EmptyRule empty;
    std::optional<double> otherwise{};
  };

  std::string_view name;
  std::string_view summary;
  /// Metrics that the tool reports, and that are its own numbers here. All where none is listed.
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

/// The keys of those metrics that a convention does not cover: their values are assay's own.
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

extern const std::span<const Metric> overlap_metrics;
extern const std::span<const Metric> volume_metrics;
extern const std::span<const Metric> boundary_metrics;
extern const std::span<const Metric> lesion_metrics;
extern const std::span<const Metric> probability_metrics;

}  // namespace assay::metrics
