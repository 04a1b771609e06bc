// SPDX-License-Identifier: Apache-2.0
#include "assay/results/summary_json.hpp"

#include <algorithm>
#include <span>

#include "assay/base/whole.hpp"

namespace assay::results {
namespace {

struct Number {
  const char* key;
  std::optional<double> metrics::Summary::*member;
};

constexpr Number summary_numbers[] = {
    {"mean", &metrics::Summary::mean},     {"std", &metrics::Summary::std},
    {"median", &metrics::Summary::median}, {"q25", &metrics::Summary::q25},
    {"q75", &metrics::Summary::q75},       {"min", &metrics::Summary::min},
    {"max", &metrics::Summary::max},
};

struct Count {
  const char* key;
  std::size_t metrics::Ledger::*member;
};

constexpr Count counts_of_cases[] = {
    {"expected", &metrics::Ledger::expected},
    {"scored", &metrics::Ledger::scored},
    {"failed", &metrics::Ledger::failed},
    {"missing_prediction", &metrics::Ledger::missing_prediction},
    {"missing_reference", &metrics::Ledger::missing_reference},
};

/// Absent where they are zero.
constexpr Count counts_of_structures[] = {
    {"missing_structures", &metrics::Ledger::missing_structures},
    {"missing_reference_structures", &metrics::Ledger::missing_reference_structures},
    {"own_metric_failures", &metrics::Ledger::own_metric_failures},
};

}  // namespace

void add_statistics(Json& block, const metrics::Summary& summary) {
  for (const Number& number : summary_numbers) block[number.key] = or_null(summary.*number.member);
  const auto& interval = summary.ci95;
  block["ci95"] = interval ? Json{interval->first, interval->second} : Json(nullptr);
  block["ci_method"] = metrics::name(summary.ci_method);
  block["ci_clipped"] = summary.ci_clipped;
}

Json reasons_json(const metrics::ReasonCounts& counts) {
  Json out = Json::object();
  for (const metrics::Undefined why : metrics::all_undefined)
    if (const auto count = counts[static_cast<std::size_t>(why)]; count != 0)
      out[std::string(metrics::name(why))] = count;
  return out;
}

metrics::Summary summary_of(const Json& block) {
  metrics::Summary out;
  if (block.contains("n")) out.n = Whole(block.at("n"));
  for (const metrics::Undefined why : metrics::all_undefined)
    if (const Json& count = member(member(block, "undefined"), metrics::name(why));
        !count.is_null())
      out.undefined[static_cast<std::size_t>(why)] = Whole(count);
  for (const Number& number : summary_numbers)
    if (const Json& found = member(block, number.key); !found.is_null())
      out.*number.member = found.get<double>();
  if (const Json& interval = member(block, "ci95"); !interval.is_null())
    out.ci95 = {interval.at(0).get<double>(), interval.at(1).get<double>()};
  for (const auto method : {metrics::MeanInterval::bca, metrics::MeanInterval::cluster_t})
    if (member(block, "ci_method") == metrics::name(method)) out.ci_method = method;
  out.ci_clipped = member(block, "ci_clipped") == true;
  return out;
}

bool is_whole_summary(const Json& block) {
  const auto has = [&](const char* key) { return block.contains(key); };
  return has("n") && has("undefined") && has("ci95") &&
         std::ranges::all_of(summary_numbers, has, &Number::key);
}

Json ledger_json(const metrics::Ledger& ledger, const Json& undefined) {
  Json out = Json::object();
  for (const Count& count : counts_of_cases) out[count.key] = ledger.*count.member;
  if (!undefined.empty()) out["undefined"] = undefined;
  for (const Count& count : counts_of_structures)
    if (ledger.*count.member != 0) out[count.key] = ledger.*count.member;
  return out;
}

metrics::Ledger ledger_of(const Json& block) {
  metrics::Ledger out;
  for (const std::span<const Count> counts :
       {std::span<const Count>(counts_of_cases), std::span<const Count>(counts_of_structures)})
    for (const Count& count : counts)
      if (block.contains(count.key)) out.*count.member = Whole(block.at(count.key));
  return out;
}

}  // namespace assay::results
