// SPDX-License-Identifier: Apache-2.0
/// Voxels of one row that look together for the nearest bit of others.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/metrics/bit_volume.hpp"

namespace assay::metrics {

/// How far along a row voxels look together: fewer steps than these.
inline constexpr Index look_window = 32;

/// Up to four rows that are equally far from a voxel's own, and what that adds to squared
/// distances. They are laid over one another, since it does not matter in which a bit is found.
struct RowsApart {
  std::array<const std::uint64_t*, 4> rows;
  double y_squared = 0, z_squared = 0;
};

/// Room for combined rows, with an empty word before it and some after it.
class Overlay {
 public:
  explicit Overlay(Index words) : words_(words), bits_(static_cast<std::size_t>(words) + 5) {}

  Index words() const { return words_; }
  std::uint64_t* row() { return bits_.data() + 1; }
  const std::uint64_t* row() const { return bits_.data() + 1; }

  /// False when the rows are empty.
  bool lay(const RowsApart& apart) {
    const auto& rows = apart.rows;
    std::uint64_t any = 0;
    for (Index w = 0; w < words_; ++w)
      any |= row()[w] = rows[0][w] | rows[1][w] | rows[2][w] | rows[3][w];
    return any != 0;
  }

 private:
  Index words_;
  std::vector<std::uint64_t> bits_;
};

/// Voxels whose distance is searched, and the least squared one of each so far.
class WaitingRow {
 public:
  static constexpr std::size_t lanes = 8;

  explicit WaitingRow(Index most)
      : x_(static_cast<std::size_t>(most) + lanes), squared_(x_.size()) {}

  void clear() { size_ = 0; }

  void add(Index x) {
    x_[size_] = static_cast<std::int32_t>(x);
    squared_[size_++] = std::numeric_limits<double>::infinity();
  }

  /// The lanes after the last voxel search, too; they find nothing that counts.
  void fill_lanes() {
    for (std::size_t i = size_; i % lanes != 0; ++i) {
      x_[i] = 0;
      squared_[i] = 0;
    }
  }

  std::size_t size() const { return size_; }
  /// Times that all lanes have to look.
  Index blocks() const { return static_cast<Index>((size_ + lanes - 1) / lanes); }
  Index x(std::size_t i) const { return x_[i]; }
  double squared(std::size_t i) const { return squared_[i]; }
  double& squared(std::size_t i) { return squared_[i]; }
  double greatest() const {
    return *std::max_element(squared_.begin(), squared_.begin() + static_cast<Index>(size_));
  }
  const std::int32_t* places() const { return x_.data(); }
  double* squares() { return squared_.data(); }

 private:
  std::vector<std::int32_t> x_;
  std::vector<double> squared_;
  std::size_t size_ = 0;
};

/// One voxel after another.
struct OneByOne {
  /// Looks as far as the window; the greatest of the squared distances that are still to beat.
  static double look(std::span<const RowsApart> steps_apart, double spacing_mm, Overlay& overlay,
                     WaitingRow& waiting) {
    for (const RowsApart& apart : steps_apart) {
      if (!overlay.lay(apart)) continue;
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        const int n = steps(overlay.row(), waiting.x(i));
        if (n >= look_window) continue;
        const double along = n * spacing_mm;
        waiting.squared(i) =
            std::min(waiting.squared(i), along * along + apart.y_squared + apart.z_squared);
      }
    }
    return waiting.greatest();
  }

 private:
  /// To the nearest bit of the window; else more than that.
  static int steps(const std::uint64_t* row, Index x) {
    // The 32 bits before the voxel, and 32 from it on; there is an empty word before the row.
    const auto start = static_cast<std::size_t>(x + 32), shift = start % 64;
    const std::uint64_t* word = row - 1 + start / 64;
    const std::uint64_t bits = word[0] >> shift | word[1] << 1 << (63 - shift);
    return std::min(std::countr_zero(bits >> 32), std::countl_zero(bits << 31));
  }
};

}  // namespace assay::metrics
