// SPDX-License-Identifier: Apache-2.0
/// Which shard a process is, as given by the user or by a scheduler's environment variables.
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "assay/error.hpp"
#include "assay/score/shards.hpp"

namespace assay::score {
namespace {

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
  if (variables.has("ASSAY_SHARDS")) return numbered_shard(id, variables.number("ASSAY_SHARDS"));
  const std::size_t count = variables.number("SLURM_ARRAY_TASK_COUNT"),
                    first = variables.number("SLURM_ARRAY_TASK_MIN"),
                    last = variables.number("SLURM_ARRAY_TASK_MAX"),
                    step = variables.number("SLURM_ARRAY_TASK_STEP");
  if (step != 1 || first > 1 || last < first || last - first + 1 != count)
    shard_usage(
        "--shard auto: this Slurm array does not have all tasks from 0 or 1 on, so it does not say "
        "how many shards there are; set ASSAY_SHARDS to their number, or write --shard "
        "$SLURM_ARRAY_TASK_ID/N");
  return numbered_shard(id, count);
}

/// How a scheduler tells a process its rank.
struct Scheduler {
  const char* sign;  ///< the variable that reveals the scheduler
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
       return numbered_shard(v.number("SLURM_PROCID"), v.number("SLURM_NTASKS"));
     }},
    {"OMPI_COMM_WORLD_RANK", [](const Variables&) { return true; },
     [](const Variables& v) {
       return numbered_shard(v.number("OMPI_COMM_WORLD_RANK"), v.number("OMPI_COMM_WORLD_SIZE"));
     }},
    {"JOB_COMPLETION_INDEX", [](const Variables&) { return true; },
     [](const Variables& v) {
       return numbered_shard(v.number("JOB_COMPLETION_INDEX"), v.number("ASSAY_SHARDS"));
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

}  // namespace

results::Shard numbered_shard(std::size_t number, std::size_t of) {
  if (of == 0 || of > results::most_shards)
    shard_usage("--shard: there can be 1 to " + std::to_string(results::most_shards) + " shards");
  if (number > of)
    shard_usage("--shard: there is no shard " + std::to_string(number) + " of " +
                std::to_string(of) + "; K goes from 1 to N");
  return {number == 0 ? of : number, of};
}

results::Shard parse_shard(const std::string& text, const Environment& environment) {
  if (text == "auto") return of_environment(environment);
  const std::size_t slash = text.find('/');
  const auto number = whole_in(std::string_view(text).substr(0, slash));
  const auto of =
      slash == text.npos ? std::nullopt : whole_in(std::string_view(text).substr(slash + 1));
  if (!number || !of) shard_usage("--shard: '" + text + "' is neither K/N, such as 3/16, nor auto");
  return numbered_shard(*number, *of);
}

}  // namespace assay::score
