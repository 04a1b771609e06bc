// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "assay/error.hpp"
#include "assay/qa.hpp"

namespace assay::qa {
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
