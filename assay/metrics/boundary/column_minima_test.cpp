// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/column_minima.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace column_minima_test {

using namespace assay;
using namespace assay::metrics;

/// Some of the places 0 to length - 1, ascending; at least one.
std::vector<std::int32_t> some_places(std::mt19937_64& rng, std::int32_t length, unsigned one_in) {
  std::vector<std::int32_t> out = {static_cast<std::int32_t>(rng() % 3)};
  for (std::int32_t place = out[0] + 1; place < length; ++place)
    if (rng() % one_in == 0) out.push_back(place);
  return out;
}

/// Random columns, tried candidate by candidate.
template <class Value, class Cost, class Height>
void expect_minima(std::mt19937_64& rng, const Cost& cost_of, const Height& random_height,
                   Value slack) {
  constexpr std::ptrdiff_t width = columns_per_line<Value>;
  const auto length = static_cast<std::int32_t>(4 + rng() % 120);
  const auto places = some_places(rng, length, 1 + static_cast<unsigned>(rng() % 4));
  const auto asked = some_places(rng, length, 1 + static_cast<unsigned>(rng() % 4));
  std::vector<Value> heights, costs;
  for (std::size_t i = 0; i < places.size() * static_cast<std::size_t>(width); ++i)
    heights.push_back(random_height());
  for (std::int32_t step = -length; step <= length; ++step) costs.push_back(cost_of(step));

  std::vector<Value> found(asked.size() * static_cast<std::size_t>(width));
  std::vector<Value*> lines;
  for (std::size_t i = 0; i < asked.size(); ++i)
    lines.push_back(found.data() + static_cast<std::ptrdiff_t>(i) * width);
  write_minima<Value>({heights.data(), places, costs.data() + length, asked, slack}, lines);

  for (std::size_t a = 0; a < asked.size(); ++a)
    for (std::ptrdiff_t column = 0; column < width; ++column) {
      Value least = heights[static_cast<std::size_t>(column)] + cost_of(places[0] - asked[a]);
      for (std::size_t i = 0; i < places.size(); ++i)
        least = std::min(
            least, heights[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)] +
                       cost_of(places[i] - asked[a]));
      ASSERT_EQ(lines[a][column], least);
    }
}

TEST(ColumnMinima, of_integers_equal_those_of_all_candidates) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 2000; ++i) {
    const auto highest = static_cast<std::int32_t>(1 + rng() % 4000);
    const auto height = [&] { return static_cast<std::int32_t>(rng()) % highest; };
    const auto unit = static_cast<std::int32_t>(1 + rng() % 9);
    expect_minima<std::int32_t>(
        rng, [&](std::int32_t step) { return unit * step * step; }, height, 0);
  }
}

TEST(ColumnMinima, of_doubles_equal_those_of_all_candidates_to_the_bit) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < 2000; ++i) {
    const double spacing = 0.1 * static_cast<double>(1 + rng() % 30);
    // Heights that are squares themselves make many sums equal except for rounding.
    const auto height = [&] {
      const double length = spacing * static_cast<double>(rng() % 40);
      return length * length;
    };
    const auto cost = [&](std::int32_t step) { return step * spacing * (step * spacing); };
    expect_minima<double>(rng, cost, height, 1e-13 * cost(200));
  }
}

TEST(ColumnMinima, costs_need_not_be_even) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 500; ++i) {
    const auto cost = [](std::int32_t step) {
      const double apart = std::max(0.0, std::abs(step - 0.5) - 0.5);
      return apart * apart;
    };
    expect_minima<double>(
        rng, cost, [&] { return static_cast<double>(rng() % 3000) / 36; }, 1e-9);
  }
}

}  // namespace column_minima_test
