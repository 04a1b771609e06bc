// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/bootstrap.hpp"
#include "assay/error.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace classification_test {

using namespace assay;
using namespace assay::stats;

using Ids = std::vector<std::int64_t>;

TEST(Classification, worked_by_hand) {
  const Ids truths = {1, 1, 1, 2, -7}, predictions = {1, 1, 3, 2, 1};
  EXPECT_DOUBLE_EQ(accuracy(predictions, truths), 0.6);
  EXPECT_DOUBLE_EQ(balanced_accuracy(predictions, truths), (2.0 / 3 + 1 + 0) / 3);
}

TEST(Classification, codes_name_class_and_correctness) {
  const CodedItems items = coded_items(Ids{5, 9, 9}, Ids{9, 9, 2});
  EXPECT_EQ(items.codes, (std::vector<std::uint32_t>{2, 3, 0}));
  EXPECT_EQ(items.classes, 2U);
}

TEST(Classification, refuses_nothing_and_unequal_lengths) {
  EXPECT_THROW(accuracy(Ids{}, Ids{}), Error);
  EXPECT_THROW(balanced_accuracy(Ids{1}, Ids{1, 2}), Error);
}

TEST(Classification, vectors) {
  const auto cases = vectors::cases("classification");
  for (const auto& item : cases) {
    const auto truths = item.at("y_true").get<Ids>(), predictions = item.at("y_pred").get<Ids>();
    const auto& want = *vectors::expected(item, "scipy-1.15.3");
    const double rtol = item.at("rtol");
    for (const auto& row : classification_metrics())
      vectors::expect_near(classification_score(row.value, predictions, truths),
                           vectors::number(want.at(row.name)), rtol, item.at("id"));
  }
}

}  // namespace classification_test
