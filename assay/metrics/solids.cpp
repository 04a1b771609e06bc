// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/solids.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "assay/base/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::metrics {
namespace {

std::optional<Box> joint(const std::optional<Box>& a, const std::optional<Box>& b) {
  return a && b ? joint_box(*a, *b) : a ? a : b;
}

Box widened(Box box, const Shape& shape, Index room) {
  for (std::size_t k = 0; k < 3; ++k) {
    box.low[k] = std::max<Index>(0, box.low[k] - room);
    box.high[k] = std::min(static_cast<Index>(shape[k]), box.high[k] + room);
  }
  return box;
}

/// Boxes while they grow.
class Growing {
 public:
  explicit Growing(std::size_t codes) : boxes_(codes, {{far, far, far}, {0, 0, 0}}) {}

  void add(std::size_t code, const Place& first, Index length) {
    Box& box = boxes_[code];
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = std::min(box.low[k], first[k]);
      box.high[k] = std::max(box.high[k], first[k] + (k == 0 ? length : 1));
    }
  }

  void add_all(std::size_t code, const Shape& shape) {
    boxes_[code].low = {0, 0, 0};
    for (std::size_t k = 0; k < 3; ++k) boxes_[code].high[k] = static_cast<Index>(shape[k]);
  }

  std::vector<std::optional<Box>> found() const {
    std::vector<std::optional<Box>> out;
    for (const Box& box : boxes_)
      out.push_back(box.high[0] > 0 ? std::optional(box) : std::nullopt);
    return out;
  }

 private:
  static constexpr Index far = std::numeric_limits<Index>::max();
  std::vector<Box> boxes_;
};

/// Adds runs of equal codes in the order of the voxels. Runs of background are not split at the
/// ends of rows.
class RowsOf {
 public:
  RowsOf(const Shape& shape, std::size_t background, Growing& boxes)
      : shape_(shape), background_(background), boxes_(boxes) {}

  void add(std::size_t code, std::size_t begin, std::size_t end) {
    if (code == background_) return boxes_.add_all(code, shape_);
    while (begin < end) {
      if (begin >= row_end_) start_row(begin / shape_[0]);
      const std::size_t stop = std::min(end, row_end_);
      first_[0] = static_cast<Index>(begin + shape_[0] - row_end_);
      boxes_.add(code, first_, static_cast<Index>(stop - begin));
      begin = stop;
    }
  }

 private:
  void start_row(std::size_t row) {
    row_end_ = (row + 1) * shape_[0];
    first_ = {0, static_cast<Index>(row % shape_[1]), static_cast<Index>(row / shape_[1])};
  }

  const Shape& shape_;
  std::size_t background_, row_end_ = 0;
  Growing& boxes_;
  Place first_{};
};

// A label map consists of runs of equal codes, most of them long. The bits of a word say after
// which of 64 voxels the code changes, and only there is there anything to do.

/// After which of 64 voxels the code changes; one more voxel is read.
template <class Code>
std::uint64_t changes_in(const Code* codes) {
  Code differs = 0;  // usually nothing differs, and vector instructions detect that
  for (std::size_t i = 0; i < 64; ++i)
    differs = static_cast<Code>(differs | (codes[i] ^ codes[i + 1]));
  if (differs == 0) return 0;
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 64; ++i)
    out |= std::uint64_t{codes[i] != codes[i + 1] ? 1U : 0U} << i;
  return out;
}

template <class Code, auto changes>
[[gnu::always_inline]] inline void add_runs(std::span<const Code> codes, RowsOf& rows) {
  std::size_t start = 0, i = 0;
  for (; i + 64 < codes.size(); i += 64)
    for (std::uint64_t left = changes(codes.data() + i); left != 0; left &= left - 1) {
      const std::size_t end = i + static_cast<std::size_t>(std::countr_zero(left)) + 1;
      rows.add(codes[start], start, end);
      start = end;
    }
  for (; i < codes.size(); ++i)
    if (i + 1 == codes.size() || codes[i] != codes[i + 1]) {
      rows.add(codes[start], start, i + 1);
      start = i + 1;
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] inline std::uint64_t changes_avx2(const std::uint8_t* codes) {
  std::uint64_t same = 0;
  for (std::size_t half = 0; half < 64; half += 32) {
    const auto *here = reinterpret_cast<const __m256i*>(codes + half),
               *next = reinterpret_cast<const __m256i*>(codes + half + 1);
    const __m256i equal = _mm256_cmpeq_epi8(_mm256_loadu_si256(here), _mm256_loadu_si256(next));
    same |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(equal))} << half;
  }
  return ~same;
}
[[gnu::target("avx2,bmi")]] void add_runs_avx2(std::span<const std::uint8_t> codes, RowsOf& rows) {
  add_runs<std::uint8_t, changes_avx2>(codes, rows);
}
#else
const auto add_runs_avx2 = add_runs<std::uint8_t, changes_in<std::uint8_t>>;
#endif

void add_all_runs(std::span<const std::uint8_t> codes, RowsOf& rows) {
  (has_bit_counts() ? add_runs_avx2 : add_runs<std::uint8_t, changes_in<std::uint8_t>>)(codes,
                                                                                        rows);
}

void add_all_runs(std::span<const std::uint16_t> codes, RowsOf& rows) {
  add_runs<std::uint16_t, changes_in<std::uint16_t>>(codes, rows);
}

void add_all_runs(std::span<const Run> runs, RowsOf& rows) {
  std::size_t first = 0;
  for (const Run& run : runs) {
    rows.add(run.code, first, run.end);
    first = run.end;
  }
}

}  // namespace

std::vector<std::optional<Box>> label_boxes(const LabelView& labels) {
  Growing boxes(labels.values.size());
  const auto background =
      static_cast<std::size_t>(std::ranges::find(labels.values, 0) - labels.values.begin());
  RowsOf rows(labels.grid.shape, background, boxes);
  std::visit([&](const auto& codes) { add_all_runs(codes, rows); }, labels.codes);
  return boxes.found();
}

std::optional<Solids> solids_of(const PackedMask& prediction, const PackedMask& reference,
                                const Grid& grid, Index room) {
  const auto around = joint(bounding_box(prediction), bounding_box(reference));
  if (!around) return std::nullopt;
  const Box box = widened(*around, grid.shape, room);
  return Solids{.prediction = cropped(prediction, box),
                .reference = cropped(reference, box),
                .axes = axes_of(grid.shape),
                .has_axis = grid.has_axis,
                .spacing_mm = spacing_mm(grid),
                .box = box};
}

LabelSolids::LabelSolids(const LabelView& prediction, const LabelView& reference,
                         std::optional<Label> ignored)
    : prediction_(prediction), reference_(reference), ignored_(ignored) {}

LabelSolids::Side::Side(const LabelView& map) : labels(map), boxes(label_boxes(map)) {
  for (std::size_t code = 0; code < map.values.size(); ++code)
    by_label.emplace_back(map.values[code], static_cast<Code>(code));
  std::ranges::sort(by_label);
}

Codes LabelSolids::Side::codes(const Region& region) const {
  if (region.members.empty()) return codes_of(labels, region);
  Codes out;
  for (const Label member : region.members)
    for (auto at = std::ranges::lower_bound(by_label, std::pair(member, Code{0}));
         at != by_label.end() && at->first == member; ++at)
      out.push_back(at->second);
  return out;
}

std::optional<Box> LabelSolids::Side::box(const Codes& codes) const {
  std::optional<Box> out;
  for (const Code code : codes) out = joint(out, boxes[code]);
  return out;
}

std::optional<Solids> LabelSolids::of(const Region& region, Index room) const {
  const Codes predicted = prediction_.codes(region), referenced = reference_.codes(region);
  const auto around = joint(prediction_.box(predicted), reference_.box(referenced));
  if (!around) return std::nullopt;
  const Grid& grid = reference_.labels.grid;
  const Box box = widened(*around, grid.shape, room);
  Solids out = {.prediction = cropped(prediction_.labels, predicted, box),
                .reference = cropped(reference_.labels, referenced, box),
                .axes = axes_of(grid.shape),
                .has_axis = grid.has_axis,
                .spacing_mm = spacing_mm(grid),
                .box = box};
  if (ignored_) {
    const BitVolume ignored =
        cropped(reference_.labels, reference_.codes({"", "", {*ignored_}}), box);
    out.prediction.clear(ignored);
    out.reference.clear(ignored);
  }
  return out;
}

}  // namespace assay::metrics
