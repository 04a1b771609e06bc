// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/count_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "assay/error.hpp"

namespace count_values_test {

using namespace assay;
using namespace assay::metrics;

template <class T>
T from(double value) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T>
double number(T value) {
  if constexpr (std::is_same_v<T, Half>)
    return double{to_float(value)};
  else
    return static_cast<double>(value);
}

template <class T>
ValuesView view(const std::vector<T>& values) {
  return {values.data(), values.size()};
}

/// Small whole numbers; below 0 where the type has them.
template <class T>
std::vector<T> random_values(std::mt19937_64& rng, std::size_t size) {
  std::vector<T> out(size);
  for (T& value : out)
    value = from<T>(static_cast<double>(rng() % 4) - (std::is_unsigned_v<T> ? 0 : 1));
  return out;
}

/// One value at a time: the slow oracle.
template <class P, class R>
Confusion counted_slowly(const std::vector<P>& p, const std::vector<R>& r,
                         std::optional<double> label) {
  const auto in = [&](auto x) { return label ? number(x) == *label : number(x) > 0; };
  Confusion c;
  for (std::size_t i = 0; i < p.size(); ++i)
    ++(in(p[i]) ? (in(r[i]) ? c.tp : c.fp) : (in(r[i]) ? c.fn : c.tn));
  return c;
}

void run_on_threads(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < tasks; ++i) threads.emplace_back([i, &task] { task(i); });
}

template <class T>
class CountValues : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                             std::int32_t, std::uint64_t, std::int64_t, Half, float, double>;
TYPED_TEST_SUITE(CountValues, Types);

TYPED_TEST(CountValues, equal_the_oracle_for_every_length_label_and_second_type) {
  std::mt19937_64 rng(1);
  for (std::size_t n = 0; n < 150; ++n) {
    const auto p = random_values<TypeParam>(rng, n), same = random_values<TypeParam>(rng, n);
    const auto other = random_values<float>(rng, n);
    for (const std::optional<double> label : {std::optional<double>(), {0.0}, {1.0}, {2.0}}) {
      EXPECT_EQ(count_values(view(p), view(same), label), counted_slowly(p, same, label));
      EXPECT_EQ(count_values(view(p), view(other), label), counted_slowly(p, other, label));
      EXPECT_EQ(count_values(view(other), view(p), label), counted_slowly(other, p, label));
    }
  }
}

TYPED_TEST(CountValues, several_blocks_and_any_threads_give_the_same) {
  std::mt19937_64 rng(2);
  const std::size_t n = (std::size_t{1} << 21) + 12345;
  const auto p = random_values<TypeParam>(rng, n), r = random_values<TypeParam>(rng, n);
  const Confusion expected = counted_slowly(p, r, {});
  EXPECT_EQ(count_values(view(p), view(r)), expected);
  EXPECT_EQ(count_values(view(p), view(r), {}, run_on_threads), expected);
}

TYPED_TEST(CountValues, a_label_that_the_type_cannot_hold_is_nowhere) {
  const std::vector<TypeParam> p(5, from<TypeParam>(1));
  for (const double label : {1.5, -1e30, 1e30, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(count_values(view(p), view(p), label), (Confusion{.tn = 5})) << label;
}

TEST(CountValuesBounds, the_greatest_value_of_a_type_is_a_label) {
  const std::vector<std::uint64_t> wide = {std::numeric_limits<std::uint64_t>::max(), 1};
  // 2^64 as a double is not a value of the type, although its greatest value rounds to it.
  EXPECT_EQ(count_values(view(wide), view(wide), 0x1p64), (Confusion{.tn = 2}));
  const std::vector<std::int8_t> bytes = {-128, 127};
  EXPECT_EQ(count_values(view(bytes), view(bytes), -128), (Confusion{.tp = 1, .tn = 1}));
  EXPECT_EQ(count_values(view(bytes), view(bytes), 127), (Confusion{.tp = 1, .tn = 1}));
  EXPECT_EQ(count_values(view(bytes), view(bytes)), (Confusion{.tp = 1, .tn = 1}));
}

TEST(CountValuesNan, is_refused_and_located) {
  std::vector<float> p(3000000, 1);
  const std::vector<float> r = p;
  p[2500000] = p[2900000] = NAN;
  for (const auto& executor : {Executor(), Executor(run_on_threads)})
    for (const std::optional<double> label : {std::optional<double>(), {1.0}}) try {
        count_values(view(p), view(r), label, executor);
        ADD_FAILURE() << "a NaN was counted";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::input);
        EXPECT_THAT(error.what(), testing::HasSubstr("2500000"));
      }
  const std::vector<Half> half = {Half{0x7e00}};
  EXPECT_THROW(count_values(view(half), view(half)), Error);
}

TEST(IsMap, of_arrays) {
  EXPECT_FALSE(is_map(view<float>({0, 0.5F, 0.5F})));
  EXPECT_TRUE(is_map(view<float>({0, 0.5F, 1})));
  EXPECT_TRUE(is_map(view<double>({1, 0.25, 0})));
  EXPECT_FALSE(is_map(view<double>({3, 1, 2, 0})));
  EXPECT_TRUE(is_map(view<Half>({to_half(0.5F), to_half(2)})));
  EXPECT_FALSE(is_map(view<std::int16_t>({3, 1, 2, 0})));
  EXPECT_FALSE(is_map(view<float>({})));
  std::vector<float> late(100000);
  late[0] = 1;
  late[99999] = 0.5F;
  EXPECT_TRUE(is_map(view(late)));
}

TEST(CountValuesInfinity, is_a_value_like_others) {
  const std::vector<double> p = {INFINITY, -INFINITY, 1e-300}, r = {1, 1, -1e-300};
  EXPECT_EQ(count_values(view(p), view(r)), (Confusion{.tp = 1, .fp = 1, .fn = 1}));
  EXPECT_THROW(count_values(view(p), {r.data(), 2}), Error);
}

TEST(PackedValues, are_the_bits_of_what_is_counted) {
  std::vector<float> values(40000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 7) - 2;
  const ValuesView view = {values.data(), values.size()};
  for (const std::optional<double> label : {std::optional<double>{}, std::optional(2.0)}) {
    const auto bits = packed_values(view, label);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(bits[i / 64] >> (i % 64) & 1, (label ? values[i] == 2 : values[i] > 0) ? 1U : 0U);
  }
}

}  // namespace count_values_test
