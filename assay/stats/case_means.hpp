// SPDX-License-Identifier: Apache-2.0
/// Mean scores of several models over chosen cases, all models at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::stats {

class CaseMeans {
 public:
  /// One row per model, one column per case; rows of different lengths are an Error.
  explicit CaseMeans(std::span<const std::vector<double>> scores);

  std::size_t models() const { return models_; }
  std::size_t cases() const { return cases_; }

  /// means[m]: model m over the cases named by `indices`, added in their order.
  void operator()(std::span<const std::uint32_t> indices, std::span<double> means) const;

  /// Eight models on one case: a line of the cache.
  struct alignas(64) Line {
    std::array<double, 8> score{};
  };

 private:
  std::size_t models_, cases_;
  std::vector<std::vector<Line>> groups_;  ///< eight models each, by case
};

}  // namespace assay::stats
