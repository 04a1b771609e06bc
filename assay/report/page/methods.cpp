// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/report/figures/figure_scene.hpp"
#include "assay/report/figures/svg.hpp"
#include "assay/report/text/qa_scores.hpp"

namespace assay::report {
namespace {

// How the values of a study were measured, according to the settings in its files.

/// The distinct values of a setting in all files that have it.
std::vector<std::string> values_of(const Study& study, std::string_view key) {
  std::vector<std::string> out;
  for (const ResultSettings& each : study.settings)
    for (const auto& [name, value] : each.settings)
      if (name == key && value != "null" && std::ranges::find(out, value) == out.end())
        out.push_back(value);
  return out;
}

bool shows(const FigureScene& scene, std::string_view start) {
  return std::ranges::any_of(scene.metrics, [&](const FigureMetric& metric) {
    const auto known = metrics::metric_of_key(metric.name);
    return known && ((*known)->group == start || (*known)->name == start);
  });
}

std::string number_words(const std::string& text) {
  try {
    return fmt::format("{:g}", parse_json(text, "a setting").get<double>());
  } catch (const std::exception&) {
    return text;
  }
}

std::string tolerance_words(const FigureScene& scene) {
  const std::string unit(name(length_unit(scene.study)));
  std::vector<std::string> values = values_of(scene.study, "nsd_tolerance_" + unit);
  if (values.empty() || !shows(scene, "nsd")) return "";
  for (std::string& value : values) value = number_words(value);
  return fmt::format(" NSD has a tolerance of {} {}.", listed(values), unit);
}

std::string lesion_words(const std::string& text) {
  try {
    const Json settings = parse_json(text, "lesions");
    const double least = settings.value("min_ml", 0.0);
    return fmt::format("{}-connectivity, matched by the rule {}{}",
                       settings.value("connectivity", 26), settings.value("rule", "any"),
                       least > 0 ? fmt::format(" and of at least {:g} ml", least) : "");
  } catch (const std::exception&) {
    return text;
  }
}

std::string resampling_words(const FigureScene& scene) {
  const std::vector<std::string> sides = values_of(scene.study, "resample");
  if (sides.empty()) return "";
  return fmt::format(" Labels of the {} were resampled onto the grid of the other image ({}).",
                     listed(sides), listed(values_of(scene.study, "interpolation")));
}

std::string lesions_words(const FigureScene& scene) {
  std::vector<std::string> values = values_of(scene.study, "lesions");
  if (values.empty() || !shows(scene, "lesion")) return "";
  for (std::string& value : values) value = lesion_words(value);
  return fmt::format(" Lesions are connected components with {}.", listed(values));
}

std::string missing_words(const Study& study) {
  std::string out;
  for (const std::string& value : values_of(study, "missing"))
    out += value == "worst"
               ? " Missing and unreadable predictions count as failures of the model."
               : " Missing and unreadable predictions are left out of the means of single "
                 "models.";
  return out;
}

std::string ignored_words(const Study& study) {
  const std::vector<std::string> values = values_of(study, "ignore_label");
  return values.empty()
             ? ""
             : fmt::format(" Voxels whose reference label is {} are ignored.", listed(values));
}

/// Tolerance, lesions, ignored voxels, missing predictions and intervals, in sentences.
std::string measuring_words(const FigureScene& scene) {
  return tolerance_words(scene) + resampling_words(scene) + lesions_words(scene) +
         ignored_words(scene.study) + missing_words(scene.study) +
         " Intervals of means are 95 % intervals of Student's t, cut to the range of the metric.";
}

constexpr std::size_t most_named = 6;

/// "meshnet and unet", or how many there are.
std::string models_words(std::span<const std::string> names) {
  if (names.size() == 1) return names.front();
  if (names.size() > most_named) return fmt::format("{} models", names.size());
  return fmt::format("{} models ({})", names.size(), listed(names));
}

/// The convention, if all files have the same, or the convention of each model.
std::string convention_words(const Study& study) {
  std::vector<std::string> distinct;
  for (const ResultSettings& each : study.settings)
    if (!each.convention.empty() && std::ranges::find(distinct, each.convention) == distinct.end())
      distinct.push_back(each.convention);
  if (distinct.empty()) return "; the files do not name a convention for empty masks";
  return fmt::format(" under the convention{} {}", distinct.size() == 1 ? "" : "s",
                     listed(distinct));
}

std::string definition_words(const FigureMetric& metric, metrics::LengthUnit unit) {
  if (!metric.row) return fmt::format("{} (as the files define it)", metric.name);
  const metrics::Metric& row = **metric.row;
  std::string out = fmt::format("{} ({} = {}", row.title, metric.name, row.equation);
  if (!row.unit.empty()) out += fmt::format(", in {}", metrics::unit_in(row, unit));
  return out + (row.reference.empty() ? ")" : fmt::format("; {})", row.reference));
}

/// Counts the values of labels that are left out of the average of their case because they are
/// undefined through no fault of the model.
std::string left_out_words(const FigureScene& scene) {
  if (scene.study.comparison && !scene.study.comparison->settings.choice.labels.empty()) return "";
  std::vector<std::string> counts;
  for (const FigureMetric& metric : scene.metrics) {
    std::size_t left_out = 0;
    for (const compare::ResultTable& table : scene.study.models)
      left_out += left_out_of_averages(table, metric.name);
    if (left_out != 0) counts.push_back(fmt::format("{} of {}", left_out, metric.name));
  }
  return counts.empty() ? ""
                        : fmt::format(
                              " The means of cases leave out labels that are undefined "
                              "through no fault of the model: {}.",
                              listed(counts));
}

/// The means that undefined values are left out of. If a comparison counts failures as worst
/// values, these are only the means of single models.
std::string_view means_words(const Study& study) {
  const bool counted_there =
      study.comparison && study.comparison->settings.undefined == compare::UndefinedPolicy::worst;
  return counted_there ? "the means of single models" : "means";
}

std::string undefined_words(const FigureScene& scene) {
  std::vector<std::string> counts;
  for (const FigureMetric& metric : scene.metrics) {
    std::size_t undefined = 0;
    for (const Sample& sample : samples_of(scene, metric.name))
      undefined += sample.undefined + sample.infinite;
    if (undefined != 0) counts.push_back(fmt::format("{} of {}", undefined, metric.name));
  }
  const std::string of_labels = left_out_words(scene);
  if (counts.empty()) return of_labels.empty() ? " Every value was defined." : of_labels;
  return fmt::format(" Values that are not defined or not finite were left out of {}: {}.",
                     means_words(scene.study), listed(counts)) +
         of_labels;
}

std::string unscored_words(const Study& study) {
  std::size_t unscored = 0;
  for (const compare::ResultTable& table : study.models) unscored += table.unscored.size();
  return unscored == 0
             ? ""
             : fmt::format(" {} without a score {} left out of {}.", counted(unscored, "case"),
                           unscored == 1 ? "was" : "were", means_words(study));
}

/// The models whose values assay computed, and those whose values were read unchanged.
struct Origins {
  std::vector<std::string> scored{}, read{}, files{}, versions{};
};

void add_distinct(std::vector<std::string>& to, const std::string& text) {
  if (std::ranges::find(to, text) == to.end()) to.push_back(text);
}

Origins origins_of(const FigureScene& scene) {
  Origins out;
  const Study& study = scene.study;
  for (std::size_t m = 0; m < scene.names.size(); ++m) {
    const ResultSettings own = m < study.settings.size() ? study.settings[m] : ResultSettings();
    (own.is_scored_here ? out.scored : out.read).push_back(scene.names[m]);
    if (!own.is_scored_here) add_distinct(out.files, study.models[m].source);
    if (own.is_scored_here && !own.version.empty()) add_distinct(out.versions, own.version);
  }
  return out;
}

/// Who computed the values: assay is named only for what it computed.
std::string origin_words(const FigureScene& scene, std::size_t cases, std::string_view version) {
  const Origins origins = origins_of(scene);
  std::string out;
  if (!origins.scored.empty())
    out = fmt::format("Segmentations of {} by {} were scored with assay {}{}.",
                      counted(cases, "case"), models_words(origins.scored),
                      origins.versions.empty() ? std::string(version) : listed(origins.versions),
                      convention_words(scene.study));
  if (origins.read.empty()) return out;
  return out + fmt::format("{}Values of {} on {} were read from {} and used unchanged.",
                           out.empty() ? "" : " ", models_words(origins.read),
                           counted(cases, "case"),
                           origins.files.size() > most_named ? counted(origins.files.size(), "file")
                                                             : listed(origins.files));
}

std::string scoring_words(const FigureScene& scene, std::string_view version) {
  if (scene.names.empty()) return "";
  std::vector<std::string> metrics, labels;
  for (const FigureMetric& metric : scene.metrics) {
    const bool is_ours = metric.row.has_value();
    const std::size_t of_label =
        is_ours ? std::min(metric.name.find(" of "), metric.name.size()) : metric.name.size();
    add_distinct(
        metrics,
        definition_words(figure_metric(scene.study, metric.name.substr(0, of_label), metric.better),
                         length_unit(scene.study)));
    if (of_label < metric.name.size()) add_distinct(labels, metric.name.substr(of_label + 4));
  }
  std::size_t cases = scene.study.ids.size();
  for (const compare::ResultTable& table : scene.study.models) cases = std::max(cases, table.cases);
  std::string out = origin_words(scene, cases, version);
  if (const std::string over = averaged_note(scene.study); !over.empty()) out += " " + over;
  if (!metrics.empty())
    out += fmt::format(" Metrics{} were {}.",
                       labels.empty() ? "" : ", each of " + listed(labels) + ",", listed(metrics));
  return out + measuring_words(scene) + undefined_words(scene) + unscored_words(scene.study);
}

std::string stability_words(const compare::Comparison& comparison,
                            const compare::Ranking& ranking) {
  if (const std::string gap = compare::stability_gap(ranking); !gap.empty()) return " " + gap;
  return fmt::format(
      " The stability of ranks was assessed with {} bootstrap resamples of the {}s (seed {}).",
      comparison.settings.replicates, compare::block_word(ranking), comparison.settings.seed);
}

std::string ranking_words(const compare::Comparison& comparison) {
  const auto ranked = std::ranges::find_if(
      comparison.metrics, [](const compare::MetricComparison& m) { return m.ranking.n != 0; });
  if (ranked == comparison.metrics.end() || comparison.models.size() < 3) return "";
  std::string stability = stability_words(comparison, ranked->ranking);
  if (!ranked->ranking.friedman) return stability;
  return stability +
         fmt::format(
             " Mean ranks over the {}s were compared by Friedman's test with Iman and Davenport's "
             "correction and the Nemenyi test. It compares all pairs of models by their order "
             "within {}s, and the signed-rank tests compare each model with the baseline by the "
             "size of the differences, so the two may disagree.",
             compare::block_word(ranked->ranking), compare::block_word(ranked->ranking));
}

/// Whether the verdicts of a metric were corrected for a family of tests.
bool is_corrected(const compare::Comparison& comparison) {
  return comparison.models.size() > 2 ||
         (comparison.settings.across_metrics && comparison.metrics.size() > 1);
}

std::string margin_words(const compare::Comparison& comparison) {
  std::vector<std::string> margins;
  for (const compare::MetricComparison& metric : comparison.metrics)
    if (metric.margin)
      margins.push_back(
          fmt::format("±{} for {}", figure_number(*metric.margin), metric.metric.name));
  if (margins.empty())
    return " No margin of equivalence was set, so a difference that is not significant is "
           "reported as inconclusive.";
  return fmt::format(
      " Models were called equivalent when both the difference of the means (Student's t, "
      "corrected for skewness) and the "
      "pseudo-median of the differences (signed ranks) lay within the margin ({}), by two "
      "one-sided tests at {}{}.",
      listed(margins), comparison.settings.alpha,
      is_corrected(comparison) ? ", corrected like the others" : "");
}

/// How many cases each metric was compared on, where that differs.
std::string cases_words(const compare::Comparison& comparison) {
  std::vector<std::string> counts;
  for (const compare::MetricComparison& metric : comparison.metrics)
    if (const std::size_t n = std::ranges::max(metric.models, {}, &metrics::Summary::n).n;
        n != comparison.matching.ids.size())
      counts.push_back(fmt::format("n = {} for {}", n, words(metric.metric)));
  return counts.empty() ? ""
                        : fmt::format(" Cases in which some model has no value were left out: {}.",
                                      listed(counts));
}

/// What a failure counts as in a compared metric: "1", "the image's diagonal".
std::string declared_failure(const compare::MetricComparison& compared) {
  const auto row = compare::metric_of(compared.metric);
  if (compared.values.guess || !row || !(*row)->failure)
    return "the worst value of any model (no other is known)";
  if (std::isinf(*(*row)->failure)) return "the image's diagonal";
  return fmt::format("{}{:g}", compared.metric.better == metrics::Better::zero ? "±" : "",
                     *(*row)->failure);
}

/// "0 for dice and nsd", "the image's diagonal for hd95": a part for each value. Metrics without a
/// better direction are left out, since nothing counts as a failure in them.
std::vector<std::string> failure_values(const compare::Comparison& comparison) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const compare::MetricComparison& metric : comparison.metrics) {
    if (metric.metric.better == metrics::Better::neither) continue;
    const std::string value = declared_failure(metric);
    auto same = std::ranges::find(found, value, &decltype(found)::value_type::first);
    if (same == found.end()) same = found.emplace(found.end(), value, std::vector<std::string>());
    if (std::ranges::find(same->second, metric.metric.name) == same->second.end())
      same->second.push_back(metric.metric.name);
  }
  std::vector<std::string> out;
  out.reserve(found.size());
  for (const auto& [value, names] : found)
    out.push_back(fmt::format("{} for {}", value, listed(names)));
  return out;
}

std::string failure_sentence(const compare::Comparison& comparison) {
  if (comparison.settings.undefined != compare::UndefinedPolicy::worst)
    return " Cases with a value that is undefined through a model's fault were left out.";
  const std::vector<std::string> values = failure_values(comparison);
  if (values.empty()) return "";
  return fmt::format(
      " In comparisons, missing and unreadable predictions, and values that are undefined through "
      "a model's fault, count as the metric declares: {}.",
      listed(values));
}

/// What the level was corrected for; to follow the level.
std::string family_clause(const compare::Comparison& comparison) {
  if (!is_corrected(comparison)) return "; no correction was needed for a single model";
  const std::string models = counted(comparison.models.size() - 1, "model");
  if (comparison.settings.across_metrics)
    return fmt::format(", with Westfall and Young's max-T correction by sign flips over {} and {}",
                       models, counted(comparison.metrics.size(), "metric"));
  return fmt::format(", with {} correction over {} per metric",
                     correction_words(comparison.settings.correction), models);
}

std::string testing_words(const Study& study) {
  if (!study.comparison) return "";
  const compare::Comparison& c = *study.comparison;
  const compare::CompareSettings& s = c.settings;
  std::string out = fmt::format(
      " Each model was compared with {} on the {} that all have, by two-sided Wilcoxon signed-rank "
      "tests (policy {}) at a level of {}{}. Differences are Hodges–Lehmann estimates of the pairs "
      "that differ, with {} {:.4g} % confidence intervals. Effect sizes are matched-pairs "
      "rank-biserial correlations.",
      c.models[c.baseline].name, counted(c.matching.ids.size(), "case"),
      name_in(stats::wilcoxon_policies(), s.policy), s.alpha, family_clause(c),
      s.across_metrics ? "simultaneous" : "unadjusted", 100 * (1 - s.alpha));
  if (!s.cluster.empty())
    out += fmt::format(
        " Cases were averaged within each {} before testing; the error of a mean is robust to such "
        "clusters.",
        s.cluster);
  if (std::ranges::any_of(compare::group_columns(study.models), compare::is_fold_column))
    out +=
        " Cases were tested in folds, so tests and intervals over cases are about these trained "
        "models, not about the algorithms that trained them.";
  if (!c.matching.left_out.empty())
    out += fmt::format(" {} that some model lacks {} left out.",
                       counted(c.matching.left_out.size(), "case"),
                       c.matching.left_out.size() == 1 ? "was" : "were");
  return out + cases_words(c) + failure_sentence(c) + margin_words(c) + ranking_words(c);
}

std::string parity_words(const Study& study) {
  std::string out;
  for (const parity::ParityReport& report : study.parity)
    out += fmt::format(
        " Results of {} were compared with the values published for {}: Dice within ±{}, AVD "
        "within "
        "±{} and MCC within ±{} of the published means count as strict parity; the level reached "
        "is {}.",
        report.achieved.source, report.paper.name, report.limits.dice_tolerance,
        report.limits.avd_tolerance, report.limits.mcc_tolerance, name(report.result.parity_level));
  return out;
}

std::string fold_words(const Study& study) {
  std::string out;
  for (const FoldsStudyPart& part : study.folds) {
    std::size_t runs = 0;
    for (const compare::OuterFold& fold : part.result.folds) runs += fold.runs.size();
    out += fmt::format(
        " {} was cross-validated in {} with {}; restarts were combined into one value per subject "
        "by their "
        "{}, and the {} of all folds were pooled.",
        part.name, counted(part.result.folds.size(), "outer fold"), counted(runs, "training"),
        name(part.result.restarts), counted(part.result.subjects.size(), "subject"));
  }
  return out;
}

std::string qa_words(const Study& study, std::string_view version) {
  if (study.qa.empty()) return "";
  std::string out = fmt::format(" Answers were scored with assay {}:", version);
  for (const QaStudyPart& part : study.qa)
    out += fmt::format("{} {} on {} ({}, {})", &part == study.qa.data() ? "" : ";",
                       part.result.model_name, part.result.benchmark_name,
                       qa_metric_words(part.scores.metric),
                       counted(part.scores.ledger.expected(), "item"));
  const qa::QaScoreSettings& settings = study.qa.front().scores.settings;
  return out +
         fmt::format(
             ". Items without a readable label {}. Intervals of 95 % are Wilson's, with the "
             "effective number of items where classes or slides are shared.",
             settings.policy == qa::FailurePolicy::wrong ? "count as wrong" : "were left out");
}

}  // namespace

std::string methods_paragraph(const Study& study, std::string_view version) {
  const std::string out = scoring_words(figure_scene(study), version) + testing_words(study) +
                          parity_words(study) + fold_words(study) + qa_words(study, version);
  return out.starts_with(' ') ? out.substr(1) : out;
}

}  // namespace assay::report
