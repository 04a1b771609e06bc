// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/cross_validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace cross_validation_test {

using namespace assay;
using namespace assay::compare;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto none = std::nullopt;

FoldRun run_of(std::size_t fold, std::size_t restart, std::vector<std::string> ids,
               std::vector<Value> dice) {
  return {.file = "fold_" + std::to_string(fold) + "_restart_" + std::to_string(restart),
          .outer_fold = fold,
          .restart = restart,
          .ids = std::move(ids),
          .columns = {{"dice", std::move(dice)}}};
}

/// Two outer folds of two restarts. Run means: 0.5, 0.7 and 0.2, 0.4.
std::vector<FoldRun> two_by_two() {
  return {run_of(0, 0, {"a", "b"}, {0.4, 0.6}), run_of(0, 1, {"b", "a"}, {0.6, 0.8}),
          run_of(1, 0, {"c", "d"}, {0.1, 0.3}), run_of(1, 1, {"c", "d"}, {0.5, 0.3})};
}

std::string refusal(std::vector<FoldRun> runs, Restarts rule = Restarts::mean) {
  return test::refusal([&] { cross_validated(std::move(runs), rule); });
}

TEST(CrossValidation, restarts_are_paired_by_subject_and_folds_are_pooled) {
  const CrossValidation found = cross_validated(two_by_two(), Restarts::mean);
  ASSERT_EQ(found.folds.size(), 2U);
  // a: (0.4 + 0.8) / 2, b: (0.6 + 0.6) / 2, although the second restart lists b first.
  EXPECT_DOUBLE_EQ(*found.folds[0].values[0][0], 0.6);
  EXPECT_DOUBLE_EQ(*found.folds[0].values[0][1], 0.6);
  EXPECT_THAT(found.folds[0].runs[1].run.ids, ElementsAre("a", "b"));
  const NamedSpreads& dice = found.spreads.front();
  EXPECT_EQ(dice.subjects.n, 4U);
  EXPECT_DOUBLE_EQ(*dice.subjects.mean, 0.45);
  // 0.6, 0.6, 0.3, 0.3: squares of 0.15, four times.
  EXPECT_DOUBLE_EQ(*dice.subjects.std, std::sqrt(4 * 0.15 * 0.15 / 3));
  EXPECT_DOUBLE_EQ(*dice.subjects.population_std, 0.15);
}

TEST(CrossValidation, the_four_spreads_are_different_numbers) {
  const NamedSpreads dice = cross_validated(two_by_two(), Restarts::mean).spreads.front();
  EXPECT_EQ(dice.runs.n, 4U);  // 0.5, 0.7, 0.2, 0.4
  EXPECT_NEAR(*dice.runs.std, std::sqrt((0.05 * 0.05 + 0.25 * 0.25) * 2 / 3), 1e-15);
  EXPECT_EQ(dice.outer_folds.n, 2U);  // 0.6, 0.3
  EXPECT_NEAR(*dice.outer_folds.std, 0.3 / std::sqrt(2), 1e-15);
  EXPECT_EQ(dice.restarts.degrees, 2U);  // each run is 0.1 off the mean of its fold
  EXPECT_NEAR(*dice.restarts.std, std::sqrt(4 * 0.01 / 2), 1e-15);
}

TEST(CrossValidation, median_and_best) {
  auto runs = two_by_two();
  runs.push_back(run_of(0, 2, {"a", "b"}, {0.9, 0.1}));
  runs.push_back(run_of(1, 2, {"c", "d"}, {0.0, 0.0}));
  const CrossValidation median = cross_validated(runs, Restarts::median);
  EXPECT_THAT(median.folds[0].values[0], ElementsAre(0.8, 0.6));
  EXPECT_THAT(median.folds[1].values[0], ElementsAre(0.1, 0.3));
  const CrossValidation best = cross_validated(runs, Restarts::best);
  EXPECT_EQ(best.folds[0].best, 1U);
  EXPECT_THAT(best.folds[0].values[0], ElementsAre(0.8, 0.6));
  EXPECT_THAT(best.folds[1].values[0], ElementsAre(0.5, 0.3));
  EXPECT_EQ(best.spreads[0].runs.n, 6U);  // the spread of training has all runs, chosen or not
}

TEST(CrossValidation, best_is_never_below_any_single_choice) {
  const CrossValidation best = cross_validated(two_by_two(), Restarts::best);
  for (const OuterFold& fold : best.folds)
    for (const TestedRun& run : fold.runs)
      EXPECT_GE(*fold.over_subjects[0].mean, *run.subjects[0].mean);
}

TEST(CrossValidation, of_equal_restarts_the_first_is_best) {
  const auto runs = {run_of(0, 0, {"a"}, {0.5}), run_of(0, 1, {"a"}, {0.5})};
  EXPECT_EQ(cross_validated(runs, Restarts::best).folds[0].best, 0U);
}

TEST(CrossValidation, undefined_values_are_dropped_and_counted) {
  const CrossValidation found = cross_validated({run_of(0, 0, {"a", "b", "c"}, {0.4, none, none}),
                                                 run_of(0, 1, {"a", "b", "c"}, {0.6, 0.2, none})},
                                                Restarts::mean);
  const NamedSpreads& dice = found.spreads.front();
  EXPECT_EQ(dice.undefined, 3U);
  EXPECT_EQ(dice.subjects.n, 2U);
  EXPECT_EQ(dice.subjects.undefined, 1U);
  EXPECT_DOUBLE_EQ(*dice.subjects.mean, 0.35);  // a: 0.5, b: 0.2 of its one restart
  EXPECT_EQ(found.folds[0].runs[0].subjects[0].n, 1U);
  EXPECT_FALSE(found.subjects[2].values[0].has_value());
}

TEST(CrossValidation, one_value_has_no_spread) {
  const NamedSpreads dice =
      cross_validated({run_of(0, 0, {"a"}, {0.5})}, Restarts::mean).spreads.front();
  EXPECT_FALSE(dice.subjects.std || dice.runs.std || dice.outer_folds.std || dice.restarts.std);
  EXPECT_FALSE(dice.subjects.population_std);
  EXPECT_EQ(dice.runs.mean, 0.5);
}

TEST(CrossValidation, no_value_at_all) {
  const NamedSpreads dice =
      cross_validated({run_of(0, 0, {"a"}, {none})}, Restarts::mean).spreads.front();
  EXPECT_FALSE(dice.subjects.mean || dice.runs.mean || dice.outer_folds.mean);
  EXPECT_EQ(dice.outer_folds.undefined, 1U);
}

TEST(CrossValidation, subjects_come_sorted_with_their_fold) {
  const auto found = cross_validated(
      {run_of(0, 0, {"z", "b"}, {0.1, 0.2}), run_of(1, 0, {"a"}, {0.3})}, Restarts::mean);
  ASSERT_EQ(found.subjects.size(), 3U);
  EXPECT_EQ(found.subjects[0].id, "a");
  EXPECT_EQ(found.subjects[0].outer_fold, 1U);
  EXPECT_EQ(found.subjects[2].id, "z");
}

TEST(CrossValidation, indices_pair_where_ids_are_absent) {
  auto a = run_of(0, 0, {}, {0.4, 0.6}), b = run_of(0, 1, {"x", "y"}, {0.2, 0.8});
  a.indices = {7, 3};
  b.indices = {3, 7};
  const CrossValidation found = cross_validated({a, b}, Restarts::mean);
  EXPECT_THAT(found.folds[0].subjects, ElementsAre("index_7", "index_3"));
  EXPECT_DOUBLE_EQ(*found.folds[0].values[0][0], 0.6);
  b.indices.clear();
  EXPECT_THAT(refusal({a, b}), HasSubstr("fold_0_restart_0: has no subject_ids, and "
                                         "fold_0_restart_1 has no subject_indices"));
}

TEST(CrossValidation, runs_that_do_not_belong_together_are_refused_by_name) {
  struct {
    std::vector<FoldRun> runs;
    const char* says;
  } cases[] = {
      {{run_of(0, 0, {"a", "b"}, {1, 1}), run_of(0, 1, {"a", "c"}, {1, 1})},
       "fold_0_restart_1: lacks subject b, which fold_0_restart_0 has"},
      {{run_of(0, 0, {"a"}, {1}), run_of(0, 1, {"a", "c"}, {1, 1})},
       "fold_0_restart_0: lacks subject c, which fold_0_restart_1 has"},
      {{run_of(0, 0, {"a", "a"}, {1, 1})}, "fold_0_restart_0: subject a is listed twice"},
      {{run_of(0, 0, {"a"}, {1}), run_of(0, 1, {"a"}, {1}), run_of(1, 0, {"a"}, {1})},
       "subject a is tested in outer fold 0 (fold_0_restart_0) and in outer fold 1"},
      {{run_of(0, 0, {"a"}, {1}), run_of(0, 0, {"a"}, {1})}, "restart 0 is given twice"},
      {{}, "no run"},
  };
  for (const auto& c : cases) EXPECT_THAT(refusal(c.runs), HasSubstr(c.says));
}

TEST(CrossValidation, best_needs_dice) {
  auto run = run_of(0, 0, {"a"}, {1});
  run.columns.front().name = "avd";
  EXPECT_THAT(refusal({run}, Restarts::best), HasSubstr("have no dice"));
  EXPECT_THAT(refusal({run_of(3, 0, {"a"}, {none})}, Restarts::best),
              HasSubstr("outer fold 3: no restart has a Dice"));
}

TEST(CrossValidation, a_metric_that_one_run_lacks_is_left_out) {
  auto runs = two_by_two();
  runs[2].columns.push_back({"avd", {0.1, 0.2}});
  const CrossValidation found = cross_validated(runs, Restarts::mean);
  EXPECT_THAT(found.metrics, ElementsAre("dice"));
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("avd is left out")));
  runs[0].columns.front().name = "iou";
  EXPECT_THAT(refusal(runs), HasSubstr("no metric is in every run"));
}

TEST(CrossValidation, copies_and_foreign_means_are_pointed_out) {
  auto runs = two_by_two();
  runs[1] = run_of(0, 1, {"a", "b"}, {0.4, 0.6});
  runs[2].recorded = {{"dice", 0.2}};
  runs[3].recorded = {{"dice", 0.9}, {"hd95", 3}};
  const auto warnings = cross_validated(runs, Restarts::mean).warnings;
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("every value equals that of fold_0_restart_0"),
                                    HasSubstr("fold_1_restart_1: test_dice is not the mean")));
}

TEST(CrossValidation, ways_to_aggregate_have_names) {
  for (const Restarts each : {Restarts::mean, Restarts::median, Restarts::best})
    EXPECT_EQ(restarts_named(name(each)), each);
  EXPECT_THROW(restarts_named("meen"), Error);
}

}  // namespace cross_validation_test
