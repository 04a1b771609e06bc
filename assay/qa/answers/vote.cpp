// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/values/usage.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/random.hpp"

namespace assay::qa {
namespace {

template <class Value>
using Counts = std::vector<std::pair<Value, std::size_t>>;

template <class Value>
void count(Counts<Value>& counts, const Value& value) {
  const auto found = std::ranges::find(counts, value, &std::pair<Value, std::size_t>::first);
  if (found != counts.end())
    ++found->second;
  else
    counts.emplace_back(value, 1);
}

/// The entry with most votes, the first of several.
template <class Value>
const std::pair<Value, std::size_t>& most(const Counts<Value>& counts) {
  return *std::ranges::max_element(counts, {}, &std::pair<Value, std::size_t>::second);
}

std::string most_common(std::span<const std::string> texts) {
  Counts<std::string> counts;
  for (const std::string& text : texts) count(counts, text);
  return most(counts).first;
}

/// Sums what every attempt reports; nothing as soon as one does not.
template <class Value>
std::optional<Value> total(const std::vector<Attempt>& attempts,
                           std::optional<Value> Attempt::*part) {
  if (attempts.empty()) return std::nullopt;
  Value sum = 0;
  for (const Attempt& attempt : attempts) {
    if (!(attempt.*part)) return std::nullopt;
    sum = capped_sum(sum, *(attempt.*part));
  }
  return sum;
}

/// Without any vote: what went wrong most often, and with which words.
void fail(ItemResult& out) {
  Counts<Outcome> failures;
  for (const Attempt& attempt : out.votes) count(failures, attempt.outcome);
  out.outcome = failures.empty() ? Outcome::skipped : most(failures).first;
  if (out.outcome == Outcome::scored) out.outcome = Outcome::unparsed;  // said so without a label
  for (const Attempt& attempt : out.votes) {
    if (attempt.outcome != out.outcome) continue;
    out.error = attempt.error;
    out.rule = attempt.answer.rule;
    out.span = attempt.answer.span;
    break;
  }
}

/// The attempt whose text represents the item.
void take_answer(ItemResult& out, const VoteResult& vote) {
  const auto winner = std::ranges::find_if(out.votes, [&](const Attempt& attempt) {
    return vote.label && vote_of(attempt) == vote.label;
  });
  out.outcome = Outcome::scored;
  out.rule = winner->answer.rule;
  out.span = winner->answer.span;
  out.trajectory_file = winner->trajectory_file;
}

}  // namespace

VoteResult majority_vote(std::span<const OptionalLabel> labels,
                         std::span<const std::string> predictions) {
  if (labels.empty())
    throw Error(Error::Kind::usage, "labels must not be empty: give one for each run");
  if (labels.size() != predictions.size())
    throw Error(Error::Kind::usage, "predictions and labels must have the same length, not " +
                                        std::to_string(predictions.size()) + " and " +
                                        std::to_string(labels.size()));
  VoteResult out;
  for (const OptionalLabel& label : labels)
    if (label) count(out.counts, *label);
  if (out.counts.empty()) {
    out.prediction = most_common(predictions);
    return out;
  }
  const auto& [label, winning] = most(out.counts);
  const std::size_t votes = winning;
  out.label = label;
  out.tied =
      std::ranges::count_if(out.counts, [&](const auto& c) { return c.second == votes; }) > 1;
  const auto first = std::ranges::find(labels, out.label);
  out.prediction = predictions[static_cast<std::size_t>(first - labels.begin())];
  return out;
}

OptionalLabel majority_label(std::span<const OptionalLabel> labels) {
  OptionalLabel best;
  std::ptrdiff_t most_votes = 0;
  for (const OptionalLabel& label : labels) {
    if (!label || label == best) continue;
    const std::ptrdiff_t votes = std::ranges::count(labels, label);
    if (votes <= most_votes) continue;  // the first of several with equal votes
    best = label;
    most_votes = votes;
  }
  return best;
}

OptionalLabel vote_of(const Attempt& attempt) {
  return attempt.outcome == Outcome::scored ? attempt.answer.label : std::nullopt;
}

void vote_again(ItemResult& out) {
  out.predicted_label.reset();
  out.rule.clear();
  out.span = {};
  out.error.clear();
  std::vector<OptionalLabel> labels;
  std::vector<std::string> predictions;
  for (const Attempt& attempt : out.votes) {
    labels.push_back(vote_of(attempt));
    predictions.push_back(attempt.answer.raw);
  }
  if (!labels.empty()) {
    const VoteResult vote = majority_vote(labels, predictions);
    out.predicted_label = vote.label;
    out.prediction = vote.prediction;
    if (vote.label) take_answer(out, vote);
  }
  if (!out.predicted_label) fail(out);
  out.correct = out.predicted_label == out.truth_label;
}

ItemResult voted_result(const Item& item, std::vector<Attempt> attempts) {
  ItemResult out = {.item_id = item.id, .slide = item.image_path};
  out.truth_label = item.truth;
  out.options = item.options;
  out.cost_usd = total(attempts, &Attempt::cost_usd);
  out.total_tokens = total(attempts, &Attempt::total_tokens);
  if (!attempts.empty()) out.trajectory_file = attempts.back().trajectory_file;
  out.votes = std::move(attempts);
  vote_again(out);
  return out;
}

namespace {

/// Votes of every item, by run; an item that was never asked has none.
using Votes = std::vector<std::vector<OptionalLabel>>;

Votes votes_of(std::span<const ItemResult> results) {
  Votes out;
  for (const ItemResult& item : results) {
    out.emplace_back();
    for (const Attempt& attempt : item.votes) out.back().push_back(vote_of(attempt));
  }
  return out;
}

/// The fewest and the most runs of an item that was asked.
std::pair<std::size_t, std::size_t> range_of_runs(const Votes& votes) {
  std::size_t fewest = 0, most = 0;
  for (const auto& item : votes) {
    if (item.empty()) continue;
    fewest = most == 0 ? item.size() : std::min(fewest, item.size());
    most = std::max(most, item.size());
  }
  return {fewest, most};
}

/// The score of votes by these runs only.
double score_of(const Votes& votes, std::span<const std::uint32_t> runs,
                const std::vector<std::int64_t>& truths, stats::ClassificationMetric metric) {
  std::vector<std::int64_t> predictions;
  std::vector<OptionalLabel> chosen;
  for (const auto& item : votes) {
    chosen.clear();
    if (!item.empty())
      for (const std::uint32_t run : runs) chosen.push_back(item[run]);
    predictions.push_back(majority_label(chosen).value_or(no_label));
  }
  return stats::classification_score(metric, predictions, truths);
}

}  // namespace

MajorityScores majority_scores(std::span<const ItemResult> results,
                               stats::ClassificationMetric metric, const MajorityOptions& options) {
  const Votes votes = votes_of(results);
  std::vector<std::int64_t> truths;
  for (const ItemResult& item : results) truths.push_back(item.truth_label);
  const auto [fewest, most] = range_of_runs(votes);
  MajorityScores out = {.runs = fewest, .left_out = most - fewest};
  for (std::size_t k = 1; k <= fewest && fewest > 1; ++k) {
    const std::size_t most_subsets = std::max(options.most_subsets, fewest);  // every single run
    const stats::Subsets chosen = stats::subsets(fewest, k, most_subsets, options.seed);
    std::vector<double> scores(chosen.members.size());
    run_tasks(options.executor, scores.size(), [&](std::size_t i) {
      scores[i] = score_of(votes, chosen.members[i], truths, metric);
    });
    MajorityScore at = {
        .mean = stats::mean(scores), .subsets = chosen.members.size(), .all = chosen.all};
    if (scores.size() > 1) at.std = stats::standard_deviation(scores, 1);
    out.at.push_back(at);
    if (k == 1) out.by_run = std::move(scores);
  }
  return out;
}

namespace {

[[noreturn]] void refuse_rescore(const QaResult& result, const std::string& what) {
  throw Error(Error::Kind::input,
              result.benchmark_name + ": " + what + "; give the table that the run was made from");
}

bool has_answer(const Attempt& attempt) {
  return attempt.outcome == Outcome::scored || attempt.outcome == Outcome::unparsed;
}

ItemResult merged(const Item& item, ItemResult result, const QaResult& of) {
  if (result.truth_label != item.truth)
    refuse_rescore(of, "item '" + item.id + "' has truth " + std::to_string(result.truth_label) +
                           " in the results and " + std::to_string(item.truth) + " in the table");
  result.slide = item.image_path;
  result.options = item.options;
  return result;
}

}  // namespace

QaResult rescored(QaResult result, ExtractionRules rules) {
  for (ItemResult& item : result.results) {
    for (Attempt& attempt : item.votes) {
      if (!has_answer(attempt)) continue;
      attempt.answer =
          extract_label(attempt.answer.raw, result.benchmark_name, item.options, rules);
      attempt.outcome = attempt.answer.label ? Outcome::scored : Outcome::unparsed;
    }
    if (!item.votes.empty()) vote_again(item);
  }
  return result;
}

QaResult completed(QaResult result, const ItemTable& table) {
  std::map<std::string, ItemResult> saved;
  for (ItemResult& item : result.results) {
    std::string id = item.item_id;
    if (!saved.emplace(id, std::move(item)).second)
      refuse_rescore(result, "item '" + id + "' appears twice in the results");
  }
  result.results.clear();
  for (const Item& item : table.items) {
    if (item.benchmark != result.benchmark_name) continue;
    auto found = saved.extract(item.id);
    result.results.push_back(found.empty() ? voted_result(item, {})
                                           : merged(item, std::move(found.mapped()), result));
  }
  if (!saved.empty())
    refuse_rescore(result, "item '" + saved.begin()->first + "' is not in the table");
  const auto benchmark =
      std::ranges::find(table.benchmarks, result.benchmark_name, &Benchmark::name);
  if (benchmark != table.benchmarks.end()) result.metric = benchmark->metric;
  return result;
}

}  // namespace assay::qa
