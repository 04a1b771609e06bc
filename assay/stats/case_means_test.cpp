// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/case_means.hpp"

#include <gtest/gtest.h>

#include "assay/error.hpp"
#include "assay/stats/random.hpp"

using namespace assay;
using namespace assay::stats;

TEST(CaseMeans, are_plain_sums_bit_for_bit) {
  Generator generator(5);
  for (std::size_t models = 1; models <= 19; ++models) {
    std::vector<std::vector<double>> scores(models, std::vector<double>(31));
    for (auto& row : scores)
      for (double& score : row) score = generator.uniform();
    std::vector<std::uint32_t> indices(77);
    generator.fill_below(31, std::span(indices));
    const CaseMeans means(scores);
    EXPECT_EQ(means.models(), models);
    EXPECT_EQ(means.cases(), 31U);
    std::vector<double> found(models);
    means(indices, found);
    for (std::size_t m = 0; m < models; ++m) {
      double sum = 0;
      for (const std::uint32_t i : indices) sum += scores[m][i];
      EXPECT_EQ(found[m], sum / 77) << m << " of " << models;
    }
  }
}

TEST(CaseMeans, refuse_rows_of_different_lengths) {
  EXPECT_THROW(CaseMeans(std::vector<std::vector<double>>{{1, 2}, {1}}), Error);
}
