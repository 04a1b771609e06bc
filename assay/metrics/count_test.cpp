// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "assay/metrics.hpp"

namespace count_test {

using namespace assay;
using namespace assay::metrics;

using Bytes = std::vector<std::uint8_t>;

/// One voxel at a time: the slow oracle.
Confusion counted_slowly(const Bytes& p, const Bytes& r) {
  Confusion c;
  for (std::size_t i = 0; i < p.size(); ++i)
    ++(p[i] != 0 ? (r[i] != 0 ? c.tp : c.fp) : (r[i] != 0 ? c.fn : c.tn));
  return c;
}

/// Runs of random length and value, so that both the fast and the slow path of a kernel are taken.
Bytes random_runs(std::mt19937_64& rng, std::size_t n, unsigned labels, unsigned longest) {
  Bytes out;
  while (out.size() < n)
    out.insert(out.end(), 1 + rng() % longest, static_cast<std::uint8_t>(rng() % labels));
  out.resize(n);
  return out;
}

std::vector<Label> first_labels(std::size_t n) {
  std::vector<Label> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Label>(i);
  return out;
}

const std::vector<Label> bytes_as_labels = first_labels(256);

LabelView narrow(const Bytes& codes) {
  return {.grid = {}, .codes = std::span<const std::uint8_t>(codes), .values = bytes_as_labels};
}

TEST(CountForeground, equals_the_oracle_for_every_length_and_any_value) {
  std::mt19937_64 rng(1);
  for (std::size_t n = 0; n < 400; ++n) {
    const Bytes p = random_runs(rng, n, 256, 5), r = random_runs(rng, n, 3, 90);
    EXPECT_EQ(count_foreground(p, r), counted_slowly(p, r)) << n << " voxels";
  }
}

TEST(CountForeground, does_not_overflow_its_byte_lanes) {
  const std::size_t n = 64 * 255 * 3 + 17;
  const Bytes full(n, 255), empty(n, 0);
  EXPECT_EQ(count_foreground(full, full), (Confusion{.tp = static_cast<std::int64_t>(n)}));
  EXPECT_EQ(count_foreground(full, empty), (Confusion{.fp = static_cast<std::int64_t>(n)}));
  EXPECT_EQ(count_foreground(empty, full), (Confusion{.fn = static_cast<std::int64_t>(n)}));
  EXPECT_EQ(count_foreground(empty, empty), (Confusion{.tn = static_cast<std::int64_t>(n)}));
}

TEST(CountForeground, a_packed_reference_gives_the_same_counts) {
  std::mt19937_64 rng(3);
  for (std::size_t n = 0; n < 400; ++n) {
    const Bytes p = random_runs(rng, n, 256, 5), r = random_runs(rng, n, 2, 90);
    std::vector<std::uint64_t> bits(packed_words(n), ~std::uint64_t{0});  // must be overwritten
    pack_foreground(r, bits);
    for (std::size_t i = 0; i < bits.size() * 64; ++i)
      EXPECT_EQ((bits[i / 64] >> (i % 64) & 1) != 0, i < n && r[i] != 0);
    EXPECT_EQ(count_foreground(p, bits), counted_slowly(p, r)) << n << " voxels";
  }
}

TEST(JointCounts, equals_the_oracle) {
  std::mt19937_64 rng(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = rng() % 3000;
    const Bytes p = random_runs(rng, n, 5, 300), r = random_runs(rng, n, 256, 200);
    std::map<std::pair<Label, Label>, std::int64_t> slow;
    for (std::size_t i = 0; i < n; ++i) ++slow[{p[i], r[i]}];
    std::vector<JointCount> expected;
    for (const auto& [pair, voxels] : slow) expected.push_back({pair.first, pair.second, voxels});
    EXPECT_EQ(joint_counts(narrow(p), narrow(r)), expected);
  }
}

TEST(JointCounts, noise_among_long_runs_equals_the_oracle) {
  std::mt19937_64 rng(4);
  for (int round = 0; round < 100; ++round) {
    Bytes p = random_runs(rng, 4000 + rng() % 200, 5, 3000), r = random_runs(rng, p.size(), 3, 900);
    for (std::size_t i = rng() % 3000; i < p.size() && rng() % 500 != 0; ++i)
      p[i] = static_cast<std::uint8_t>(rng() % 256);
    std::map<std::pair<Label, Label>, std::int64_t> slow;
    for (std::size_t i = 0; i < p.size(); ++i) ++slow[{p[i], r[i]}];
    std::vector<JointCount> expected;
    for (const auto& [pair, voxels] : slow) expected.push_back({pair.first, pair.second, voxels});
    EXPECT_EQ(joint_counts(narrow(p), narrow(r)), expected);
  }
}

TEST(JointCounts, wide_codes_and_any_label_values_give_the_same_counts) {
  const Bytes p = {0, 1, 1, 2, 2, 2}, r = {0, 0, 1, 1, 2, 2};
  const std::vector<std::uint16_t> wide(p.begin(), p.end());
  const std::vector<Label> values = {0, -7, 14175};
  const LabelView prediction = {
      .grid = {}, .codes = std::span<const std::uint16_t>(wide), .values = values};
  const std::vector<JointCount> expected = {
      {-7, 0, 1}, {-7, 1, 1}, {0, 0, 1}, {14175, 1, 1}, {14175, 2, 2}};
  EXPECT_EQ(joint_counts(prediction, narrow(r)), expected);
}

TEST(ConfusionOfRegion, a_label_a_union_and_the_foreground) {
  const std::vector<JointCount> joint = {{0, 0, 100}, {0, 2, 5}, {1, 1, 10}, {1, 2, 3}, {2, 0, 7}};
  const Region one = {"1", "1", {1}}, whole = {"whole", "whole", {1, 2}};
  EXPECT_EQ(confusion(joint, one), (Confusion{.tp = 10, .fp = 3, .fn = 0, .tn = 112}));
  EXPECT_EQ(confusion(joint, whole), (Confusion{.tp = 13, .fp = 7, .fn = 5, .tn = 100}));
  EXPECT_EQ(confusion(joint, foreground_region()), confusion(joint, whole));
  EXPECT_EQ(labels_in(occurring_labels(joint)), (std::vector<Label>{1, 2}));
}

TEST(ConfusionOfRegion, ignored_voxels_leave_every_count) {
  const std::vector<JointCount> joint = {{0, 0, 100}, {1, 1, 10}, {1, 9, 3}, {0, 9, 4}, {9, 1, 2}};
  // The reference decides what is ignored; a prediction of that label elsewhere counts as it says.
  EXPECT_EQ(confusion(joint, foreground_region(), 9),
            (Confusion{.tp = 12, .fp = 0, .fn = 0, .tn = 100}));
}

}  // namespace count_test
