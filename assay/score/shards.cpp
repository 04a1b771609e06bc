// SPDX-License-Identifier: Apache-2.0
#include "assay/score/shards.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <queue>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/score/score_cohort.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void shard_usage(const std::string& what) {
  throw Error(Error::Kind::usage, what);
}

std::optional<std::size_t> whole_in(std::string_view text) {
  std::size_t number = 0;
  const char* last = text.data() + text.size();
  const auto read = std::from_chars(text.data(), last, number);
  if (read.ec != std::errc{} || read.ptr != last) return std::nullopt;
  return number;
}

/// Counting from 0 or from 1 covers everything: 0 is another name of the last shard.
results::Shard numbered(std::size_t number, std::size_t of) {
  if (of == 0 || of > results::most_shards)
    shard_usage("--shard: there can be 1 to " + std::to_string(results::most_shards) + " shards");
  if (number > of)
    shard_usage("--shard: there is no shard " + std::to_string(number) + " of " +
                std::to_string(of));
  return {number == 0 ? of : number, of};
}

/// Variables that hold whole numbers.
class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  bool has(const std::string& name) const { return !environment_(name).empty(); }

  std::size_t number(const std::string& name) const {
    const std::string text = environment_(name);
    if (const auto value = whole_in(text)) return *value;
    shard_usage("--shard auto: " + name +
                (text.empty() ? " is not set" : " is '" + text + "', not a whole number") +
                "; write --shard K/N");
  }

 private:
  const Environment& environment_;
};

results::Shard of_slurm_array(const Variables& variables) {
  const std::size_t id = variables.number("SLURM_ARRAY_TASK_ID");
  if (variables.has("ASSAY_SHARDS")) return numbered(id, variables.number("ASSAY_SHARDS"));
  const std::size_t count = variables.number("SLURM_ARRAY_TASK_COUNT"),
                    first = variables.number("SLURM_ARRAY_TASK_MIN"),
                    last = variables.number("SLURM_ARRAY_TASK_MAX"),
                    step = variables.number("SLURM_ARRAY_TASK_STEP");
  if (step != 1 || first > 1 || last < first || last - first + 1 != count)
    shard_usage(
        "--shard auto: this Slurm array does not have all tasks from 0 or 1 on, so it does not say "
        "how many shards there are; set ASSAY_SHARDS to their number, or write --shard "
        "$SLURM_ARRAY_TASK_ID/N");
  return numbered(id, count);
}

/// How a scheduler tells a process its rank.
struct Scheduler {
  const char* sign;  ///< the variable that tells
  bool (*applies)(const Variables& variables);
  results::Shard (*shard)(const Variables& variables);
};

constexpr Scheduler schedulers[] = {
    {"SLURM_ARRAY_TASK_ID", [](const Variables&) { return true; }, of_slurm_array},
    {"SLURM_PROCID",
     [](const Variables& v) {
       return v.has("SLURM_STEP_ID") || (v.has("SLURM_NTASKS") && v.number("SLURM_NTASKS") > 1);
     },
     [](const Variables& v) {
       return numbered(v.number("SLURM_PROCID"), v.number("SLURM_NTASKS"));
     }},
    {"OMPI_COMM_WORLD_RANK", [](const Variables&) { return true; },
     [](const Variables& v) {
       return numbered(v.number("OMPI_COMM_WORLD_RANK"), v.number("OMPI_COMM_WORLD_SIZE"));
     }},
    {"JOB_COMPLETION_INDEX", [](const Variables&) { return true; },
     [](const Variables& v) {
       return numbered(v.number("JOB_COMPLETION_INDEX"), v.number("ASSAY_SHARDS"));
     }},
};

results::Shard of_environment(const Environment& environment) {
  const Variables variables(environment);
  for (const Scheduler& scheduler : schedulers)
    if (variables.has(scheduler.sign) && scheduler.applies(variables))
      return scheduler.shard(variables);
  shard_usage(
      "--shard auto: no scheduler says which shard this is (SLURM_ARRAY_TASK_ID, SLURM_PROCID with "
      "SLURM_NTASKS, OMPI_COMM_WORLD_RANK, or JOB_COMPLETION_INDEX with ASSAY_SHARDS); write "
      "--shard K/N");
}

std::uintmax_t size_of(const std::string& path) {
  std::error_code trouble;
  const std::uintmax_t size = fs::file_size(path, trouble);
  return trouble ? 0 : size;  // a folder of slices, a missing file
}

}  // namespace

results::Shard parse_shard(const std::string& text, const Environment& environment) {
  if (text == "auto") return of_environment(environment);
  const std::size_t slash = text.find('/');
  const auto number = whole_in(std::string_view(text).substr(0, slash));
  const auto of =
      slash == text.npos ? std::nullopt : whole_in(std::string_view(text).substr(slash + 1));
  if (!number || !of) shard_usage("--shard: '" + text + "' is neither K/N, such as 3/16, nor auto");
  return numbered(*number, *of);
}

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

std::size_t shard_of_case(std::size_t index, std::size_t shards) {
  return index % shards == 0 ? shards : index % shards;
}

std::vector<std::size_t> numbers_of_shard(std::size_t cases, const std::string& inputs_sha256,
                                          const results::Shard& shard,
                                          const std::optional<results::ShardPlan>& plan) {
  if (plan && plan->shards != shard.of)
    shard_usage("--plan is for " + std::to_string(plan->shards) + " shards, but --shard asks for " +
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
  results::ShardPlan plan = plan_by_weight(weights, numbered(shards, shards).of);
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
    return false;  // it is made again
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
