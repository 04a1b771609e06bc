// SPDX-License-Identifier: Apache-2.0
#include "assay/score/shards.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/score/score_cohort.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

std::uintmax_t size_of(const std::string& path) {
  std::error_code trouble;
  const std::uintmax_t size = fs::file_size(path, trouble);
  return trouble ? 0 : size;  // a folder of slices, a missing file
}

/// The shard of case `index` (from 0) unless a plan says otherwise.
std::size_t shard_of_case(std::size_t index, std::size_t shards) {
  return index % shards == 0 ? shards : index % shards;
}

}  // namespace

std::string cohort_sha256(const Cohort& cohort) {
  Sha256 hash;
  const auto add = [&](std::string_view part) {
    hash.add(part);
    hash.add("\n");
  };
  for (const CasePlan& plan : cohort.cases) {
    for (const std::string_view part :
         {std::string_view(plan.id), std::string_view(plan.prediction),
          std::string_view(plan.reference), name(plan.fate)})
      add(part);
    for (const FilePair& pair : plan.files) {
      add(pair.region);
      add(pair.prediction.empty() ? "" : "prediction");
      add(pair.reference.empty() ? "" : "reference");
      for (const std::string& channel : pair.channels) add(fs::path(channel).filename().string());
    }
    for (const auto& [column, value] : plan.groups) {
      add(column);
      add(value);
    }
    add("");
  }
  return hash.hex();
}

std::vector<std::size_t> numbers_of_shard(std::size_t cases, const std::string& inputs_sha256,
                                          const results::Shard& shard,
                                          const std::optional<results::ShardPlan>& plan) {
  if (plan && plan->shards != shard.of)
    throw Error(Error::Kind::usage, "--plan is for " + std::to_string(plan->shards) +
                                        " shards, but --shard asks for " +
                                        std::to_string(shard.of));
  if (plan && (plan->inputs_sha256 != inputs_sha256 || plan->shard_of.size() != cases))
    throw Error(Error::Kind::input,
                "--plan was made for other cases: files were added or removed since; make a new "
                "plan, and run every shard with it");
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < cases; ++i)
    if ((plan ? plan->shard_of[i] : shard_of_case(i, shard.of)) == shard.number)
      numbers.push_back(i);
  return numbers;
}

results::ShardPlan plan_by_weight(const std::vector<std::uintmax_t>& weights, std::size_t shards) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return weights[i]; });
  results::ShardPlan plan = {.shards = shards, .inputs_sha256 = "", .shard_of = {}};
  plan.shard_of.resize(weights.size());
  using Load = std::pair<std::uintmax_t, std::size_t>;  // weight, shard
  std::priority_queue<Load, std::vector<Load>, std::greater<>> lightest;
  for (std::size_t shard = 1; shard <= shards; ++shard) lightest.emplace(0, shard);
  for (const std::size_t i : order) {
    const auto [load, shard] = lightest.top();
    lightest.pop();
    plan.shard_of[i] = shard;
    lightest.emplace(load + weights[i] + 1, shard);  // a case costs something whatever its size
  }
  return plan;
}

results::ShardPlan balanced_plan(const Cohort& cohort, std::size_t shards) {
  std::vector<std::uintmax_t> weights;
  weights.reserve(cohort.cases.size());
  for (const CasePlan& plan : cohort.cases) {
    std::uintmax_t weight = 0;
    for (const FilePair& pair : plan.files) weight += size_of(pair.reference);
    weights.push_back(weight);
  }
  results::ShardPlan plan = plan_by_weight(weights, numbered_shard(shards, shards).of);
  plan.inputs_sha256 = cohort_sha256(cohort);
  return plan;
}

std::vector<std::size_t> cases_of_shard(const Cohort& cohort, const results::Shard& shard,
                                        const std::optional<results::ShardPlan>& plan) {
  return numbers_of_shard(cohort.cases.size(), cohort_sha256(cohort), shard, plan);
}

results::ShardHeader shard_header(const Cohort& cohort, const results::Shard& shard,
                                  const std::optional<results::ShardPlan>& plan,
                                  const std::string& version) {
  results::ShardHeader out = {.shard = shard,
                              .cases = cohort.cases.size(),
                              .inputs_sha256 = cohort_sha256(cohort),
                              .version = version};
  if (plan) out.plan_sha256 = plan->sha256;
  out.settings = cohort.settings;
  out.warnings = cohort.warnings;
  out.labels_were_asked_for = cohort.labels_were_asked_for;
  return out;
}

void keep_cases(Cohort& cohort, const std::vector<std::size_t>& numbers) {
  std::vector<CasePlan> kept;
  kept.reserve(numbers.size());
  for (const std::size_t i : numbers) kept.push_back(std::move(cohort.cases[i]));
  cohort.cases = std::move(kept);
}

void write_shard_file(const fs::path& path, const results::ShardHeader& header,
                      const std::vector<std::size_t>& numbers,
                      const metrics::CaseRecords& records) {
  write_atomically(path, [&](const TextSink& sink) {
    results::ShardWriter writer(header, sink);
    for (std::size_t i = 0; i < numbers.size(); ++i) writer.add(numbers[i], records[i]);
    writer.end();
  });
}

bool is_finished_shard(const fs::path& path, const results::ShardHeader& header,
                       const Cohort& cohort, const Execution& execution) {
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return false;
  try {
    const results::ShardFile file = results::parse_shard_file(read_text(path), path.string());
    if (file.header.shard != header.shard || file.cases.size() != cohort.cases.size() ||
        results::common_facts(file.header) != results::common_facts(header))
      return false;
    for (std::size_t i = 0; i < file.cases.size(); ++i)
      if (!is_current(file.cases[i].record, cohort.cases[i], execution)) return false;
    return true;
  } catch (const Error&) {
    return false;  // it is computed again
  }
}

void score_shard(const Cohort& cohort, const results::Shard& shard, const fs::path& file,
                 const Execution& execution, const std::optional<results::ShardPlan>& plan) {
  const std::vector<std::size_t> numbers = cases_of_shard(cohort, shard, plan);
  results::ShardHeader header = shard_header(cohort, shard, plan, execution.version);
  header.results = "results.json";
  header.roots = cohort.roots;
  Cohort part = cohort;
  keep_cases(part, numbers);
  const CohortRecords run = score_cases(part, execution);
  if (run.interrupted) throw Error(Error::Kind::input, "the run was stopped");
  write_shard_file(file, header, numbers, run.records);
}

}  // namespace assay::score
