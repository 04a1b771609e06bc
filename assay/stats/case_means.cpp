// SPDX-License-Identifier: Apache-2.0
//
// The sum of one model's scores is a chain in which each addition waits for the one before, and
// the order cannot be changed without changing bits. Sums of different models do not wait for each
// other: with the scores of a case side by side, eight sums take the time of one, and a random case
// costs one line of the cache instead of eight.
#include "assay/stats/case_means.hpp"

#include <algorithm>

#include "assay/base/processor.hpp"
#include "assay/error.hpp"

namespace assay::stats {

namespace {

using Line = CaseMeans::Line;
constexpr std::size_t per_line = std::tuple_size_v<decltype(Line::score)>;

[[gnu::always_inline]] inline Line line_sum(std::span<const Line> rows,
                                            std::span<const std::uint32_t> indices) {
  Line total;
  for (const std::uint32_t index : indices)
    for (std::size_t k = 0; k < per_line; ++k) total.score[k] += rows[index].score[k];
  return total;
}

Line portable_sum(std::span<const Line> rows, std::span<const std::uint32_t> indices) {
  return line_sum(rows, indices);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Line avx2_sum(std::span<const Line> rows,
                                      std::span<const std::uint32_t> indices) {
  return line_sum(rows, indices);
}
#else
const auto avx2_sum = portable_sum;
#endif

}  // namespace

CaseMeans::CaseMeans(std::span<const std::vector<double>> scores)
    : models_(scores.size()), cases_(scores.empty() ? 0 : scores.front().size()) {
  for (std::size_t m = 0; m < models_; ++m) {
    if (scores[m].size() != cases_)
      throw Error(Error::Kind::input, "the models were not scored on the same cases");
    if (m % per_line == 0) groups_.emplace_back(cases_);
    for (std::size_t i = 0; i < cases_; ++i) groups_.back()[i].score[m % per_line] = scores[m][i];
  }
}

void CaseMeans::operator()(std::span<const std::uint32_t> indices, std::span<double> means) const {
  for (const auto& rows : groups_) {
    const Line total = has_avx2() ? avx2_sum(rows, indices) : portable_sum(rows, indices);
    const std::size_t count = std::min(per_line, means.size());
    for (std::size_t m = 0; m < count; ++m)
      means[m] = total.score[m] / static_cast<double>(indices.size());
    means = means.subspan(count);
  }
}

}  // namespace assay::stats
