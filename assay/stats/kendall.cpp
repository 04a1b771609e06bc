// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/kendall.hpp"

#include <cmath>
#include <cstddef>

#include "assay/error.hpp"

namespace assay::stats {
namespace {

int sign_of(double a, double b) {
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}

}  // namespace

double kendall_tau_b(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    throw Error(Error::Kind::input, "Kendall's tau needs two orders of the same things");
  double agreement = 0, x_pairs = 0, y_pairs = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int in_x = sign_of(x[i], x[j]), in_y = sign_of(y[i], y[j]);
      agreement += in_x * in_y;
      x_pairs += in_x * in_x;
      y_pairs += in_y * in_y;
    }
  return agreement / std::sqrt(x_pairs * y_pairs);
}

}  // namespace assay::stats
