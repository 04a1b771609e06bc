// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/qa_json.hpp"
#include "assay/results/provenance.hpp"

namespace assay::qa {
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
