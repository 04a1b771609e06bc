// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/folds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "assay/error.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace folds_test {

using namespace assay;
using namespace assay::stats;

using Ids = std::vector<std::size_t>;
using Tests = std::vector<Ids>;

/// The test items of each fold, as scikit-learn yields them.
Tests test_items(const FoldNumbers& folds, std::size_t count) {
  Tests tests(count);
  for (std::size_t i = 0; i < folds.size(); ++i) tests[folds[i]].push_back(i);
  return tests;
}

/// "0120" -> {0, 1, 2, 0}
Ids digits(std::string_view text) {
  Ids values;
  for (const char c : text) values.push_back(static_cast<std::size_t>(c - '0'));
  return values;
}

const Ids classes = {0, 0, 1, 1, 2, 2, 0, 1, 0, 2, 1, 0, 0};
const Ids groups = {5, 5, 3, 3, 3, 1, 1, 9, 9, 9, 9, 7, 2};
/// 40 groups of mostly equal sizes: more than NumPy sorts by insertion.
const Ids many_groups = {0,  3,  3,  39, 9,  19, 21, 36, 23, 6,  24, 24, 12, 1,  38, 39, 23,
                         24, 17, 37, 25, 13, 8,  9,  20, 16, 5,  15, 0,  18, 35, 24, 29, 19,
                         19, 14, 39, 32, 1,  9,  32, 31, 10, 23, 35, 11, 28, 34, 0,  0,  36,
                         5,  38, 17, 15, 4,  31, 1,  1,  39, 35, 38, 11, 18, 27, 0,  14, 35,
                         12, 20, 11, 4,  6,  4,  3,  12, 36, 14, 15, 20, 35, 23, 15, 13, 21,
                         5,  35, 0,  31, 5,  30, 0,  36, 34, 29, 3,  34, 13, 39, 21};
const Ids many_classes = digits(
    "0111121010010100002011011101012100100001100000000010100100120000000101001110101011000101100010"
    "110111");

// Expected folds below are those of scikit-learn 1.2.1 with NumPy 1.24.

TEST(Folds, plain_equal_scikit_learn) {
  EXPECT_EQ(test_items(k_fold(13, {.folds = 4}), 4),
            (Tests{{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}));
  EXPECT_EQ(test_items(k_fold(13, {.folds = 4, .seed = 7}), 4),
            (Tests{{2, 5, 8, 10}, {0, 1, 12}, {3, 7, 11}, {4, 6, 9}}));
}

TEST(Folds, stratified_equal_scikit_learn) {
  EXPECT_EQ(test_items(stratified_k_fold(classes, {.folds = 3}), 3),
            (Tests{{0, 1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}));
  EXPECT_EQ(test_items(stratified_k_fold(classes, {.folds = 3, .seed = 7}), 3),
            (Tests{{3, 5, 6, 7, 11}, {0, 4, 8, 10}, {1, 2, 9, 12}}));
}

TEST(Folds, grouped_equal_scikit_learn) {
  EXPECT_EQ(test_items(group_k_fold(groups, {.folds = 3}), 3),
            (Tests{{7, 8, 9, 10, 12}, {2, 3, 4, 11}, {0, 1, 5, 6}}));
  EXPECT_EQ(group_k_fold(many_groups, {.folds = 4}),
            digits("0222313333002312300110130212021001132233213311220031102013321112003120103022332"
                   "013203110113032022023"));
}

TEST(Folds, stratified_and_grouped_equal_scikit_learn) {
  EXPECT_EQ(test_items(stratified_group_k_fold(classes, groups, {.folds = 3}), 3),
            (Tests{{0, 1, 7, 8, 9, 10}, {2, 3, 4, 12}, {5, 6, 11}}));
  EXPECT_EQ(stratified_group_k_fold(many_classes, many_groups, {.folds = 4}),
            digits("0112331222003032200132130031021003312303331212120023301330021322301130232313211"
                   "012121310332022012221"));
}

TEST(Folds, shuffled_groups_stay_whole_and_balanced) {
  std::set<FoldNumbers> seen;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const FoldNumbers folds =
        stratified_group_k_fold(many_classes, many_groups, {.folds = 4, .seed = seed});
    std::map<std::size_t, std::set<std::size_t>> of_group;
    std::map<std::size_t, int> ones;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      of_group[many_groups[i]].insert(folds[i]);
      ones[folds[i]] += many_classes[i] == 1;
    }
    for (const auto& [group, where] : of_group) EXPECT_EQ(where.size(), 1U) << group;
    for (const auto& [fold, count] : ones) EXPECT_NEAR(count, 10, 3) << fold;
    seen.insert(folds);
  }
  EXPECT_GT(seen.size(), 10U);
}

TEST(Folds, nested_folds_split_each_training_set) {
  const NestedFolds found =
      nested_split({13, classes, {}}, {.folds = 3, .seed = 42}, {.folds = 2, .seed = 42});
  ASSERT_EQ(found.inner.size(), 3U);
  EXPECT_EQ(found.outer, stratified_k_fold(classes, {.folds = 3, .seed = 42}));
  for (std::size_t fold = 0; fold < 3; ++fold) {
    Ids training;
    FoldNumbers inner;
    for (std::size_t i = 0; i < 13; ++i) {
      EXPECT_EQ(found.inner[fold][i].has_value(), found.outer[i] != fold);
      if (found.outer[i] == fold) continue;
      training.push_back(classes[i]);
      inner.push_back(*found.inner[fold][i]);
    }
    EXPECT_EQ(inner, stratified_k_fold(training, {.folds = 2, .seed = 42}));
  }
}

TEST(Folds, refuse_what_cannot_be_divided) {
  EXPECT_THROW(k_fold(3, {.folds = 4}), Error);
  EXPECT_THROW(k_fold(3, {.folds = 1}), Error);
  EXPECT_THROW(stratified_k_fold(Ids{0, 1, 2}, {.folds = 2}), Error);
  EXPECT_THROW(group_k_fold(Ids{4, 4, 4}, {.folds = 2}), Error);
  EXPECT_THROW(stratified_group_k_fold(Ids{0, 0}, Ids{1}, {.folds = 2}), Error);
}

TEST(Folds, vectors_of_the_specification) {
  const auto section = vectors::reference("stratified_kfold");
  const auto names = section.at("labels").get<std::vector<std::string>>();
  const std::size_t count = section.at("n_splits");
  const FoldNumbers folds =
      stratified_k_fold(coded_names(names), {count, section.at("seed").get<std::uint32_t>()});
  EXPECT_EQ(test_items(folds, count), section.at("test_folds").get<Tests>());
}

using Codes = std::vector<std::size_t>;

TEST(Strata, a_value_on_an_edge_belongs_to_the_lower_bin) {
  // The quartiles of 1..5 are 2, 3 and 4.
  const QuantileBins found = quantile_bins(std::vector<double>{5, 1, 2, 3, 4}, 4);
  EXPECT_EQ(found.edges, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(found.codes, (Codes{3, 0, 0, 1, 2}));
}

TEST(Strata, equal_values_stay_together) {
  const QuantileBins found = quantile_bins(std::vector<double>{7, 7, 7, 7, 9, 8}, 3);
  EXPECT_EQ(found.codes, (Codes{0, 0, 0, 0, 2, 2}));
}

TEST(Strata, bins_of_distinct_values_are_even) {
  std::vector<double> values(120);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 37 % 120);
  for (const std::size_t bins : {2U, 3U, 4U, 5U, 8U, 10U}) {
    std::vector<int> counts(bins);
    for (const std::size_t code : quantile_bins(values, bins).codes) ++counts[code];
    for (const int count : counts) EXPECT_EQ(count, 120 / static_cast<int>(bins)) << bins;
  }
}

TEST(Strata, what_cannot_be_cut_is_refused) {
  EXPECT_THROW(quantile_bins(std::vector<double>{1, 2, 3}, 1), Error);
  EXPECT_THROW(quantile_bins(std::vector<double>{1, 2, 3}, 4), Error);
  EXPECT_THROW(quantile_bins(std::vector<double>{1, 2, NAN}, 2), Error);
}

TEST(Strata, members_are_counted_by_class_and_fold) {
  EXPECT_EQ(members(Codes{0, 1, 1, 0, 1}, {0, 0, 1, 1, 1}, 2),
            (std::vector<std::vector<std::size_t>>{{1, 1}, {1, 2}}));
  EXPECT_TRUE(members(Codes{}, {}, 2).empty());
}

}  // namespace folds_test
