// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/solids.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
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

// A label map is runs of equal codes, most of them long: a box grows by runs, and the end of a run
// is found many voxels at a time. Runs of background are not even split at the ends of rows.

/// The place of the first code from `at` on that differs from the one there, found by words.
template <class Code>
std::size_t run_end(std::span<const Code> codes, std::size_t at) {
  constexpr std::size_t per_word = 8 / sizeof(Code);
  const Code code = codes[at];
  const std::uint64_t filled = ~std::uint64_t{0} / static_cast<Code>(~Code{0}) * code;
  for (; at + per_word <= codes.size(); at += per_word) {
    std::uint64_t word = 0;
    std::memcpy(&word, codes.data() + at, sizeof word);
    if (const std::uint64_t other = word ^ filled; other != 0)
      return at + static_cast<std::size_t>(std::countr_zero(other)) / (8 * sizeof(Code));
  }
  while (at < codes.size() && codes[at] == code) ++at;
  return at;
}

/// Boxes as they grow.
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

template <class Code>
using RunEnd = std::size_t (*)(std::span<const Code>, std::size_t at);

template <class Code, RunEnd<Code> run_end_in = run_end<Code>>
[[gnu::always_inline]] inline void grow(std::span<const Code> codes, const Shape& shape,
                                        std::size_t background, Growing& boxes) {
  const std::size_t nx = shape[0], ny = shape[1];
  std::size_t row_start = 0;
  Place first = {0, 0, 0};
  for (std::size_t i = 0; i < codes.size();) {
    std::size_t end = run_end_in(codes, i);
    if (codes[i] == background) {
      boxes.add_all(background, shape);
    } else {
      if (i >= row_start + nx) {
        const std::size_t row = i / nx;
        row_start = row * nx;
        first = {0, static_cast<Index>(row % ny), static_cast<Index>(row / ny)};
      }
      end = std::min(end, row_start + nx);
      first[0] = static_cast<Index>(i - row_start);
      boxes.add(codes[i], first, static_cast<Index>(end - i));
    }
    i = end;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,bmi")]] inline std::size_t run_end_avx2(std::span<const std::uint8_t> codes,
                                                            std::size_t at) {
  const std::uint8_t code = codes[at];
  const __m256i filled = _mm256_set1_epi8(static_cast<char>(code));
  for (; at + 32 <= codes.size(); at += 32) {
    const auto* block = reinterpret_cast<const __m256i*>(codes.data() + at);
    const auto same = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(block), filled)));
    if (~same != 0) return at + static_cast<std::size_t>(std::countr_zero(~same));
  }
  while (at < codes.size() && codes[at] == code) ++at;
  return at;
}
[[gnu::target("avx2,bmi")]] void grow_avx2(std::span<const std::uint8_t> codes, const Shape& shape,
                                           std::size_t background, Growing& boxes) {
  grow<std::uint8_t, run_end_avx2>(codes, shape, background, boxes);
}
#else
const auto grow_avx2 = grow<std::uint8_t>;
#endif

void grow_by_any(std::span<const std::uint8_t> codes, const Shape& shape, std::size_t background,
                 Growing& boxes) {
  (has_bit_counts() ? grow_avx2 : grow<std::uint8_t>)(codes, shape, background, boxes);
}

void grow_by_any(std::span<const std::uint16_t> codes, const Shape& shape, std::size_t background,
                 Growing& boxes) {
  grow(codes, shape, background, boxes);
}

void grow_by_any(std::span<const Run> runs, const Shape& shape, std::size_t background,
                 Growing& boxes) {
  const std::size_t nx = shape[0], ny = shape[1];
  std::size_t first = 0;
  for (const Run& run : runs) {
    if (run.code == background) boxes.add_all(background, shape);
    while (run.code != background && first < run.end) {
      const std::size_t row = first / nx, end = std::min<std::size_t>(run.end, (row + 1) * nx);
      boxes.add(run.code,
                {static_cast<Index>(first % nx), static_cast<Index>(row % ny),
                 static_cast<Index>(row / ny)},
                static_cast<Index>(end - first));
      first = end;
    }
    first = run.end;
  }
}

}  // namespace

std::vector<std::optional<Box>> label_boxes(const LabelView& labels) {
  Growing boxes(labels.values.size());
  const auto background =
      static_cast<std::size_t>(std::ranges::find(labels.values, 0) - labels.values.begin());
  std::visit([&](const auto& codes) { grow_by_any(codes, labels.grid.shape, background, boxes); },
             labels.codes);
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
