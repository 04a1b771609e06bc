// SPDX-License-Identifier: Apache-2.0
/// The output of an inflater that keeps only what later matches can reach. Everything before that
/// is known only as runs and as a checksum.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>

#include "assay/image/runs/deflate_codes.hpp"
#include "assay/image/runs/inflate_runs.hpp"
#include "assay/image/runs/run_checksum.hpp"

namespace assay {

/// Joins voxels that arrive in order into runs.
class RunMaker {
 public:
  RunMaker(VoxelRuns& out, std::size_t width) : out_(out), width_(width) { out_.clear(); }

  void add(const std::byte* at, std::size_t voxels) {
    switch (width_) {
      case 1: return add_each<std::uint8_t>(at, voxels);
      case 2: return add_each<std::uint16_t>(at, voxels);
      case 4: return add_each<std::uint32_t>(at, voxels);
      default: return add_each<std::uint64_t>(at, voxels);
    }
  }
  /// More voxels like the last one.
  void repeat(std::size_t voxels) { position_ += voxels; }

  std::size_t voxels() const { return position_; }
  std::size_t count() const { return out_.runs.size(); }
  /// Closes the last run.
  void finish() {
    if (position_ > begin_) out_.runs.push_back({static_cast<std::uint32_t>(position_), code_});
    begin_ = position_;
  }

 private:
  template <class Stored>
  void add_each(const std::byte* at, std::size_t voxels) {
    constexpr std::size_t per_word = 8 / sizeof(Stored);
    constexpr std::uint64_t repeated =
        std::uint64_t{1} * (~std::uint64_t{0} / static_cast<Stored>(~Stored{0}));
    const auto stored = [at](std::size_t i) {
      Stored value;
      std::memcpy(&value, at + i * sizeof value, sizeof value);
      return value;
    };
    std::size_t i = 0;
    while (i < voxels) {
      if (const Stored value = stored(i); value != value_ || position_ == 0) {
        finish();
        value_ = value;
        code_ = code_of(value);
      }
      const std::uint64_t word = value_ * repeated;
      const std::size_t first = i;
      const auto value = static_cast<Stored>(value_);
      for (++i; i + per_word <= voxels && word_at(at + i * sizeof value) == word;) i += per_word;
      while (i < voxels && stored(i) == value) ++i;
      position_ += i - first;
    }
  }

  std::uint32_t code_of(std::uint64_t value) {
    Recent& recent = recent_[value * 0x9e3779b97f4a7c15 >> 58];
    if (recent.value == value && recent.is_set) return recent.code;
    const auto [found, is_new] =
        codes_.try_emplace(value, static_cast<std::uint32_t>(out_.values.size()));
    if (is_new) out_.values.push_back(value);
    recent = {value, found->second, true};
    return found->second;
  }

  struct Recent {
    std::uint64_t value = 0;
    std::uint32_t code = 0;
    bool is_set = false;
  };

  VoxelRuns& out_;
  std::size_t width_;
  std::size_t position_ = 0, begin_ = 0;
  std::uint64_t value_ = 0;
  std::uint32_t code_ = 0;
  std::array<Recent, 64> recent_{};
  std::unordered_map<std::uint64_t, std::uint32_t> codes_;
};
class Checksum {
 public:
  explicit Checksum(DeflateWrapper wrapper) : is_adler_(wrapper == DeflateWrapper::zlib) {}

  void add(std::span<const std::byte> bytes) { is_adler_ ? adler_.add(bytes) : crc_.add(bytes); }
  void add_repeated(std::span<const std::byte> pattern, std::uint64_t times) {
    is_adler_ ? adler_.add_repeated(pattern, times) : crc_.add_repeated(pattern, times);
  }
  std::uint32_t value() const { return is_adler_ ? adler_.value() : crc_.value(); }

 private:
  bool is_adler_;
  RunCrc32 crc_;
  RunAdler32 adler_;
};
inline constexpr std::size_t reach = 32768;  ///< how far back a match may look

/// The last bytes of the output, including those not yet examined. Everything before them is known
/// only as runs and as a checksum.
class Window {
 public:
  Window(const PackedVoxels& packed, VoxelRuns& out)
      : packed_(packed),
        bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity + slack)),
        out_(bytes_.get()),
        summed_(out_),
        seen_(out_),
        checksum_(packed.wrapper),
        runs_(out, packed.width) {}

  std::size_t position() const { return before_ + offset_of(out_); }
  std::size_t left() const { return packed_.size() - position(); }
  std::size_t since_start() const { return position() - start_; }  ///< of this member
  std::uint32_t checksum() { return look(), checksum_.value(); }

  void begin_member() {
    look();
    checksum_ = Checksum(packed_.wrapper);
    start_ = position();
  }
  void finish() {
    look();
    runs_.finish();
  }

  // All of these need room for what they add; see `has_room`.
  bool has_room() const { return offset_of(out_) < capacity - greatest_length; }
  void make_room() {
    look();
    keep(reach);
  }
  /// Whether there are more runs than `few`, and so many that bytes are better. A run takes 8
  /// bytes, and merging it takes more time than counting as many voxels.
  bool is_busy(std::size_t few) const {
    constexpr std::size_t voxels_per_run = 12;
    return runs_.count() > packed_.most_runs ||
           (runs_.count() > few && runs_.count() * voxels_per_run > runs_.voxels());
  }
  void add(std::byte literal) { *out_++ = literal; }
  void add(std::span<const std::byte> bytes) { out_ = std::ranges::copy(bytes, out_).out; }
  std::size_t room() const { return capacity - offset_of(out_); }

  void copy(std::size_t length, std::size_t distance) {
    const std::byte* from = out_ - distance;
    std::byte* const end = out_ + length;
    if (distance == 1) {
      std::memset(out_, std::to_integer<int>(*from), length);
    } else if (distance >= 8) {
      for (std::byte* to = out_; to < end; to += 8, from += 8) std::memcpy(to, from, 8);
    } else {
      for (std::byte* to = out_; to < end;) *to++ = *from++;
    }
    out_ = end;
  }

  /// Whether a match of the greatest length repeats the voxel before it.
  bool repeats_voxel(std::size_t distance) const {
    return distance <= packed_.width && packed_.width % distance == 0 &&
           position() >= packed_.offset + greatest_length;
  }

  /// The same for bytes that repeat the last voxel; the greatest match, of that voxel, came before.
  void repeat(std::size_t bytes) {
    look();
    const std::size_t width = packed_.width;
    const std::span<const std::byte> pattern(out_ - width, width);
    checksum_.add_repeated(pattern, bytes / width);
    checksum_.add(pattern.first(bytes % width));
    runs_.repeat((position() + bytes - packed_.offset) / width - runs_.voxels());
    // Only what a match can reach is written; the rest is skipped by whole voxels.
    const std::size_t written = bytes <= reach ? bytes : reach + (bytes - reach) % width;
    if (written > room()) keep(bytes <= reach ? reach : 8);
    before_ += bytes - written;
    const std::uint64_t word = word_at(out_ - 8);
    if (std::rotl(word, 8) == word) {
      std::memset(out_, std::to_integer<int>(out_[-1]), written);
    } else {
      for (std::size_t i = 0; i < written; i += 8) std::memcpy(out_ + i, &word, 8);
    }
    out_ += written;
    summed_ = out_;
    seen_ = out_ - (position() - packed_.offset) % width;
  }

  /// What a match can reach now, at most back to the beginning of this member.
  std::span<const std::byte> history() const {
    const std::size_t size = std::min(since_start(), std::min(reach, offset_of(out_)));
    return {out_ - size, size};
  }
  /// The bytes of an incomplete voxel.
  std::span<const std::byte> begun_voxel() {
    look();
    return {seen_, out_};
  }
  void add_to_checksum(std::span<const std::byte> bytes) { checksum_.add(bytes); }

 private:
  static constexpr std::size_t capacity = 3 * reach, slack = 16;

  std::size_t offset_of(const std::byte* at) const {
    return static_cast<std::size_t>(at - bytes_.get());
  }

  /// Adds what was written since the last call to the checksum and the runs.
  void look() {
    checksum_.add({summed_, out_});
    summed_ = out_;
    const std::size_t from = before_ + offset_of(seen_);
    if (from < packed_.offset) seen_ += std::min(packed_.offset, position()) - from;
    if (position() <= packed_.offset) return;
    const auto voxels = static_cast<std::size_t>(out_ - seen_) / packed_.width;
    runs_.add(seen_, voxels);
    seen_ += voxels * packed_.width;
  }

  /// Moves the last bytes to the front; all of them have been examined.
  void keep(std::size_t count) {
    const std::size_t kept = std::min(count, offset_of(out_));
    const auto behind = out_ - seen_;
    before_ += offset_of(out_) - kept;
    std::memmove(bytes_.get(), out_ - kept, kept);
    out_ = bytes_.get() + kept;
    summed_ = out_;
    seen_ = out_ - behind;
  }

  const PackedVoxels& packed_;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t before_ = 0;  ///< bytes of the output before the window
  std::size_t start_ = 0;   ///< where this member began
  std::byte *out_, *summed_, *seen_;
  Checksum checksum_;
  RunMaker runs_;
};

}  // namespace assay
