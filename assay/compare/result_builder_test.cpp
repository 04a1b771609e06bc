// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/result_builder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/base/test_files.hpp"

namespace result_builder_test {

using namespace assay;
using namespace assay::compare;

using Values = std::vector<std::optional<double>>;
using Texts = std::vector<std::string>;

std::string refusal(ResultBuilder builder) {
  return test::refusal([&] { std::move(builder).table(); });
}

TEST(ResultBuilder, values_in_any_order_become_columns) {
  ResultBuilder b("m", "f");
  const std::size_t y = b.case_of("y"), x = b.case_of("x");
  EXPECT_EQ(b.case_of("y"), y);
  const std::size_t dice = b.metric("dice"), avd = b.metric("avd");
  const std::size_t one = b.label("1"), two = b.label("2");
  EXPECT_TRUE(b.put({x, two, avd}, 3));
  EXPECT_TRUE(b.put({x, one, dice}, 1));
  EXPECT_TRUE(b.put({y, one, dice}, std::nullopt));
  EXPECT_FALSE(b.put({x, one, dice}, 7));
  EXPECT_TRUE(b.put({x, two, dice}, 0));
  const ResultTable t = std::move(b).table();
  EXPECT_EQ(t.ids, (Texts{"y", "x"}));
  EXPECT_EQ(t.averages[0].values, (Values{std::nullopt, 0.5}));
  EXPECT_EQ(t.averages[1].values, (Values{std::nullopt, 3}));
  EXPECT_EQ(t.labels[0].columns.size(), 1U);  // label 1 has no avd
  EXPECT_EQ(t.labels[1].columns[0].values, (Values{std::nullopt, 0.0}));
}

TEST(ResultBuilder, no_value_is_ever_nan) {
  ResultBuilder b("m", "f");
  const std::size_t a = b.add_case("a"), m = b.metric("x");
  b.put({a, b.label("1"), m}, INFINITY);
  b.put({a, b.label("2"), m}, -INFINITY);
  b.put({a, b.label("3"), m}, NAN);
  const ResultTable t = std::move(b).table();
  EXPECT_EQ(t.averages[0].values, (Values{std::nullopt}));
  EXPECT_EQ(t.labels[2].columns[0].values, (Values{std::nullopt}));
}

TEST(ResultBuilder, a_lost_case_leaves_unless_something_is_known_of_it) {
  ResultBuilder b("m", "f");
  const std::size_t m = b.metric("dice"), whole = b.label("");
  for (const char* id : {"a", "b", "c"}) b.group(b.add_case(id), "site", id);
  b.lose(0, {.reason = "gone"});
  b.lose(1, {.reason = "gone"});
  b.put({1, whole, m}, 0.0);
  const ResultTable t = std::move(b).table();
  EXPECT_EQ(t.ids, (Texts{"b", "c"}));
  EXPECT_EQ(t.averages[0].values, (Values{0.0, std::nullopt}));
  EXPECT_EQ(t.groups[0].second, (Texts{"b", "c"}));
  ASSERT_EQ(t.unscored.size(), 1U);
  EXPECT_EQ(t.unscored[0].id, "a");
}

TEST(ResultBuilder, a_label_can_stay_out_of_the_averages) {
  ResultBuilder b("m", "f");
  const std::size_t a = b.add_case("a"), m = b.metric("x"), background = b.label("0");
  b.leave_out_of_averages(background);
  b.put({a, background, m}, 1);
  b.put({a, b.label("1"), m}, 0);
  b.put({a, background, b.metric("y")}, 1);
  const ResultTable t = std::move(b).table();
  ASSERT_EQ(t.averages.size(), 1U);
  EXPECT_EQ(t.averages[0].values, (Values{0.0}));
  EXPECT_EQ(t.labels.size(), 2U);
}

TEST(ResultBuilder, refuses_tables_without_content_and_equal_ids) {
  ResultBuilder b("m", "f");
  EXPECT_EQ(refusal(b), "f: lists no case of model m; score some first");
  b.add_case("a");
  EXPECT_EQ(refusal(b), "f: has no value of any metric of model m");
  const std::size_t again = b.add_case("a");
  b.put({again, b.label(""), b.metric("dice")}, 1);
  EXPECT_EQ(refusal(b), "f: case 'a' appears twice for model m; every case needs its own id");
  b.forget_ids();
  EXPECT_EQ(refusal(b), "");
}

}  // namespace result_builder_test
