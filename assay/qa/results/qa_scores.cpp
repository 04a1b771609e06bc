// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/qa_scores.hpp"

#include <fmt/format.h>

#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/qa.hpp"
#include "assay/results/provenance.hpp"

namespace assay::qa {
namespace {

Json limits(const stats::Interval& interval) {
  return {interval.lower, interval.upper};
}

Json bootstrap_json(const stats::BootstrapResult& result) {
  return {{"mean", result.mean},
          {"std", result.std},
          {"ci_lower", result.ci_lower},
          {"ci_upper", result.ci_upper},
          {"n_replicates", result.n_replicates}};
}

Json policy_json(const PolicyScore& score) {
  return {{"n", score.n},
          {"correct", score.correct},
          {"point_estimate", score.items.point},
          {"ci95", limits(score.interval.interval)},
          {"ci_method", "wilson"},
          {"ci_unit", score.interval.clusters == 0 ? "question" : "slide"},
          {"effective_n", score.interval.effective_items},
          {"design_effect", score.interval.design_effect},
          {"bootstrap", bootstrap_json(score.items)},
          {"bootstrap_by_slide", score.slides ? bootstrap_json(*score.slides) : Json(nullptr)},
          {"wilson_ci95", score.wilson ? limits(*score.wilson) : Json(nullptr)}};
}

Json optional_policy(const std::optional<PolicyScore>& score) {
  return score ? policy_json(*score) : Json(nullptr);
}

Json published_json(const PublishedBenchmark& published) {
  Json systems = Json::object();
  for (const PublishedSystem& system : published.systems)
    systems[std::string(system.name)] = {{"mean_percent", system.score.mean},
                                         {"std_percent", or_null(system.score.std)}};
  return {{"source", published_giant_source}, {"systems", systems}};
}

/// One number for each number of runs that vote.
template <class Part>
Json majority_column(const MajorityScores& majority, Part part) {
  Json out = Json::array();
  for (const MajorityScore& at : majority.at) out.push_back(part(at));
  return out;
}

/// The first block has the specification's keys and takes the policy of the headline.
Json metrics_json(const QaScores& s) {
  const auto& headline = s.headline();
  Json out = {{"metric_type", name_in(stats::classification_metrics(), s.metric)}};
  if (!headline) {
    out["error"] = "No results to compute metrics";
    return out;
  }
  const stats::BootstrapResult& b = headline->items;
  const QaLedger& l = s.ledger;
  const std::size_t unparsed = l.count(Outcome::unparsed);
  out.update(
      {{"point_estimate", b.point},
       {"bootstrap_mean", b.mean},
       {"bootstrap_std", b.std},
       {"bootstrap_ci_lower", b.ci_lower},
       {"bootstrap_ci_upper", b.ci_upper},
       {"n_replicates", b.n_replicates},
       {"n_total", l.expected()},
       {"n_errors", l.expected() - l.count(Outcome::scored) - unparsed},
       {"n_extraction_failures", unparsed},
       {"ci95", limits(headline->interval.interval)},
       {"format_string", fmt::format("{:.1f}% ± {:.1f}%", b.mean * 100, b.std * 100)},
       {"policy", name_in(failure_policies(), s.settings.policy)},
       {"seed", s.settings.seed},
       {"failures_are_wrong", optional_policy(s.wrong)},
       {"scored_only", optional_policy(s.scored)},
       {"best_if_failures_right", s.best},
       {"worst_if_failures_wrong", s.worst},
       {"slides", s.slides},
       {"one_slide", s.one_slide},
       {"majority_at", majority_column(s.majority, [](const auto& at) { return Json(at.mean); })},
       {"majority_at_std",
        majority_column(s.majority, [](const auto& at) { return or_null(at.std); })},
       {"majority_subsets",
        majority_column(s.majority, [](const auto& at) { return Json(at.subsets); })},
       {"run_scores", s.majority.by_run},
       {"runs_left_out", s.majority.left_out},
       {"vote_agreement", or_null(s.vote_agreement)},
       {"published", s.published != nullptr ? published_json(*s.published) : Json(nullptr)}});
  return out;
}

Json ledger_json(const QaLedger& ledger) {
  Json out = {{"expected", ledger.expected()}};
  for (const auto& row : outcomes()) out[std::string(row.name)] = ledger.count(row.value);
  return out;
}

Json class_json(const ClassScore& row) {
  return {{"label", row.label},
          {"name", row.name},
          {"n", row.n},
          {"predicted", row.predicted},
          {"correct", row.correct},
          {"recall", or_null(row.recall())},
          {"precision", or_null(row.precision())}};
}

}  // namespace

Json scores_json(const QaScores& scores) {
  Json classes = Json::array();
  for (const ClassScore& row : scores.classes) classes.push_back(class_json(row));
  return {{"metrics", metrics_json(scores)},
          {"total_cost_usd", or_null(scores.total_cost_usd)},
          {"total_tokens", or_null(scores.total_tokens)},
          {"ledger", ledger_json(scores.ledger)},
          {"classes", classes},
          {"confusion",
           {{"labels", scores.confusion.labels},
            {"counts", scores.confusion.counts},
            {"none", scores.confusion.none}}}};
}

namespace {

Json difference_json(const stats::BootstrapResult& difference) {
  Json out = {{"point", difference.point}};
  out.update(bootstrap_json(difference));
  return out;
}

Json test_json(stats::ClassificationMetric metric, const PairedScore& s) {
  const stats::SignFlipTest& test = s.tested.test;
  return {{"name", test_name(metric, s)},
          {"metric_type", name_in(stats::classification_metrics(), metric)},
          {"unit", s.clusters == 0 ? "question" : "slide"},
          {"units", test.units},
          {"p_value", test.pvalue},
          {"mid_p_value", test.mid_pvalue},
          {"corrected_p_value", s.corrected_p},
          {"is_significant", s.is_significant},
          {"least_p_value", test.least_pvalue},
          {"exact", test.exact},
          {"draws", test.draws}};
}

Json paired_json(stats::ClassificationMetric metric, const PairedScore& s) {
  const stats::Interval& interval = s.tested.interval;
  return {{"n", s.n},
          {"both_right", s.both_right},
          {"only_first_right", s.only_first},
          {"only_second_right", s.only_second},
          {"both_wrong", s.both_wrong},
          {"first", s.first},
          {"second", s.second},
          {"difference_interval", {interval.lower, interval.upper}},
          {"test", test_json(metric, s)},
          {"slides", s.clusters},
          {"one_slide", s.one_slide},
          {"mcnemar",
           {{"statistic", s.exact.statistic},
            {"p_value", s.exact.pvalue},
            {"mid_p_value", s.mid_p.pvalue}}},
          {"difference", difference_json(s.difference)},
          {"difference_by_slide", s.slides ? difference_json(*s.slides) : Json(nullptr)}};
}

Json flips_json(const std::vector<Flip>& flips) {
  Json out = Json::array();
  for (const Flip& flip : flips)
    out.push_back({{"item_id", flip.item_id},
                   {"truth_label", flip.truth_label},
                   {"first_label", or_null(flip.first_label)},
                   {"second_label", or_null(flip.second_label)},
                   {"first_prediction", flip.first_prediction},
                   {"second_prediction", flip.second_prediction}});
  return out;
}

Json comparison_json(const QaComparison& c) {
  return {{"benchmark_name", c.benchmark_name},
          {"first", c.first_run},
          {"second", c.second_run},
          {"metric_type", name_in(stats::classification_metrics(), c.metric)},
          {"all", paired_json(c.metric, c.all)},
          {"scored_by_both",
           c.scored_by_both ? paired_json(c.metric, *c.scored_by_both) : Json(nullptr)},
          {"flips", {{"lost", flips_json(c.lost)}, {"won", flips_json(c.won)}}},
          {"left_out", {{"only_first", c.only_first}, {"only_second", c.only_second}}}};
}

}  // namespace

std::string qa_comparison_text(const std::vector<QaComparison>& comparisons,
                               const QaComparisonSettings& settings,
                               const results::Provenance& provenance) {
  Json list = Json::array();
  for (const QaComparison& each : comparisons) list.push_back(comparison_json(each));
  return to_text({{"schema", "assay.qa-comparison/1"},
                  {"benchmarks", list},
                  {"settings",
                   {{"intersect", settings.intersect},
                    {"replicates", settings.replicates},
                    {"seed", settings.seed},
                    {"alpha", settings.alpha},
                    {"correction", "holm"},
                    {"family", comparisons.size()},
                    {"difference", "second - first"},
                    {"failures", "wrong"}}},
                  {"provenance", results::provenance_json(provenance)}}) +
         "\n";
}

}  // namespace assay::qa
