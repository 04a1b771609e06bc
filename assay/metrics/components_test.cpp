// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/components.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "assay/base/sanitizer_for_test.hpp"
#include "assay/metrics/volumes_for_test.hpp"

namespace components_test {

using namespace assay;
using namespace assay::metrics;
using namespace assay::test;

bool are_neighbours(Connectivity connectivity, const Place& step) {
  const Index steps = std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]);
  const Index most = connectivity == Connectivity::faces   ? 1
                     : connectivity == Connectivity::edges ? 2
                                                           : 3;
  return steps > 0 && steps <= most;
}

template <class Visit>
void for_each_neighbour(const Place& at, Connectivity connectivity, Visit visit) {
  for (Index z = -1; z <= 1; ++z)
    for (Index y = -1; y <= 1; ++y)
      for (Index x = -1; x <= 1; ++x)
        if (are_neighbours(connectivity, {x, y, z})) visit(Place{at[0] + x, at[1] + y, at[2] + z});
}

/// Flooding from each voxel in order: the slow oracle.
std::map<Place, std::uint32_t> flooded(const BitVolume& mask, Connectivity connectivity) {
  std::map<Place, std::uint32_t> out;
  std::uint32_t count = 0;
  for (const Place& start : places(mask)) {
    if (out.contains(start)) continue;
    std::deque<Place> waiting = {start};
    out[start] = count;
    for (; !waiting.empty(); waiting.pop_front())
      for_each_neighbour(waiting.front(), connectivity, [&](const Place& next) {
        if (mask.at(next[0], next[1], next[2]) && out.try_emplace(next, count).second)
          waiting.push_back(next);
      });
    ++count;
  }
  return out;
}

BitVolume random_volume(std::mt19937_64& rng) {
  const Mask mask = random_mask(rng, {1 + rng() % 140, 1 + rng() % 6, 1 + rng() % 6},
                                0.1 + 0.2 * static_cast<double>(rng() % 4));
  const auto box = bounding_box(mask.packed());
  return box ? cropped(mask.packed(), *box) : BitVolume({3, 3, 3});
}

constexpr Connectivity all_connectivities[] = {Connectivity::faces, Connectivity::edges,
                                               Connectivity::corners};

std::map<Place, std::uint32_t> by_place(const Components& found) {
  std::map<Place, std::uint32_t> out;
  for (const ComponentRun& run : found.runs)
    for (Index x = run.first; x < run.last; ++x) out[{x, run.y, run.z}] = run.component;
  return out;
}

TEST(Components, equal_the_oracle_for_every_connectivity_numbers_included) {
  std::mt19937_64 rng(31);
  for (int i = 0; i < 1500; i += every(7)) {
    const BitVolume mask = random_volume(rng);
    for (const Connectivity connectivity : all_connectivities)
      ASSERT_EQ(by_place(components(mask, connectivity)), flooded(mask, connectivity));
  }
}

TEST(Components, overlaps_and_sizes_are_counts_of_voxels) {
  std::mt19937_64 rng(32);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = {1 + rng() % 80, 1 + rng() % 5, 1 + rng() % 5};
    const Mask a = random_mask(rng, shape, 0.3), b = random_mask(rng, shape, 0.3);
    if (a.empty() || b.empty()) continue;
    const Box box = joint_box(*bounding_box(a.packed()), *bounding_box(b.packed()));
    const Components p = components(cropped(a.packed(), box), Connectivity::edges);
    const Components r = components(cropped(b.packed(), box), Connectivity::faces);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> expected;
    const auto in_r = by_place(r);
    std::vector<std::int64_t> sizes(p.count());
    for (const auto& [place, component] : by_place(p)) {
      ++sizes[component];
      if (in_r.contains(place)) ++expected[{component, in_r.at(place)}];
    }
    EXPECT_EQ(p.sizes, sizes);
    const auto found = overlaps(p, r);
    ASSERT_EQ(found.size(), expected.size());
    for (const Overlap& o : found) EXPECT_EQ(o.voxels, (expected[{o.a, o.b}]));
  }
}

TEST(Components, small_ones_are_left_out_and_the_rest_is_numbered_anew) {
  std::mt19937_64 rng(33);
  const BitVolume mask = random_volume(rng);
  const Components all = components(mask, Connectivity::faces), large = without_small(all, 3);
  std::vector<std::int64_t> expected;
  for (const std::int64_t size : all.sizes)
    if (size >= 3) expected.push_back(size);
  EXPECT_EQ(large.sizes, expected);
  std::vector<std::int64_t> counted(large.count());
  for (const ComponentRun& run : large.runs) counted[run.component] += run.length();
  EXPECT_EQ(counted, expected);
}

TEST(Components, dilation_adds_the_neighbours_but_none_around_the_volume) {
  std::mt19937_64 rng(34);
  for (int i = 0; i < 300; ++i) {
    const BitVolume mask = random_volume(rng);
    for (const Connectivity connectivity : all_connectivities) {
      BitVolume expected = mask;
      for (const Place& place : places(mask))
        for_each_neighbour(place, connectivity, [&](const Place& next) {
          bool inside = true;
          for (std::size_t k = 0; k < 3; ++k)
            inside = inside && next[k] > 0 && next[k] + 1 < mask.size()[k];
          if (inside) expected.set(next[0], next[1], next[2]);
        });
      ASSERT_EQ(dilated(mask, connectivity, 1), expected);
    }
  }
}

}  // namespace components_test
