// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "assay/qa.hpp"
#include "assay/qa/values/usage.hpp"
#include "assay/stats/proportions.hpp"
#include "assay/stats/random.hpp"

namespace assay::qa {
namespace {

using Items = std::vector<const ItemResult*>;
using LabelList = std::vector<std::int64_t>;

/// Predictions and truths side by side.
struct Pairs {
  LabelList predictions{}, truths{};

  void add(std::int64_t prediction, std::int64_t truth) {
    predictions.push_back(prediction);
    truths.push_back(truth);
  }
};

Pairs pairs_of(const Items& items) {
  Pairs out;
  for (const ItemResult* item : items)
    out.add(item->predicted_label.value_or(no_label), item->truth_label);
  return out;
}

std::optional<PolicyScore> policy_score(const Items& items, stats::ClassificationMetric metric,
                                        const QaScoreSettings& settings) {
  if (items.empty()) return std::nullopt;
  const Pairs pairs = pairs_of(items);
  const std::vector<std::size_t> clusters = slide_clusters(items);
  stats::BootstrapOptions options = {.replicates = settings.replicates,
                                     .seed = stats::seed_words(settings.seed)};
  options.executor = settings.executor;
  PolicyScore out = {.n = items.size()};
  out.correct = static_cast<std::size_t>(
      std::ranges::count_if(items, [](const ItemResult* item) { return item->correct; }));
  out.interval =
      stats::score_interval(stats::coded_for(metric, pairs.predictions, pairs.truths), clusters);
  out.items = stats::bootstrap_metric(pairs.predictions, pairs.truths, metric, options);
  options.clusters = clusters;
  if (!options.clusters.empty())
    out.slides = stats::bootstrap_metric(pairs.predictions, pairs.truths, metric, options);
  if (metric == stats::ClassificationMetric::accuracy)
    out.wilson = stats::proportion_interval(out.correct, out.n);
  return out;
}

/// The score if every item without a label had this fate.
double bound(std::span<const ItemResult> results, stats::ClassificationMetric metric, bool right) {
  Pairs pairs;
  for (const ItemResult& item : results)
    pairs.add(item.predicted_label.value_or(right ? item.truth_label : no_label), item.truth_label);
  return stats::classification_score(metric, pairs.predictions, pairs.truths);
}

/// The options of all items, where they are the same.
std::vector<std::string> common_options(std::span<const ItemResult> results) {
  if (results.empty()) return {};
  const auto& first = results.front().options;
  const bool same =
      std::ranges::all_of(results, [&](const ItemResult& r) { return r.options == first; });
  return same ? first : std::vector<std::string>();
}

std::vector<ClassScore> class_scores(std::span<const ItemResult> results) {
  std::map<std::int64_t, ClassScore> by_label;
  for (const ItemResult& item : results) {
    ClassScore& truth = by_label[item.truth_label];
    ++truth.n;
    if (item.correct) ++truth.correct;
    if (item.predicted_label) ++by_label[*item.predicted_label].predicted;
  }
  const std::vector<std::string> options = common_options(results);
  std::vector<ClassScore> out;
  for (auto& [label, row] : by_label) {
    row.label = label;
    if (label >= 1 && label <= static_cast<std::int64_t>(options.size()))
      row.name = options[static_cast<std::size_t>(label) - 1];
    out.push_back(row);
  }
  return out;
}

ConfusionTable confusion_of(std::span<const ItemResult> results,
                            const std::vector<ClassScore>& classes) {
  ConfusionTable out;
  for (const ClassScore& row : classes) out.labels.push_back(row.label);
  out.counts.assign(classes.size(), std::vector<std::size_t>(classes.size()));
  out.none.assign(classes.size(), 0);
  const auto place = [&](std::int64_t label) {
    return static_cast<std::size_t>(std::ranges::lower_bound(out.labels, label) -
                                    out.labels.begin());
  };
  for (const ItemResult& item : results) {
    const std::size_t truth = place(item.truth_label);
    ++(item.predicted_label ? out.counts[truth][place(*item.predicted_label)] : out.none[truth]);
  }
  return out;
}

/// Over items with two votes or more, the mean share of their votes that went to the winner.
std::optional<double> agreement(std::span<const ItemResult> results) {
  double sum = 0;
  std::size_t items = 0;
  for (const ItemResult& item : results) {
    std::size_t votes = 0, winning = 0;
    for (const Attempt& attempt : item.votes) {
      if (attempt.outcome != Outcome::scored || !attempt.answer.label) continue;
      ++votes;
      if (attempt.answer.label == item.predicted_label) ++winning;
    }
    if (votes < 2) continue;
    sum += static_cast<double>(winning) / static_cast<double>(votes);
    ++items;
  }
  if (items == 0) return std::nullopt;
  return sum / static_cast<double>(items);
}

/// A sum over items that were asked; nothing when one of them does not know its part.
template <class Value>
std::optional<Value> total(std::span<const ItemResult> results,
                           std::optional<Value> ItemResult::*part) {
  Value sum = 0;
  for (const ItemResult& item : results) {
    const bool asked = item.outcome != Outcome::skipped && item.outcome != Outcome::missing;
    if (!(item.*part) && asked) return std::nullopt;
    sum = capped_sum(sum, (item.*part).value_or(0));
  }
  return sum;
}

std::optional<double> share(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::size_t slide_count(std::span<const ItemResult> results) {
  std::set<std::string_view> slides;
  for (const ItemResult& item : results)
    if (!item.slide.empty()) slides.insert(item.slide);
  return slides.size();
}

}  // namespace

std::span<const Named<FailurePolicy>> failure_policies() {
  static constexpr std::array<Named<FailurePolicy>, 2> table = {
      {{"wrong", FailurePolicy::wrong}, {"scored", FailurePolicy::scored}}};
  return table;
}

std::size_t QaLedger::expected() const {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t QaLedger::answered() const {
  return expected() - count(Outcome::errored) - count(Outcome::missing) - count(Outcome::skipped);
}

QaLedger ledger_of(std::span<const ItemResult> results) {
  QaLedger out;
  for (const ItemResult& item : results) ++out.counts[static_cast<std::size_t>(item.outcome)];
  return out;
}

std::optional<double> ClassScore::recall() const {
  return share(correct, n);
}

std::optional<double> ClassScore::precision() const {
  return share(correct, predicted);
}

std::vector<std::size_t> slide_clusters(std::span<const ItemResult* const> items) {
  std::map<std::string_view, std::size_t> numbers;
  std::vector<std::size_t> out;
  std::size_t next = 0;
  for (const ItemResult* item : items) {
    if (item->slide.empty()) {
      out.push_back(next++);
      continue;
    }
    const auto [known, is_new] = numbers.try_emplace(item->slide, next);
    if (is_new) ++next;
    out.push_back(known->second);
  }
  return next == items.size() || next < 2 ? std::vector<std::size_t>() : out;
}

bool on_one_slide(std::span<const ItemResult* const> items) {
  return items.size() > 1 && !items.front()->slide.empty() &&
         std::ranges::all_of(
             items, [&](const ItemResult* item) { return item->slide == items.front()->slide; });
}

QaScores qa_scores(const QaResult& result, const QaScoreSettings& settings) {
  const std::span<const ItemResult> results = result.results;
  QaScores out = {.metric = result.metric, .settings = settings, .ledger = ledger_of(results)};
  Items all, scored;
  for (const ItemResult& item : results) {
    all.push_back(&item);
    if (item.outcome == Outcome::scored) scored.push_back(&item);
  }
  out.wrong = policy_score(all, result.metric, settings);
  out.scored =
      scored.size() == all.size() ? out.wrong : policy_score(scored, result.metric, settings);
  if (!results.empty()) {
    out.best = bound(results, result.metric, true);
    out.worst = bound(results, result.metric, false);
  }
  out.classes = class_scores(results);
  out.confusion = confusion_of(results, out.classes);
  out.majority = majority_scores(results, result.metric,
                                 {.seed = settings.seed, .executor = settings.executor});
  if (out.majority.runs > 1) out.vote_agreement = agreement(results);
  out.slides = slide_count(results);
  out.one_slide = on_one_slide(all);
  out.total_cost_usd = total(results, &ItemResult::cost_usd);
  out.total_tokens = total(results, &ItemResult::total_tokens);
  out.published = find_published_giant(result.benchmark_name);
  return out;
}

}  // namespace assay::qa
