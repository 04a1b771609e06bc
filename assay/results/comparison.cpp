// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "assay/base/json.hpp"
#include "assay/base/json_append.hpp"
#include "assay/base/named.hpp"
#include "assay/base/whole.hpp"
#include "assay/compare.hpp"
#include "assay/compare/standing.hpp"
#include "assay/parity.hpp"
#include "assay/parity/published.hpp"
#include "assay/results.hpp"
#include "assay/results/provenance.hpp"
#include "assay/results/readings.hpp"
#include "assay/results/summary_json.hpp"

namespace assay::results {
namespace {

Json limits(const stats::Interval& interval) {
  return interval.has_limits() ? Json{interval.lower, interval.upper} : Json(nullptr);
}

/// One model in one metric; `cases` is the number of matched cases.
Json to_json(const compare::MetricComparison& metric, std::size_t model, std::size_t cases) {
  const metrics::Summary& s = metric.models[model];
  Json out = {{"n", s.n},
              {"undefined", cases - s.n},
              {"failures", std::ranges::count(metric.values.failed[model], true)}};
  add_statistics(out, s);
  return out;
}

Json algorithms_json(const compare::MetricComparison& metric, const compare::PairComparison& pair,
                     const std::string& baseline) {
  const compare::AlgorithmTest& found = *pair.algorithms;
  return {{"folds", found.folds},
          {"test_share", found.test_share},
          {"mean_difference", found.difference.estimate},
          {"ci95", limits(found.difference95)},
          {"ci", limits(found.difference)},
          {"ci_level", found.level},
          {"t", found.test.t},
          {"df", found.test.df},
          {"p_value", found.test.pvalue},
          {"corrected_p_value", found.corrected_p_value},
          {"is_significant", found.is_significant},
          {"verdict", compare::verdict_name(found)},
          {"sentence", compare::algorithm_sentence(metric, pair, baseline)}};
}

Json to_json(const stats::MarginTest& test) {
  return {{"p_value", test.equivalence_pvalue},
          {"corrected_p_value", test.corrected_equivalence_pvalue},
          {"non_inferiority_p_value", test.non_inferiority_pvalue},
          {"corrected_non_inferiority_p_value", test.corrected_non_inferiority_pvalue},
          {"ci_level", test.level},
          {"mean_difference_ci", limits(test.mean)},
          {"pseudo_median", test.pseudo_median.estimate},
          {"pseudo_median_ci", limits(test.pseudo_median)}};
}

/// A model that could not be compared has a name and reasons, but no numbers.
Json to_json(const compare::MetricComparison& metric, const compare::PairComparison& pair,
             const std::string& baseline) {
  const stats::ComparisonResult& r = pair.result;
  const bool tested = pair.n != 0;
  const compare::Standing standing = compare::standing_of(metric, pair);
  const auto number = [&](double value) { return tested ? Json(value) : Json(nullptr); };
  Json out = {{"model_name", r.model_name}};
  if (!metric.metric.label.empty()) out["label"] = metric.metric.label;
  const Json numbers = {
      {"n", pair.n},
      {"undefined", pair.undefined},
      {"p_value", number(r.p_value)},
      {"corrected_p_value", number(r.corrected_p_value)},
      {"is_significant", r.is_significant},
      {"standing", standing == compare::Standing::undecided ? Json(nullptr) : Json(name(standing))},
      {"effect_size", number(r.effect_size)},
      {"difference", number(r.difference.estimate)},
      {"ci95", tested ? limits(r.difference95) : Json(nullptr)},
      {"ci", tested ? limits(r.difference) : Json(nullptr)},
      {"ci_level", r.level},
      {"simultaneous_ci", r.simultaneous ? limits(*r.simultaneous) : Json(nullptr)},
      {"verdict", name(r.verdict)},
      {"policy", tested ? Json(r.test.policy) : Json(nullptr)},
      {"method", tested ? Json(r.test.method) : Json(nullptr)},
      {"statistic", number(r.test.statistic)},
      {"zeros", r.test.zeros},
      {"ties", r.test.ties},
      {"mean_difference", number(r.mean_difference.estimate)},
      {"mean_difference_ci95", tested ? limits(r.mean_difference95) : Json(nullptr)},
      {"probability_of_superiority", number(r.probability_of_superiority)},
      {"cohens_dz", number(r.cohens_dz)},
      {"margin", or_null(metric.margin)},
      {"tost_p_value", r.margin ? Json(r.margin->equivalence_pvalue) : Json(nullptr)},
      {"equivalence", r.margin ? to_json(*r.margin) : Json(nullptr)},
      {"family", r.family},
      {"can_be_significant", !r.is_hopeless}};
  out.update(numbers);
  const compare::FailureTest& failures = pair.failures;
  const bool compared = failures.differs() && !std::isnan(failures.p_value);
  out["failures"] = {
      {"model", failures.model},
      {"baseline", failures.baseline},
      {"only_model", failures.only_model},
      {"only_baseline", failures.only_baseline},
      {"p_value", compared ? Json(failures.p_value) : Json(nullptr)},
      {"corrected_p_value", compared ? Json(failures.corrected_p_value) : Json(nullptr)}};
  if (r.design_effect) out["design_effect"] = *r.design_effect;
  if (pair.algorithms) out["algorithms"] = algorithms_json(metric, pair, baseline);
  out["warning"] = or_null(r.test.warning);
  out["sentence"] = compare::sentence(metric, pair, baseline);
  return out;
}

Json pairs_json(const std::vector<compare::MetricComparison>& metrics,
                const std::string& baseline) {
  Json out = Json::object();
  for (const compare::MetricComparison& metric : metrics) {
    Json& list = out[metric.metric.name];
    if (list.is_null()) list = Json::array();
    for (const compare::PairComparison& pair : metric.pairs)
      list.push_back(to_json(metric, pair, baseline));
  }
  return out;
}

/// Where the entry of one metric belongs: under its key, or under key and label if there are
/// several labels.
Json& place_of(Json& object, const compare::ComparedMetric& metric,
               const compare::CompareSettings& settings) {
  if (!settings.choice.has_several_labels()) return object[metric.name];
  return object_member(object_member(object, metric.name), "labels")[metric.label];
}

/// For one model; `cases` is the number of matched cases.
Json summaries_json(const compare::Comparison& comparison,
                    const std::vector<compare::MetricComparison>& metrics, std::size_t model,
                    std::size_t cases) {
  Json out = Json::object();
  for (const compare::MetricComparison& metric : metrics)
    place_of(out, metric.metric, comparison.settings) = to_json(metric, model, cases);
  return out;
}

Json to_json(const compare::Comparison& comparison, const compare::MetricComparison& metric) {
  const compare::Ranking& ranking = metric.ranking;
  Json models = Json::array();
  for (std::size_t m = 0; m < ranking.models.size(); ++m) {
    const compare::ModelRank& rank = ranking.models[m];
    const auto& found = rank.stability;
    models.push_back(
        {{"model_name", comparison.models[m].name},
         {"rank", rank.rank},
         {"mean_rank", rank.mean_rank},
         {"rank_of_mean_rank", rank.rank_of_mean_rank},
         {"wins", rank.by_tests ? Json(rank.by_tests->wins) : Json(nullptr)},
         {"rank_by_tests", rank.by_tests ? Json(rank.by_tests->rank) : Json(nullptr)},
         {"probability_best", found ? Json(found->probability_best) : Json(nullptr)},
         {"rank_ci95", found ? Json{found->rank_low, found->rank_high} : Json(nullptr)},
         {"places", found ? Json(found->places) : Json(nullptr)}});
  }
  const std::string gap = compare::stability_gap(ranking);
  const auto& tau = ranking.kendall_tau;
  Json out = {
      {"n", ranking.n},
      {"blocks", {{"are", std::string(compare::block_word(ranking)) + "s"}, {"n", ranking.blocks}}},
      {"models", models},
      {"kendall_tau",
       tau ? Json{{"mean", tau->mean}, {"middle95", {tau->low, tau->high}}} : Json(nullptr)},
      {"not_resampled", or_null(gap)}};
  if (ranking.friedman)
    out["friedman"] = {{"statistic", ranking.friedman->statistic},
                       {"p_value", ranking.friedman->pvalue},
                       {"iman_davenport_f", ranking.friedman->f},
                       {"iman_davenport_p_value", ranking.friedman->f_pvalue},
                       {"kendall_w", ranking.friedman->kendall_w}};
  out["nemenyi_critical_difference"] = or_null(ranking.critical_difference);
  return out;
}

Json to_json(const compare::CompareSettings& s) {
  Json margins = Json::object();
  for (const auto& [metric, margin] : s.margins) margins[metric] = margin;
  return {{"label", s.choice.labels.size() > 1 ? Json(s.choice.labels)
                    : s.choice.labels.empty()  ? Json("case average")
                                               : Json(s.choice.first_label())},
          {"alpha", s.alpha},
          {"policy", name_in(stats::wilcoxon_policies(), s.policy)},
          {"correction", s.across_metrics ? std::string_view("max-t")
                                          : name_in(stats::corrections(), s.correction)},
          {"family", s.across_metrics ? "all models but the baseline in all metrics"
                                      : "all models but the baseline, per metric"},
          {"undefined", name_in(compare::undefined_policies(), s.undefined)},
          {"margin", or_null(s.margin)},
          {"margins", margins},
          {"tie_tolerance", s.tie_tolerance},
          {"intersect", s.matching.intersect},
          {"by_position", s.matching.by_position},
          {"cluster", or_null(s.cluster)},
          {"folds", s.folds.empty() ? Json(nullptr) : Json(s.folds)},
          {"replicates", s.replicates},
          {"seed", s.seed},
          {"compat", s.compat_spec ? Json("spec") : Json(nullptr)}};
}

Json cases_json(const compare::Matching& matching) {
  Json left_out = Json::array();
  for (const compare::LeftOut& one : matching.left_out)
    left_out.push_back({{"id", one.id}, {"model_name", one.model}, {"reason", one.reason}});
  return {{"matched", matching.ids.size()}, {"ids", matching.ids}, {"left_out", left_out}};
}

Json subgroups_json(const compare::Comparison& comparison) {
  const std::string& baseline = comparison.models[comparison.baseline].name;
  Json out = Json::array();
  for (const compare::Subgroup& subgroup : comparison.subgroups) {
    Json models = Json::array();
    for (std::size_t m = 0; m < comparison.models.size(); ++m)
      models.push_back(
          {{"model_name", comparison.models[m].name},
           {"metrics", summaries_json(comparison, subgroup.metrics, m, subgroup.cases)}});
    out.push_back({{"column", subgroup.column},
                   {"value", subgroup.value},
                   {"cases", subgroup.cases},
                   {"models", models},
                   {"metrics", pairs_json(subgroup.metrics, baseline)}});
  }
  return out;
}

Json interactions_json(const compare::Comparison& comparison) {
  Json out = Json::array();
  for (const compare::Interaction& one : comparison.interactions) {
    const compare::ComparedMetric& metric = comparison.metrics[one.metric].metric;
    Json row = {{"column", one.column},
                {"metric", metric.name},
                {"model_name", one.model_name},
                {"kruskal_wallis_h", one.h},
                {"df", one.df},
                {"p_value", one.p_value},
                {"corrected_p_value", one.corrected_p_value}};
    if (!metric.label.empty()) row["label"] = metric.label;
    out.push_back(std::move(row));
  }
  return out;
}

Json to_json(const parity::PublishedValue& value) {
  return {{"mean", value.mean}, {"std", value.std}, {"differs", value.differs}};
}

Json paper_json() {
  Json out = Json::array();
  for (const parity::PublishedModel& model : parity::published_models())
    out.push_back({{"model_name", model.name},
                   {"key", model.key},
                   {"parameters", model.parameters},
                   {"dice", to_json(model.dice)},
                   {"avd", to_json(model.avd)},
                   {"mcc", to_json(model.mcc)},
                   {"dice_per_million_parameters",
                    *parity::dice_per_million(model.dice.mean, model.parameters)}});
  return out;
}

std::optional<double> number_in(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

SavedPair pair_in(const std::string& metric, const Json& json) {
  SavedPair out = {.model_name = json.at("model_name"), .metric = metric, .n = Whole(json.at("n"))};
  out.difference = number_in(json.at("difference"));
  if (const Json& interval = json.at("ci95"); !interval.is_null())
    out.ci95 = {number_in(interval.at(0)), number_in(interval.at(1))};
  out.corrected_p_value = number_in(json.at("corrected_p_value"));
  out.verdict = json.at("verdict");
  if (json.contains("sentence")) out.sentence = json.at("sentence").get<std::string>();
  return out;
}

}  // namespace

std::string comparison_text(const compare::Comparison& comparison, bool with_paper,
                            const Provenance& provenance) {
  const std::string& baseline = comparison.models[comparison.baseline].name;
  const std::size_t cases = comparison.matching.ids.size();
  Json models = Json::array(), directions = Json::object(), units = Json::object(),
       ranking = Json::object();
  for (std::size_t m = 0; m < comparison.models.size(); ++m)
    models.push_back({{"model_name", comparison.models[m].name},
                      {"source", comparison.models[m].source},
                      {"cases", comparison.models[m].cases},
                      {"metrics", summaries_json(comparison, comparison.metrics, m, cases)}});
  for (const compare::MetricComparison& metric : comparison.metrics) {
    directions[metric.metric.name] = name(metric.metric.better);
    units[metric.metric.name] = compare::unit_of(metric.metric);
    if (metric.ranking.n != 0)
      place_of(ranking, metric.metric, comparison.settings) = to_json(comparison, metric);
  }
  Json out = {{"schema", comparison_schema},
              {"baseline", baseline},
              {"models", models},
              {"cases", cases_json(comparison.matching)},
              {"directions", directions},
              {"units", units},
              {"metrics", pairs_json(comparison.metrics, baseline)},
              {"ranking", ranking},
              {"subgroups", subgroups_json(comparison)},
              {"interactions", interactions_json(comparison)}};
  if (with_paper) out["paper"] = paper_json();
  out["notes"] = comparison.notes;
  out["settings"] = to_json(comparison.settings);
  out["provenance"] = provenance_json(provenance);
  return to_text(out) + "\n";
}

SavedComparison parse_comparison(std::string_view text, const std::string& name) {
  const Json file = parse_json(text, name);
  try {
    SavedComparison out = {.baseline = file.at("baseline")};
    for (const auto& [metric, pairs] : file.at("metrics").items())
      for (const Json& pair : pairs) out.pairs.push_back(pair_in(metric, pair));
    return out;
  } catch (const Json::exception&) {
    throw incomplete(name, "comparison");
  }
}

}  // namespace assay::results
