// SPDX-License-Identifier: Apache-2.0
// A run of voxels in a row is connected by itself, so components are found among runs. A mask of a
// million voxels has a few thousand of them. Runs are read from the words by counting zeros. Each
// is compared with those of up to four preceding rows in which its neighbours can lie; both lists
// are sorted, so one walk along each row is enough. Runs that touch are joined in a forest whose
// roots are the earliest runs (union by least, with path halving).
#include "assay/metrics/components.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace assay::metrics {
namespace {

/// A row before this one in which neighbours can lie, and how far beyond a run they reach.
struct RowBefore {
  Index y, z;
  std::int32_t reach;
};

std::vector<RowBefore> rows_before(Connectivity connectivity) {
  const bool edges = connectivity != Connectivity::faces;
  const bool corners = connectivity == Connectivity::corners;
  std::vector<RowBefore> out = {{-1, 0, edges ? 1 : 0}, {0, -1, edges ? 1 : 0}};
  if (edges) {
    out.push_back({-1, -1, corners ? 1 : 0});
    out.push_back({1, -1, corners ? 1 : 0});
  }
  return out;
}

/// The first position at or after x where the row's bit is `wanted`; the row's end when there is
/// none.
Index next(const std::uint64_t* row, Index words, Index x, bool wanted) {
  for (Index w = x / 64; w < words; ++w) {
    std::uint64_t bits = wanted ? row[w] : ~row[w];
    if (w == x / 64) bits &= ~std::uint64_t{0} << (x % 64);
    if (bits != 0) return 64 * w + std::countr_zero(bits);
  }
  return 64 * words;
}

class Labelling {
 public:
  Labelling(const BitVolume& mask, Connectivity connectivity)
      : size_(mask.size()), before_(rows_before(connectivity)) {
    for (Index z = 0; z < size_[2]; ++z)
      for (Index y = 0; y < size_[1]; ++y) {
        starts_.push_back(runs_.size());
        read_row(mask, y, z);
        for (const RowBefore& row : before_)
          if (y + row.y >= 0 && y + row.y < size_[1] && z + row.z >= 0)
            join(starts_.back(), row_start(y + row.y, z + row.z), row);
      }
  }

  Components found() {
    Components out;
    std::vector<std::uint32_t> number(runs_.size());
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
      const std::uint32_t first = root(i);
      if (first == i) {
        number[i] = static_cast<std::uint32_t>(out.sizes.size());
        out.sizes.push_back(0);
      }
      runs_[i].component = number[first];
      out.sizes[number[first]] += runs_[i].length();
    }
    out.runs = std::move(runs_);
    return out;
  }

 private:
  std::size_t row_start(Index y, Index z) const {
    return starts_[static_cast<std::size_t>(z * size_[1] + y)];
  }

  void read_row(const BitVolume& mask, Index y, Index z) {
    const std::uint64_t* row = mask.row(y, z);
    const Index words = mask.words();
    for (Index x = next(row, words, 0, true); x < 64 * words;) {
      const Index end = next(row, words, x, false);
      parents_.push_back(static_cast<std::uint32_t>(runs_.size()));
      runs_.push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(end),
                       static_cast<std::int32_t>(y), static_cast<std::int32_t>(z), 0});
      x = end < 64 * words ? next(row, words, end, true) : end;
    }
  }

  /// Joins the runs from `here` to the end with those of the row that starts at `there`.
  void join(std::size_t here, std::size_t there, const RowBefore& row) {
    if (here == runs_.size()) return;
    const ComponentRun& first = runs_[here];
    const auto in_row = [&](std::size_t i) {
      return i < here && runs_[i].y == first.y + row.y && runs_[i].z == first.z + row.z;
    };
    while (here < runs_.size() && in_row(there)) {
      const ComponentRun &a = runs_[here], &b = runs_[there];
      if (a.first < b.last + row.reach && b.first < a.last + row.reach)
        merge(static_cast<std::uint32_t>(here), static_cast<std::uint32_t>(there));
      a.last < b.last ? ++here : ++there;
    }
  }

  std::uint32_t root(std::uint32_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  void merge(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

  Place size_;
  std::vector<RowBefore> before_;
  std::vector<ComponentRun> runs_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::size_t> starts_;  ///< first run of each row
};

bool is_in_reach(Connectivity connectivity, Index x, Index y, Index z) {
  const Index steps = std::abs(x) + std::abs(y) + std::abs(z);
  return steps <= (connectivity == Connectivity::faces   ? 1
                   : connectivity == Connectivity::edges ? 2
                                                         : 3);
}

BitVolume dilated_once(const BitVolume& mask, Connectivity connectivity) {
  BitVolume out(mask.size());
  const Index words = mask.words(), end = mask.size()[0] - 1;
  for (Index z = 1; z + 1 < mask.size()[2]; ++z)
    for (Index y = 1; y + 1 < mask.size()[1]; ++y) {
      std::uint64_t* into = out.row(y, z);
      for (Index dz = -1; dz <= 1; ++dz)
        for (Index dy = -1; dy <= 1; ++dy)
          for (Index dx = -1; dx <= 1; ++dx)
            if (is_in_reach(connectivity, dx, dy, dz))
              for (Index w = 0; w < words; ++w)
                into[w] |= shifted(mask.row(y + dy, z + dz), words, w, dx);
      into[0] &= ~std::uint64_t{1};
      into[end / 64] &= (std::uint64_t{1} << (end % 64)) - 1;
      if (end / 64 + 1 < words) into[end / 64 + 1] = 0;
    }
  return out;
}

}  // namespace

Components components(const BitVolume& mask, Connectivity connectivity) {
  return Labelling(mask, connectivity).found();
}

Components without_small(const Components& all, std::int64_t least) {
  Components out;
  constexpr std::uint32_t none = ~0U;
  std::vector<std::uint32_t> number(all.count(), none);
  for (std::size_t i = 0; i < all.count(); ++i)
    if (all.sizes[i] >= least) {
      number[i] = static_cast<std::uint32_t>(out.sizes.size());
      out.sizes.push_back(all.sizes[i]);
    }
  for (ComponentRun run : all.runs)
    if (number[run.component] != none) {
      run.component = number[run.component];
      out.runs.push_back(run);
    }
  return out;
}

std::vector<Overlap> overlaps(const Components& a, const Components& b) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> shared;
  const auto row = [](const ComponentRun& run) { return std::pair(run.z, run.y); };
  for (std::size_t i = 0, j = 0; i < a.runs.size() && j < b.runs.size();) {
    const ComponentRun &p = a.runs[i], &r = b.runs[j];
    if (row(p) != row(r)) {
      row(p) < row(r) ? ++i : ++j;
      continue;
    }
    const std::int64_t common = std::min(p.last, r.last) - std::max(p.first, r.first);
    if (common > 0) shared[{p.component, r.component}] += common;
    p.last < r.last ? ++i : ++j;
  }
  std::vector<Overlap> out;
  out.reserve(shared.size());
  for (const auto& [pair, voxels] : shared) out.push_back({pair.first, pair.second, voxels});
  return out;
}

BitVolume dilated(BitVolume mask, Connectivity connectivity, int times) {
  for (int i = 0; i < times; ++i) mask = dilated_once(mask, connectivity);
  return mask;
}

}  // namespace assay::metrics
