// SPDX-License-Identifier: Apache-2.0
#include "assay/image/structures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/base/bytes.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/reorient.hpp"

namespace assay {
namespace {

/// 64 bits from bit `at` on; those after the end are 0.
std::uint64_t word_at(std::span<const std::byte> bits, std::size_t at) {
  constexpr bool swapped = std::endian::native == std::endian::big;
  const std::size_t byte = at / 8;
  const auto shift = static_cast<unsigned>(at % 8);
  if (byte + 16 <= bits.size()) {
    const auto low = load<std::uint64_t, swapped>(bits.data() + byte);
    if (shift == 0) return low;
    return low >> shift | load<std::uint64_t, swapped>(bits.data() + byte + 8) << (64 - shift);
  }
  std::array<std::byte, 16> end{};
  if (byte < bits.size()) std::ranges::copy(bits.subspan(byte), end.begin());
  const auto low = load<std::uint64_t, swapped>(end.data());
  const auto high = load<std::uint64_t, swapped>(end.data() + 8);
  return shift == 0 ? low : low >> shift | high << (64 - shift);
}

/// Collects spans from words of 64 voxels.
class SpanCollector {
 public:
  SpanCollector(VoxelSpans& spans, std::uint32_t at) : spans_(spans), at_(at) {}

  bool is_open() const { return is_open_; }
  void skip(std::uint32_t voxels) { at_ += voxels; }
  void add(std::uint64_t word, unsigned voxels) {
    unsigned done = 0;
    while (done < voxels) {
      const std::uint64_t rest = (is_open_ ? ~word : word) >> done;
      const unsigned next = rest == 0 ? 64 : done + static_cast<unsigned>(std::countr_zero(rest));
      if (next >= voxels) break;
      toggle(at_ + next);
      done = next;
    }
    at_ += voxels;
  }
  void finish() {
    if (is_open_) toggle(at_);
  }

 private:
  void toggle(std::uint32_t at) {
    if (is_open_)
      append_span(spans_, first_, at);
    else
      first_ = at;
    is_open_ = !is_open_;
  }

  VoxelSpans& spans_;
  std::uint32_t at_, first_ = 0;
  bool is_open_ = false;
};

using LatticeSteps = std::array<std::ptrdiff_t, 3>;

constexpr double on_lattice_mm = 0.001;  ///< as for grids that count as equal

/// The position of the first voxel of `b` on the lattice of `a`; nothing when it is between points.
std::optional<LatticeSteps> steps_to(const Grid& a, const Grid& b) {
  const Point spacing = spacing_mm(a);
  Point shift{};
  for (std::size_t i = 0; i < 3; ++i) shift[i] = b.affine[i][3] - a.affine[i][3];
  LatticeSteps steps{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double along = 0;  // the axes are at right angles, as those of DICOM are
    for (std::size_t i = 0; i < 3; ++i) along += shift[i] * a.affine[i][axis];
    const double at = along / (spacing[axis] * spacing[axis]);
    if (!(std::abs(at) < 1e6)) return std::nullopt;
    steps[axis] = static_cast<std::ptrdiff_t>(std::llround(at));
  }
  Grid moved = a;
  moved.shape = b.shape;
  const Point origin = position_mm(a, {static_cast<double>(steps[0]), static_cast<double>(steps[1]),
                                       static_cast<double>(steps[2])});
  for (std::size_t i = 0; i < 3; ++i) moved.affine[i][3] = origin[i];
  return greatest_corner_shift_mm(moved, b) <= on_lattice_mm ? std::optional(steps) : std::nullopt;
}

VoxelSpans shifted(const VoxelSpans& spans, const Shape& from, const LatticeSteps& by,
                   const Shape& to) {
  VoxelSpans out;
  out.reserve(spans.size());
  const auto place = [&](std::size_t x, std::size_t y, std::size_t z) {
    return static_cast<std::uint32_t>(x + static_cast<std::size_t>(by[0]) +
                                      to[0] * (y + static_cast<std::size_t>(by[1]) +
                                               to[1] * (z + static_cast<std::size_t>(by[2]))));
  };
  for (const VoxelSpan& span : spans)
    for (std::size_t at = span.first; at < span.end;) {
      const std::size_t row = at / from[0];
      const std::size_t end = std::min<std::size_t>(span.end, (row + 1) * from[0]);
      const std::uint32_t first = place(at % from[0], row % from[1], row / from[1]);
      append_span(out, first, first + static_cast<std::uint32_t>(end - at));
      at = end;
    }
  return out;
}

}  // namespace

void append_set_bits(VoxelSpans& spans, std::span<const std::byte> bits, std::size_t start,
                     std::size_t count, std::uint32_t first) {
  SpanCollector collector(spans, first);
  std::size_t at = 0;
  while (at < count) {
    // Most of a mask is empty, so four words are checked at once.
    constexpr std::size_t stride = 256;
    if (!collector.is_open() && count - at >= stride) {
      std::uint64_t any = 0;
      for (std::size_t k = 0; k < stride; k += 64) any |= word_at(bits, start + at + k);
      if (any == 0) {
        collector.skip(stride);
        at += stride;
        continue;
      }
    }
    const auto size = static_cast<unsigned>(std::min<std::size_t>(64, count - at));
    collector.add(word_at(bits, start + at), size);
    at += size;
  }
  collector.finish();
}

VoxelSpans united(VoxelSpans spans) {
  std::ranges::sort(spans, {}, &VoxelSpan::first);
  VoxelSpans out;
  for (const VoxelSpan& span : spans)
    if (!out.empty() && span.first <= out.back().end)
      out.back().end = std::max(out.back().end, span.end);
    else
      out.push_back(span);
  return out;
}

VoxelSpans voxels_of(const StructureSet& set, std::span<const Label> numbers) {
  VoxelSpans out;
  std::size_t parts = 0;
  for (const Structure& each : set.structures) {
    if (!numbers.empty() && std::ranges::find(numbers, each.is.number) == numbers.end()) continue;
    out.insert(out.end(), each.voxels.begin(), each.voxels.end());
    ++parts;
  }
  return parts > 1 ? united(std::move(out)) : out;
}

std::vector<Run> runs_of(std::span<const VoxelSpan> spans, std::size_t voxels) {
  std::vector<Run> out;
  out.reserve(2 * spans.size() + 1);
  std::uint32_t at = 0;
  for (const VoxelSpan& span : spans) {
    if (span.first > at) out.push_back({span.first, 0});
    out.push_back({span.end, 1});
    at = span.end;
  }
  if (at < voxels) out.push_back({static_cast<std::uint32_t>(voxels), 0});
  return out;
}

void require_countable(const Grid& grid) {
  double voxels = 1;
  for (const std::size_t extent : grid.shape) voxels *= static_cast<double>(extent);
  if (!(voxels < static_cast<double>(std::numeric_limits<std::uint32_t>::max())))
    throw Error(Error::Kind::unsupported,
                "has 4 billion voxels or more (" + describe(grid) + "); crop it first");
}

std::optional<std::array<Label, 2>> overlap_in(const StructureSet& set) {
  struct Owned {
    VoxelSpan span;
    Label owner;
  };
  std::vector<Owned> all;
  for (const Structure& each : set.structures)
    for (const VoxelSpan& span : each.voxels) all.push_back({span, each.is.number});
  std::ranges::sort(all, {}, [](const Owned& o) { return o.span.first; });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].span.first < all[i - 1].span.end) return {{all[i - 1].owner, all[i].owner}};
  return std::nullopt;
}

std::optional<Grid> common_grid(const Grid& a, const Grid& b) {
  const auto steps = steps_to(a, b);
  if (!steps) return std::nullopt;
  Grid out = a;
  Point first{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::ptrdiff_t low = std::min<std::ptrdiff_t>(0, (*steps)[axis]);
    const std::ptrdiff_t high =
        std::max(static_cast<std::ptrdiff_t>(a.shape[axis]),
                 (*steps)[axis] + static_cast<std::ptrdiff_t>(b.shape[axis]));
    out.shape[axis] = static_cast<std::size_t>(high - low);
    first[axis] = static_cast<double>(low);
  }
  const Point origin = position_mm(a, first);
  for (std::size_t i = 0; i < 3; ++i) out.affine[i][3] = origin[i];
  require_countable(out);
  return out;
}

StructureSet placed_on(const Grid& grid, StructureSet set) {
  const auto steps = steps_to(grid, set.grid);
  if (!steps)
    throw Error(Error::Kind::input, "the structures do not lie on the voxels of the grid");
  if (*steps != LatticeSteps{} || set.grid.shape != grid.shape)
    for (Structure& each : set.structures)
      each.voxels = shifted(each.voxels, set.grid.shape, *steps, grid.shape);
  set.grid = grid;
  return set;
}

StructureSet walked_by(const AxisMap& map, StructureSet set) {
  if (map.is_identity()) return set;
  // Structures that do not overlap are moved at once, others one by one.
  const bool at_once = !overlap_in(set) && set.structures.size() < 65'536;
  const std::size_t each = at_once ? std::max<std::size_t>(1, set.structures.size()) : 1;
  std::vector<std::uint16_t> stored(set.grid.size()), moved(set.grid.size());
  for (std::size_t first = 0; first < set.structures.size(); first += each) {
    const std::span<Structure> some = std::span(set.structures).subspan(first, each);
    std::ranges::fill(stored, std::uint16_t{0});
    for (std::size_t k = 0; k < some.size(); ++k)
      for (const VoxelSpan& span : std::exchange(some[k].voxels, {}))
        std::fill(stored.begin() + span.first, stored.begin() + span.end,
                  static_cast<std::uint16_t>(k + 1));
    reorient_bytes(std::as_bytes(std::span(stored)), set.grid.shape, map,
                   std::as_writable_bytes(std::span(moved)));
    for (std::size_t at = 0, end = 0; at < moved.size(); at = end) {
      while (end < moved.size() && moved[end] == moved[at]) ++end;
      if (moved[at] != 0)
        append_span(some[moved[at] - 1U].voxels, static_cast<std::uint32_t>(at),
                    static_cast<std::uint32_t>(end));
    }
  }
  set.grid = reoriented(set.grid, map);
  return set;
}

std::vector<Label> numbers_named(std::span<const StructureName> names, std::string_view name) {
  const std::string wanted = ascii_lowered(name);
  std::vector<Label> out;
  for (const StructureName& each : names)
    if (ascii_lowered(each.name) == wanted) out.push_back(each.number);
  return out;
}

std::vector<Label> numbers_meant(std::span<const StructureName> prediction,
                                 std::span<const StructureName> reference, std::string_view name) {
  std::vector<Label> out = numbers_named(prediction, name);
  if (!out.empty()) return out;
  const std::vector<Label> own = numbers_named(reference, name);
  if (own.empty()) return out;
  const auto found = std::ranges::find_if(
      reference, [&](const StructureName& each) { return own.front() == each.number; });
  if (found->code.empty()) return out;
  const auto has_code = [&](const StructureName& each) { return each.code == found->code; };
  if (std::ranges::count_if(reference, has_code) != std::ssize(own)) return out;
  for (const StructureName& each : prediction)
    if (has_code(each) && numbers_named(reference, each.name).empty()) out.push_back(each.number);
  return out;
}

}  // namespace assay
