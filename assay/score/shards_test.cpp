// SPDX-License-Identifier: Apache-2.0
#include "assay/score/shards.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "assay/error.hpp"

namespace assay::score::shards_test {

using results::Shard;

Cohort cohort_of_size(std::size_t cases) {
  Cohort cohort;
  for (std::size_t i = 0; i < cases; ++i) {
    const std::string id = "case-" + std::to_string(1000 + i);
    cohort.cases.push_back({.id = id, .prediction = id + ".nii", .reference = id + ".nii"});
  }
  return cohort;
}

Shard shard_by(const std::map<std::string, std::string>& variables) {
  return parse_shard("auto", [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

Shard shard_typed(const std::string& text) {
  return parse_shard(text, [](const std::string&) { return "7"; });
}

TEST(Shards, every_case_is_in_exactly_one_shard) {
  for (const std::size_t cases : {0U, 1U, 5U, 16U, 17U})
    for (const std::size_t of : {1U, 2U, 3U, 7U, 16U, 40U}) {
      const Cohort cohort = cohort_of_size(cases);
      for (const auto& plan :
           {std::optional<results::ShardPlan>(), std::optional(balanced_plan(cohort, of))}) {
        std::vector<std::size_t> all;
        for (std::size_t number = 1; number <= of; ++number)
          for (const std::size_t i : cases_of_shard(cohort, {number, of}, plan)) all.push_back(i);
        std::ranges::sort(all);
        std::vector<std::size_t> expected(cases);
        std::iota(expected.begin(), expected.end(), std::size_t{0});
        EXPECT_EQ(all, expected) << cases << " cases, " << of << " shards";
      }
    }
}

TEST(Shards, case_i_is_in_shard_i_modulo_n_and_0_is_the_last) {
  const Cohort cohort = cohort_of_size(7);
  EXPECT_EQ(cases_of_shard(cohort, {1, 3}), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(cases_of_shard(cohort, {2, 3}), (std::vector<std::size_t>{2, 5}));
  EXPECT_EQ(cases_of_shard(cohort, {3, 3}), (std::vector<std::size_t>{0, 3, 6}));
  EXPECT_EQ(shard_typed("0/3"), (Shard{3, 3}));
  EXPECT_EQ(shard_typed("3/3"), (Shard{3, 3}));
  EXPECT_EQ(shard_typed("1/1"), (Shard{1, 1}));
}

TEST(Shards, what_is_not_a_shard_is_refused) {
  for (const char* text : {"", "3", "/", "3/", "/3", "4/3", "1/0", "0/0", "-1/3", "1/3x", "a/b",
                           "1/2/3", " 1/3", "1/99999999", "1.0/3", "AUTO"})
    EXPECT_THROW(shard_typed(text), Error) << text;
}

TEST(Shards, a_plan_weighs_alike_and_keeps_the_heaviest_apart) {
  const results::ShardPlan plan = plan_by_weight({100, 10, 10, 50, 40, 90}, 3);
  std::map<std::size_t, std::size_t> load;
  const std::vector<std::size_t> weights = {100, 10, 10, 50, 40, 90};
  for (std::size_t i = 0; i < weights.size(); ++i) load[plan.shard_of[i]] += weights[i];
  EXPECT_EQ(load, (std::map<std::size_t, std::size_t>{{1, 100}, {2, 100}, {3, 100}}));
  const results::ShardPlan even = plan_by_weight(std::vector<std::uintmax_t>(10, 0), 5);
  for (std::size_t shard = 1; shard <= 5; ++shard)
    EXPECT_EQ(std::ranges::count(even.shard_of, shard), 2);
}

TEST(Shards, a_plan_of_another_number_or_other_cases_is_refused) {
  const Cohort cohort = cohort_of_size(6);
  const results::ShardPlan plan = balanced_plan(cohort, 3);
  EXPECT_THROW(cases_of_shard(cohort, {1, 2}, plan), Error);
  EXPECT_THROW(cases_of_shard(cohort_of_size(5), {1, 3}, plan), Error);
  Cohort other = cohort;
  other.cases[2].prediction = "elsewhere.nii";
  EXPECT_THROW(cases_of_shard(other, {1, 3}, plan), Error);
}

TEST(Shards, a_plan_survives_its_file) {
  const results::ShardPlan plan = balanced_plan(cohort_of_size(5), 2);
  const std::string text = results::shard_plan_text(plan);
  const results::ShardPlan read = results::parse_shard_plan(text, "plan.json");
  EXPECT_EQ(read.shards, plan.shards);
  EXPECT_EQ(read.inputs_sha256, plan.inputs_sha256);
  EXPECT_EQ(read.shard_of, plan.shard_of);
  EXPECT_EQ(read.sha256.size(), 64U);
  for (const char* bad :
       {"", "[]", "{}", R"({"schema": "assay.plan/2"})",
        R"({"schema": "assay.plan/1", "shards": 2, "inputs_sha256": "", "shard_of": [3]})",
        R"({"schema": "assay.plan/1", "shards": 2, "inputs_sha256": "", "shard_of": [0]})",
        R"({"schema": "assay.plan/1", "shards": 2, "inputs_sha256": "", "shard_of": [1.5]})"})
    EXPECT_THROW(results::parse_shard_plan(bad, "plan.json"), Error) << bad;
}

TEST(Shards, whatever_changes_about_the_cases_changes_their_hash) {
  const Cohort cohort = cohort_of_size(3);
  std::set<std::string> hashes = {cohort_sha256(cohort)};
  const auto changed = [&](auto change) {
    Cohort other = cohort;
    change(other);
    EXPECT_TRUE(hashes.insert(cohort_sha256(other)).second);
  };
  changed([](Cohort& c) { c.cases.pop_back(); });
  changed([](Cohort& c) { c.cases[1].id = "x"; });
  changed([](Cohort& c) { c.cases[1].prediction = ""; });
  changed([](Cohort& c) { c.cases[1].reference = "x"; });
  changed([](Cohort& c) { c.cases[1].fate = metrics::Fate::missing_prediction; });
  changed([](Cohort& c) { c.cases[1].groups = {{"site", "A"}}; });
  changed([](Cohort& c) { c.cases[1].groups = {{"site", "B"}}; });
  changed([](Cohort& c) { c.cases[1].files = {{"liver", "p", "r"}}; });
  changed([](Cohort& c) { c.cases[1].files = {{"liver", "", "r"}}; });
}

TEST(Shards, auto_reads_what_schedulers_set) {
  const std::map<std::string, std::string> array = {
      {"SLURM_ARRAY_TASK_ID", "3"},   {"SLURM_ARRAY_TASK_COUNT", "16"},
      {"SLURM_ARRAY_TASK_MIN", "1"},  {"SLURM_ARRAY_TASK_MAX", "16"},
      {"SLURM_ARRAY_TASK_STEP", "1"}, {"SLURM_PROCID", "0"},
      {"SLURM_NTASKS", "2"}};
  EXPECT_EQ(shard_by(array), (Shard{3, 16}));
  auto from_0 = array;
  from_0["SLURM_ARRAY_TASK_MIN"] = "0";
  from_0["SLURM_ARRAY_TASK_MAX"] = "15";
  EXPECT_EQ(shard_by(from_0), (Shard{3, 16}));
  from_0["SLURM_ARRAY_TASK_ID"] = "0";
  EXPECT_EQ(shard_by(from_0), (Shard{16, 16}));
  EXPECT_EQ(shard_by({{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}}), (Shard{2, 4}));
  EXPECT_EQ(shard_by({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_STEP_ID", "0"}}),
            (Shard{1, 1}));
  EXPECT_EQ(shard_by({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}}),
            (Shard{4, 4}));
  EXPECT_EQ(shard_by({{"JOB_COMPLETION_INDEX", "5"}, {"ASSAY_SHARDS", "8"}}), (Shard{5, 8}));
  // A batch script outside of srun is not a task of a step.
  EXPECT_EQ(shard_by({{"SLURM_PROCID", "0"},
                      {"SLURM_NTASKS", "1"},
                      {"OMPI_COMM_WORLD_RANK", "1"},
                      {"OMPI_COMM_WORLD_SIZE", "2"}}),
            (Shard{1, 2}));
}

TEST(Shards, auto_refuses_arrays_that_do_not_say_how_many_shards_there_are) {
  using Variables = std::map<std::string, std::string>;
  const auto array = [](const char* id, const char* count, const char* first, const char* last,
                        const char* step) {
    return Variables{{"SLURM_ARRAY_TASK_ID", id},
                     {"SLURM_ARRAY_TASK_COUNT", count},
                     {"SLURM_ARRAY_TASK_MIN", first},
                     {"SLURM_ARRAY_TASK_MAX", last},
                     {"SLURM_ARRAY_TASK_STEP", step}};
  };
  for (Variables variables : {array("3", "2", "3", "7", "1"), array("3", "3", "1", "5", "2"),
                              array("7", "1", "7", "7", "1"), array("2", "2", "0", "2", "1")}) {
    EXPECT_THROW(shard_by(variables), Error);
    variables["ASSAY_SHARDS"] = "16";  // a retry of some tasks keeps the number
    EXPECT_EQ(shard_by(variables).of, 16U);
    EXPECT_EQ(std::to_string(shard_by(variables).number), variables["SLURM_ARRAY_TASK_ID"]);
  }
  EXPECT_THROW(shard_by({}), Error);
  EXPECT_THROW(shard_by({{"SLURM_ARRAY_TASK_ID", "3"}}), Error);
  EXPECT_THROW(shard_by({{"JOB_COMPLETION_INDEX", "5"}}), Error);
  EXPECT_THROW(shard_by({{"OMPI_COMM_WORLD_RANK", "x"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), Error);
  EXPECT_THROW(shard_by({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}), Error);
}

}  // namespace assay::score::shards_test
