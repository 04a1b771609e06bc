// SPDX-License-Identifier: Apache-2.0
//
// Bit equality with NumPy is guaranteed: a results file recomputed from Python must not differ in
// its last digit. It needs the same order of additions. NumPy adds fewer than 8 numbers in a row,
// up to 128 with eight accumulators that are combined as a tree, and splits anything longer in
// halves whose first part is a multiple of 8 (pairwise summation, Higham 1993). The file depends on
// the build's -ffp-contract=off: a fused a*b+c would round once instead of twice.
#include "assay/stats/moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "assay/error.hpp"
#include "assay/stats/distributions.hpp"

namespace assay::stats {

namespace {

constexpr std::size_t sum_lanes = 8;
constexpr std::size_t sum_block = 128;

double sum_in_order(std::span<const double> values, double start) {
  for (const double value : values) start += value;
  return start;
}

double sum_of_block(std::span<const double> values) {
  std::array<double, sum_lanes> lane{};
  std::copy_n(values.begin(), sum_lanes, lane.begin());
  const std::size_t whole = values.size() - values.size() % sum_lanes;
  for (std::size_t i = sum_lanes; i < whole; i += sum_lanes)
    for (std::size_t k = 0; k < sum_lanes; ++k) lane[k] += values[i + k];
  const double left = (lane[0] + lane[1]) + (lane[2] + lane[3]);
  const double right = (lane[4] + lane[5]) + (lane[6] + lane[7]);
  return sum_in_order(values.subspan(whole), left + right);
}

double sum_of_halves(std::span<const double> values) {
  if (values.size() < sum_lanes) return sum_in_order(values, -0.0);
  if (values.size() <= sum_block) return sum_of_block(values);
  const std::size_t half = values.size() / 2;
  const std::size_t first = half - half % sum_lanes;
  return sum_of_halves(values.first(first)) + sum_of_halves(values.subspan(first));
}

/// NumPy's lerp: from whichever end is nearer, so that it is monotone and exact at both.
double between(double low, double high, double fraction) {
  const double step = high - low;
  return fraction >= 0.5 ? high - step * (1 - fraction) : low + step * fraction;
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> ascending(values.begin(), values.end());
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

bool has_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

}  // namespace

double pairwise_sum(std::span<const double> values) {
  return 0.0 + sum_of_halves(values);
}

double mean(std::span<const double> values) {
  if (values.empty()) return nan;
  return pairwise_sum(values) / static_cast<double>(values.size());
}

double variance(std::span<const double> values, std::size_t ddof) {
  if (values.size() <= ddof) return nan;
  const double centre = mean(values);
  std::vector<double> squares(values.size());
  std::transform(values.begin(), values.end(), squares.begin(),
                 [centre](double v) { return (v - centre) * (v - centre); });
  return pairwise_sum(squares) / static_cast<double>(values.size() - ddof);
}

double standard_deviation(std::span<const double> values, std::size_t ddof) {
  return std::sqrt(variance(values, ddof));
}

double percentile_of_sorted(std::span<const double> ascending, double q) {
  if (!(q >= 0 && q <= 100))
    throw Error(Error::Kind::usage, "a percentile must be in the range 0 to 100");
  if (ascending.empty() || std::isnan(ascending.back())) return nan;
  const double last = static_cast<double>(ascending.size() - 1);
  const double place = last * (q / 100);
  // Through the same interpolation, as NumPy does: a greatest value of inf gives NaN here.
  if (place >= last) return between(ascending.back(), ascending.back(), 1.0);
  const double below = std::floor(place);
  const auto i = static_cast<std::size_t>(below);
  return between(ascending[i], ascending[i + 1], place - below);
}

double skewness(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double centre = mean(values), spread = standard_deviation(values, 0);
  if (values.size() < 3 || !(spread > 0)) return 0;
  double cubes = 0;
  for (const double value : values) cubes += std::pow((value - centre) / spread, 3);
  return cubes / n * std::sqrt(n * (n - 1)) / (n - 2);
}

double percentile(std::span<const double> values, double q) {
  if (has_nan(values)) return nan;
  return percentile_of_sorted(sorted(values), q);
}

double median(std::span<const double> values) {
  if (values.empty() || has_nan(values)) return nan;
  std::vector<double> work(values.begin(), values.end());
  const auto middle = work.begin() + static_cast<std::ptrdiff_t>(work.size() / 2);
  std::nth_element(work.begin(), middle, work.end());
  if (work.size() % 2 == 1) return *middle;
  return (*std::max_element(work.begin(), middle) + *middle) / 2;
}

}  // namespace assay::stats
