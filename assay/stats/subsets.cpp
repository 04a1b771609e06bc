// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/subsets.hpp"

#include <algorithm>
#include <numeric>

#include "assay/error.hpp"
#include "assay/stats/random.hpp"

namespace assay::stats {

namespace {

using Subset = std::vector<std::uint32_t>;

/// The number of subsets, or anything above `most` when there are more.
std::size_t number_of_subsets(std::size_t count, std::size_t size, std::size_t most) {
  std::size_t out = 1;
  for (std::size_t i = 0; i < std::min(size, count - size) && out <= most; ++i)
    out = out * (count - i) / (i + 1);
  return out;
}

/// The next one in the order of a dictionary; false after the last.
bool advance(Subset& subset, std::size_t count) {
  const std::size_t size = subset.size();
  for (std::size_t i = size; i-- > 0;) {
    if (subset[i] == count - size + i) continue;
    ++subset[i];
    for (std::size_t j = i + 1; j < size; ++j) subset[j] = subset[j - 1] + 1;
    return true;
  }
  return false;
}

/// The first places of a shuffle.
Subset drawn_subset(std::size_t count, std::size_t size, Generator& chance) {
  Subset out(count);
  std::iota(out.begin(), out.end(), 0U);
  for (std::size_t i = 0; i < size; ++i) std::swap(out[i], out[i + chance.below(count - i)]);
  out.resize(size);
  std::ranges::sort(out);
  return out;
}

}  // namespace

Subsets subsets(std::size_t count, std::size_t size, std::size_t most, std::uint64_t seed) {
  if (size > count || most == 0)
    throw Error(Error::Kind::usage, "a subset cannot have more members than there are");
  Subsets out;
  out.all = number_of_subsets(count, size, most) <= most;
  if (out.all) {
    Subset next(size);
    std::iota(next.begin(), next.end(), 0U);
    do out.members.push_back(next);
    while (advance(next, count));
    return out;
  }
  const std::uint32_t key[] = {static_cast<std::uint32_t>(size)};
  Generator chance{SeedSequence(seed_words(seed), key)};
  for (std::size_t i = 0; i < most; ++i) out.members.push_back(drawn_subset(count, size, chance));
  return out;
}

}  // namespace assay::stats
