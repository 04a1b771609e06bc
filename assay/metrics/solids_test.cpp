// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/solids.hpp"

#include <gtest/gtest.h>

#include <random>

#include "assay/base/sanitizer_for_test.hpp"
#include "assay/metrics/region_bits.hpp"

namespace solids_test {

using namespace assay;
using namespace assay::metrics;

/// A label map that owns its codes. Code and label differ, and background need not come first.
template <class Code>
struct Map {
  Grid grid;
  std::vector<Code> codes;
  std::vector<Label> values;

  LabelView view() const {
    return {.grid = grid, .codes = std::span<const Code>(codes), .values = values};
  }
  /// The same map as runs, which are put into `runs`.
  LabelView as_runs(std::vector<assay::Run>& runs) const {
    for (std::size_t i = 0; i < codes.size(); ++i)
      if (i + 1 == codes.size() || codes[i + 1] != codes[i])
        runs.push_back({static_cast<std::uint32_t>(i + 1), codes[i]});
    return {.grid = grid, .codes = std::span<const assay::Run>(runs), .values = values};
  }
  std::vector<std::uint64_t> packed(const Region& region) const {
    std::vector<std::uint64_t> bits(packed_words(codes.size()));
    pack_region(view(), region, bits);
    return bits;
  }
};

/// Runs of random length, from single voxels to several rows.
template <class Code>
Map<Code> random_map(std::mt19937_64& rng, const Shape& shape, std::size_t labels) {
  Map<Code> map = {.grid = {.shape = shape},
                   .codes = std::vector<Code>(shape[0] * shape[1] * shape[2]),
                   .values = {}};
  for (std::size_t code = 0; code < labels; ++code)
    map.values.push_back(static_cast<Label>((7 * code + 3) % labels));
  const std::size_t longest = std::size_t{1} << (rng() % 10);
  for (std::size_t i = 0; i < map.codes.size();) {
    const auto code = static_cast<Code>(rng() % labels);
    for (std::size_t n = 1 + rng() % longest; n > 0 && i < map.codes.size(); --n)
      map.codes[i++] = code;
  }
  return map;
}

Box whole(const Shape& shape) {
  return {
      {0, 0, 0},
      {static_cast<Index>(shape[0]), static_cast<Index>(shape[1]), static_cast<Index>(shape[2])}};
}

template <class Code>
void expect_boxes(std::uint64_t seed, std::size_t labels) {
  std::mt19937_64 rng(seed);
  for (int i = 0; i < 400; ++i) {
    const Shape shape = {1 + rng() % 150, 1 + rng() % 6, 1 + rng() % 6};
    const auto map = random_map<Code>(rng, shape, labels);
    const auto boxes = label_boxes(map.view());
    ASSERT_EQ(boxes.size(), labels);
    std::vector<assay::Run> runs;
    ASSERT_EQ(label_boxes(map.as_runs(runs)), boxes);
    for (std::size_t code = 0; code < labels; ++code) {
      const Label label = map.values[code];
      auto expected = bounding_box(PackedMask{shape, map.packed({"", "", {label}})});
      if (label == 0 && expected) expected = whole(shape);
      ASSERT_EQ(boxes[code], expected) << "label " << label;
    }
  }
}

template <class Code>
void expect_solids(std::uint64_t seed, std::size_t labels) {
  std::mt19937_64 rng(seed);
  for (int i = 0; i < 400; i += test::every(7)) {
    const Shape shape = {1 + rng() % 150, 1 + rng() % 6, 1 + rng() % 6};
    const auto p = random_map<Code>(rng, shape, labels), r = random_map<Code>(rng, shape, labels);
    Region region = {"r", "r", {}};
    for (std::size_t k = rng() % 9; k > 0; --k)
      region.members.push_back(static_cast<Label>(rng() % (labels + 1)));
    region.members = distinct(region.members);
    // With background among them the box is the whole image.
    const Index room = region.contains(0) ? 1000 : static_cast<Index>(rng() % 3);
    const auto p_bits = p.packed(region), r_bits = r.packed(region);
    const auto expected = solids_of({shape, p_bits}, {shape, r_bits}, {.shape = shape}, room);
    std::vector<assay::Run> p_runs, r_runs;
    const LabelView by_runs = p.as_runs(p_runs), others = r.as_runs(r_runs);
    std::vector<std::uint64_t> bits(p_bits.size(), ~std::uint64_t{0});  // must be overwritten
    pack_region(by_runs, region, bits);
    EXPECT_EQ(bits, p_bits);
    for (const LabelSolids& solids :
         {LabelSolids(p.view(), r.view()), LabelSolids(by_runs, others)}) {
      const auto found = solids.of(region, room);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (!found) continue;
      EXPECT_EQ(found->box, expected->box);
      EXPECT_EQ(found->axes, expected->axes);
      EXPECT_EQ(found->prediction, expected->prediction);
      EXPECT_EQ(found->reference, expected->reference);
    }
    const auto joint = joint_counts(p.view(), r.view());
    EXPECT_EQ(joint_counts(by_runs, others), joint);
    EXPECT_EQ(joint_counts(by_runs, r.view()), joint);
    EXPECT_EQ(joint_counts(p.view(), others), joint);
  }
}

TEST(LabelBoxes, equal_those_of_the_masks_one_by_one) {
  expect_boxes<std::uint8_t>(1, 6);
  expect_boxes<std::uint8_t>(2, 200);
  expect_boxes<std::uint16_t>(3, 6);
}

TEST(LabelBoxes, a_map_of_background_alone_has_no_other) {
  Map<std::uint8_t> map = {
      .grid = {.shape = {9, 8, 7}}, .codes = std::vector<std::uint8_t>(504, 1), .values = {5, 0}};
  EXPECT_EQ(label_boxes(map.view()),
            (std::vector<std::optional<Box>>{std::nullopt, whole({9, 8, 7})}));
  map.codes.back() = 0;
  EXPECT_EQ(label_boxes(map.view())[0], (Box{{8, 7, 6}, {9, 8, 7}}));
}

TEST(LabelSolids, equal_those_cut_from_masks) {
  expect_solids<std::uint8_t>(4, 6);
  expect_solids<std::uint8_t>(5, 40);
  expect_solids<std::uint16_t>(6, 300);
}

TEST(LabelSolids, what_the_reference_ignores_is_in_neither) {
  const Map<std::uint8_t> p = {
      .grid = {.shape = {5, 1, 1}}, .codes = {1, 1, 1, 0, 1}, .values = {0, 1}};
  const Map<std::uint8_t> r = {
      .grid = {.shape = {5, 1, 1}}, .codes = {1, 2, 1, 2, 0}, .values = {0, 1, 9}};
  const auto solids = LabelSolids(p.view(), r.view(), 9).of({"1", "1", {1}});
  ASSERT_TRUE(solids);
  EXPECT_EQ(solids->prediction.row(1, 1)[0], 0b101010U);
  EXPECT_EQ(solids->reference.row(1, 1)[0], 0b001010U);
}

}  // namespace solids_test
