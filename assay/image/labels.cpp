// SPDX-License-Identifier: Apache-2.0
// A label map becomes a small code per voxel. Types of up to 16 bits need no arithmetic on voxels:
// one pass notes which stored numbers occur, and one looks up their codes. Wider types take three
// passes: the range of the labels, the labels that occur, and the codes. Labels of a narrow range
// (nearly all) use a table indexed by label. Others use a hash map, where runs of equal voxels save
// most look-ups.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/layout.hpp"
#include "assay/image/stored.hpp"

namespace assay {
namespace {

constexpr std::size_t most_labels = 65536;
constexpr std::size_t block_size = 4096;
using Block = std::array<Label, block_size>;

/// Numbers as people write them: 0.5, 1e+30, 18446744073709551615.
template <class S>
std::string shown(S stored, const Scaling& scaling) {
  return scaling.is_identity() ? fmt::format("{}", stored)
                               : fmt::format("{}", scaled(stored, scaling));
}

/// Whether a value is a whole number that a Label holds.
bool is_label(double value) {
  // Converts to an integer, because the baseline processor has no instruction that truncates a
  // double.
  return value >= -0x1p63 && value < 0x1p63 &&
         value == static_cast<double>(static_cast<Label>(value));
}

template <class S>
bool is_label(S stored, const Scaling& scaling) {
  if constexpr (std::is_integral_v<S>) {
    if (scaling.is_identity()) return std::in_range<Label>(stored);
  }
  return is_label(scaled(stored, scaling));
}

template <class S>
Label label_of(S stored, const Scaling& scaling) {
  if constexpr (std::is_integral_v<S>) {
    if (scaling.is_identity()) return static_cast<Label>(stored);
  }
  return static_cast<Label>(scaled(stored, scaling));
}

/// Throws an error about the first voxel from `index` on that is not a label.
template <class T, bool swapped>
[[noreturn]] void refuse(const Image& image, std::size_t index) {
  const Scaling& scaling = image.header().scaling;
  const auto stored = [&](std::size_t i) {
    return load_scalar<T, swapped>(image.voxels().data() + i * sizeof(T));
  };
  while (is_label(stored(index), scaling)) ++index;
  throw Error(
      Error::Kind::input,
      fmt::format("voxel {} is {}, which is not a whole number that can be a label; if this is a "
                  "map, such as one of probabilities, give --threshold T or --foreground nonzero "
                  "instead of labels",
                  place(image.grid(), index), shown(stored(index), scaling)));
}

/// Labels of the voxels from `first` on, up to a block.
template <class T, bool swapped>
std::span<const Label> decode(const Image& image, std::size_t first, Block& block) {
  const Scaling scaling = image.header().scaling;
  const std::byte* in = image.voxels().data() + first * sizeof(T);
  const std::size_t count = std::min(block_size, image.grid().size() - first);
  Label last = 0;
  const std::byte* last_at = nullptr;
  for (std::size_t i = 0; i < count; ++i, in += sizeof(T)) {
    // Labels come in runs, so most voxels repeat their neighbour.
    if (last_at == nullptr || std::memcmp(in, last_at, sizeof(T)) != 0) {
      const Scalar<T> stored = load_scalar<T, swapped>(in);
      if (!is_label(stored, scaling)) refuse<T, swapped>(image, first + i);
      last = label_of(stored, scaling);
      last_at = in;
    }
    block[i] = last;
  }
  return std::span(block).first(count);
}

/// Calls `use(first index, labels)` for every block of the image.
template <class Use>
void for_each_block(const Image& image, Use use) {
  visit_stored(image.header(), [&]<class T, bool swapped>() {
    Block block;
    for (std::size_t first = 0; first < image.grid().size(); first += block_size)
      use(first, decode<T, swapped>(image, first, block));
  });
}

struct Range {
  Label low = std::numeric_limits<Label>::max(), high = std::numeric_limits<Label>::lowest();
};

Range range_of(const Image& image) {
  Range range;
  for_each_block(image, [&](std::size_t, std::span<const Label> labels) {
    for (const Label label : labels) {
      range.low = std::min(range.low, label);
      range.high = std::max(range.high, label);
    }
  });
  return range;
}

/// Codes of labels in a narrow range.
class Table {
 public:
  static constexpr std::uint64_t most = std::uint64_t{1} << 22;
  static bool serves(const Range& r) {
    return static_cast<std::uint64_t>(r.high) - static_cast<std::uint64_t>(r.low) < most;
  }
  explicit Table(const Range& r)
      : low_(r.low), codes_(static_cast<std::size_t>(r.high - r.low) + 1, absent) {}

  void add(Label label) { codes_[at(label)] = 0; }
  std::size_t size() const { return codes_.size() - absences(); }
  std::uint16_t code(Label label) const { return static_cast<std::uint16_t>(codes_[at(label)]); }

  /// The labels that were added, ascending; from now on `code` is the place in this list.
  std::vector<Label> number() {
    std::vector<Label> labels;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      if (codes_[i] == absent) continue;
      codes_[i] = static_cast<std::uint32_t>(labels.size());
      labels.push_back(low_ + static_cast<Label>(i));
    }
    return labels;
  }

 private:
  static constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
  std::size_t at(Label label) const { return static_cast<std::size_t>(label - low_); }
  std::size_t absences() const {
    return static_cast<std::size_t>(std::ranges::count(codes_, absent));
  }

  Label low_;
  std::vector<std::uint32_t> codes_;
};

/// Codes of labels that are far apart.
class Map {
 public:
  void add(Label label) {
    if (label == last_ && !codes_.empty()) return;
    last_ = label;
    codes_.try_emplace(label, std::uint16_t{0});
  }
  std::size_t size() const { return codes_.size(); }
  std::uint16_t code(Label label) {
    if (label != last_) {
      last_ = label;
      last_code_ = codes_.at(label);
    }
    return last_code_;
  }
  std::vector<Label> number() {
    std::vector<Label> labels;
    labels.reserve(codes_.size());
    for (const auto& [label, code] : codes_) labels.push_back(label);
    std::ranges::sort(labels);
    for (std::size_t i = 0; i < labels.size(); ++i)
      codes_[labels[i]] = static_cast<std::uint16_t>(i);
    last_ = labels.front();
    last_code_ = 0;
    return labels;
  }

 private:
  std::unordered_map<Label, std::uint16_t> codes_;
  Label last_ = 0;
  std::uint16_t last_code_ = 0;
};

template <class Code, class Codes>
LabelView encoded(const Image& image, Codes& codes, Buffer& scratch, std::span<const Label> names) {
  const std::size_t count = image.grid().size();
  auto* out = reinterpret_cast<Code*>(room_in(scratch, count * sizeof(Code)).data());
  for_each_block(image, [&](std::size_t first, std::span<const Label> labels) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      out[first + i] = static_cast<Code>(codes.code(labels[i]));
  });
  return {image.grid(), std::span<const Code>(out, count), names};
}

[[noreturn]] void throw_too_many() {
  throw Error(
      Error::Kind::input,
      fmt::format("holds more than {} different labels: this looks like an intensity image; "
                  "give a segmentation",
                  most_labels));
}

template <class Codes>
LabelView labels_by(Codes codes, const Image& image, Buffer& scratch, std::vector<Label>& names) {
  for_each_block(image, [&](std::size_t, std::span<const Label> labels) {
    for (const Label label : labels) codes.add(label);
    if constexpr (std::is_same_v<Codes, Map>) {  // stop early: this is an intensity image
      if (codes.size() > most_labels) throw_too_many();
    }
  });
  if (codes.size() > most_labels) throw_too_many();
  names = codes.number();
  if (names.size() <= 256) return encoded<std::uint8_t>(image, codes, scratch, names);
  return encoded<std::uint16_t>(image, codes, scratch, names);
}

/// Stored numbers of up to 16 bits that occur, by their bits.
template <class T, bool swapped>
std::vector<bool> occurring(const Image& image) {
  std::vector<std::uint8_t> seen(std::size_t{1} << (8 * sizeof(T)));
  const std::byte* in = image.voxels().data();
  for (std::size_t i = 0; i < image.grid().size(); ++i)
    seen[load<Bits<T>, swapped>(in + i * sizeof(T))] = 1;
  return {seen.begin(), seen.end()};
}

template <class Code, class T, bool swapped>
LabelView translated(const Image& image, std::span<const std::uint16_t> code_of, Buffer& scratch,
                     std::span<const Label> names) {
  const std::size_t count = image.grid().size();
  auto* out = reinterpret_cast<Code*>(room_in(scratch, count * sizeof(Code)).data());
  const std::byte* in = image.voxels().data();
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<Code>(code_of[load<Bits<T>, swapped>(in + i * sizeof(T))]);
  return {image.grid(), std::span<const Code>(out, count), names};
}

template <class T, bool swapped>
LabelView narrow_labels(const Image& image, Buffer& scratch, std::vector<Label>& names) {
  const Scaling& scaling = image.header().scaling;
  const std::vector<bool> seen = occurring<T, swapped>(image);
  names.clear();
  for (std::size_t bits = 0; bits < seen.size(); ++bits) {
    const T stored = std::bit_cast<T>(static_cast<Bits<T>>(bits));
    if (seen[bits] && !is_label(stored, scaling)) refuse<T, swapped>(image, 0);
    if (seen[bits]) names.push_back(label_of(stored, scaling));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());  // a slope may merge two
  std::vector<std::uint16_t> code_of(seen.size());
  for (std::size_t bits = 0; bits < seen.size(); ++bits) {
    if (!seen[bits]) continue;
    const Label label = label_of(std::bit_cast<T>(static_cast<Bits<T>>(bits)), scaling);
    const auto at = std::ranges::lower_bound(names, label);
    code_of[bits] = static_cast<std::uint16_t>(at - names.begin());
  }
  if (names.size() <= 256)
    return translated<std::uint8_t, T, swapped>(image, code_of, scratch, names);
  return translated<std::uint16_t, T, swapped>(image, code_of, scratch, names);
}

LabelView wide_labels(const Image& image, Buffer& scratch, std::vector<Label>& names) {
  const Range range = range_of(image);
  if (Table::serves(range)) return labels_by(Table(range), image, scratch, names);
  return labels_by(Map(), image, scratch, names);
}

}  // namespace

LabelView labels(const Image& image, Buffer& scratch, std::vector<Label>& values) {
  require_one_volume(image);
  if (image.header().type == VoxelType::u8 && image.header().scaling.is_identity()) {
    values.resize(256);
    std::iota(values.begin(), values.end(), Label{0});
    const auto* codes = reinterpret_cast<const std::uint8_t*>(image.voxels().data());
    return {image.grid(), std::span(codes, image.grid().size()), values};
  }
  return visit_stored(image.header(), [&]<class T, bool swapped>() {
    if constexpr (sizeof(T) <= 2 && std::is_integral_v<T>)
      return narrow_labels<T, swapped>(image, scratch, values);
    return wide_labels(image, scratch, values);
  });
}

}  // namespace assay
