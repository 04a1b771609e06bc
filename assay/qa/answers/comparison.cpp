// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/resampler.hpp"

namespace assay::qa {
namespace {

using Pair = std::pair<const ItemResult*, const ItemResult*>;
using PairedItems = std::vector<Pair>;
using ById = std::map<std::string_view, const ItemResult*>;

[[noreturn]] void refuse_comparison(const std::string& what) {
  throw Error(Error::Kind::input, what);
}

ById by_id(const QaResult& run, const std::string& name) {
  ById out;
  for (const ItemResult& item : run.results)
    if (!out.emplace(item.item_id, &item).second)
      refuse_comparison(name + ": item '" + item.item_id + "' appears twice; ids must be unique");
  return out;
}

/// By model; where that does not distinguish them, by run; where two runs of one model have the
/// same id as well, by what the settings call them.
std::pair<std::string, std::string> names(const QaResult& first, const QaResult& second,
                                          const QaComparisonSettings& settings) {
  const auto telling = [](const std::string& one, const std::string& other) {
    return one != other && !one.empty() && !other.empty();
  };
  if (telling(first.model_name, second.model_name)) return {first.model_name, second.model_name};
  if (telling(first.run_id, second.run_id)) return {first.run_id, second.run_id};
  const auto called = [](const std::string& model, const std::string& name) {
    return model.empty() ? name : model + " (" + name + ")";
  };
  if (telling(settings.first_name, settings.second_name))
    return {called(first.model_name, settings.first_name),
            called(second.model_name, settings.second_name)};
  return {called(first.model_name, "first"), called(second.model_name, "second")};
}

std::string few(const std::vector<std::string>& ids) {
  constexpr std::size_t most = 3;
  const std::vector<std::string> shown(
      ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), most)));
  return joined(shown) + (ids.size() > most ? ", ..." : "");
}

/// Items of the first run in its order, each with its counterpart.
PairedItems paired(const QaResult& first, const QaResult& second, QaComparison& out) {
  const ById others = by_id(second, out.second_run), own = by_id(first, out.first_run);
  PairedItems pairs;
  for (const ItemResult& item : first.results) {
    const auto other = others.find(item.item_id);
    if (other == others.end()) {
      out.only_first.push_back(item.item_id);
      continue;
    }
    if (other->second->truth_label != item.truth_label)
      refuse_comparison("item '" + item.item_id + "' has truth " +
                        std::to_string(item.truth_label) + " in one run and " +
                        std::to_string(other->second->truth_label) +
                        " in the other; they were made from different tables");
    pairs.emplace_back(&item, other->second);
  }
  for (const ItemResult& item : second.results)
    if (!own.contains(item.item_id)) out.only_second.push_back(item.item_id);
  return pairs;
}

void require_same_items(const QaComparison& c, bool intersect) {
  if (intersect || (c.only_first.empty() && c.only_second.empty())) return;
  std::string text = c.benchmark_name + ": the runs have different items";
  if (!c.only_first.empty())
    text += "; only in " + c.first_run + ": " + std::to_string(c.only_first.size()) + " (" +
            few(c.only_first) + ")";
  if (!c.only_second.empty())
    text += "; only in " + c.second_run + ": " + std::to_string(c.only_second.size()) + " (" +
            few(c.only_second) + ")";
  refuse_comparison(text + "; compare the common ones with --intersect");
}

/// The metric over chosen pairs.
stats::IndexStatistic statistic(const stats::CodedItems& coded) {
  return [coded](std::span<const std::uint32_t> chosen) {
    std::vector<std::uint32_t> counts(2 * coded.classes);
    for (const std::uint32_t i : chosen) ++counts[coded.codes[i]];
    return stats::balanced_accuracy_of_counts(counts);
  };
}

PairedScore paired_score(const PairedItems& pairs, stats::ClassificationMetric metric,
                         const QaComparisonSettings& settings) {
  PairedScore out = {.n = pairs.size()};
  std::vector<std::int64_t> truths, labels[2];
  std::vector<const ItemResult*> items;
  for (const auto& [first, second] : pairs) {
    std::size_t& cell = first->correct ? (second->correct ? out.both_right : out.only_first)
                                       : (second->correct ? out.only_second : out.both_wrong);
    ++cell;
    truths.push_back(first->truth_label);
    labels[0].push_back(first->predicted_label.value_or(no_label));
    labels[1].push_back(second->predicted_label.value_or(no_label));
    items.push_back(first);
  }
  out.exact = stats::mcnemar(out.only_first, out.only_second);
  out.mid_p = stats::mcnemar(out.only_first, out.only_second, stats::McNemarMethod::mid_p);
  const stats::CodedItems coded[] = {stats::coded_for(metric, labels[0], truths),
                                     stats::coded_for(metric, labels[1], truths)};
  const std::vector<std::size_t> clusters = slide_clusters(items);
  out.tested = stats::score_difference(
      coded[0], coded[1], clusters,
      {.level = 1 - settings.alpha, .seed = settings.seed, .executor = settings.executor});
  out.clusters = clusters.empty() ? 0 : *std::ranges::max_element(clusters) + 1;
  out.one_slide = on_one_slide(items);
  const stats::IndexStatistic models[] = {statistic(coded[0]), statistic(coded[1])};
  stats::BootstrapOptions options = {.replicates = settings.replicates,
                                     .seed = stats::seed_words(settings.seed)};
  options.level = 1 - settings.alpha;
  options.executor = settings.executor;
  const stats::JointBootstrap joint = stats::joint_bootstrap(pairs.size(), models, options);
  out.first = joint.models[0].point;
  out.second = joint.models[1].point;
  out.difference = joint.differences[1];
  options.clusters = clusters;
  if (!clusters.empty())
    out.slides = stats::joint_bootstrap(pairs.size(), models, options).differences[1];
  return out;
}

void add_flips(const PairedItems& pairs, QaComparison& out) {
  for (const auto& [first, second] : pairs)
    if (first->correct != second->correct)
      (first->correct ? out.lost : out.won)
          .push_back({first->item_id, first->truth_label, first->predicted_label,
                      second->predicted_label, first->prediction, second->prediction});
}

/// Holm over those that there are.
void correct(std::span<PairedScore* const> scores, double alpha) {
  std::vector<double> pvalues;
  for (const PairedScore* score : scores) pvalues.push_back(score->tested.test.pvalue);
  const stats::Adjusted adjusted = stats::holm(pvalues, alpha);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i]->corrected_p = adjusted.pvalues[i];
    scores[i]->is_significant = adjusted.reject[i];
  }
}

}  // namespace

std::string_view test_name(stats::ClassificationMetric metric, const PairedScore& score) {
  const bool accuracy = metric == stats::ClassificationMetric::accuracy;
  if (score.clusters != 0)
    return accuracy ? "clustered McNemar test" : "stratified sign-flip test by slide";
  return accuracy ? "McNemar's exact test" : "stratified sign-flip test";
}

void correct_over_benchmarks(std::span<QaComparison> comparisons, double alpha) {
  std::vector<PairedScore*> all, scored;
  for (QaComparison& each : comparisons) {
    all.push_back(&each.all);
    if (each.scored_by_both) scored.push_back(&*each.scored_by_both);
    each.benchmarks = comparisons.size();
    each.alpha = alpha;
  }
  correct(all, alpha);
  correct(scored, alpha);
}

QaComparison qa_compare(const QaResult& first, const QaResult& second,
                        const QaComparisonSettings& settings) {
  if (first.benchmark_name != second.benchmark_name)
    refuse_comparison("the runs are of different benchmarks, '" + first.benchmark_name + "' and '" +
                      second.benchmark_name + "'");
  QaComparison out = {.benchmark_name = first.benchmark_name};
  std::tie(out.first_run, out.second_run) = names(first, second, settings);
  out.metric = first.metric;
  const PairedItems pairs = paired(first, second, out);
  require_same_items(out, settings.intersect);
  if (pairs.empty()) refuse_comparison(out.benchmark_name + ": the runs have no item in common");
  out.all = paired_score(pairs, out.metric, settings);
  PairedItems scored;
  for (const Pair& pair : pairs)
    if (pair.first->outcome == Outcome::scored && pair.second->outcome == Outcome::scored)
      scored.push_back(pair);
  if (!scored.empty()) out.scored_by_both = paired_score(scored, out.metric, settings);
  add_flips(pairs, out);
  correct_over_benchmarks({&out, 1}, settings.alpha);
  return out;
}

}  // namespace assay::qa
