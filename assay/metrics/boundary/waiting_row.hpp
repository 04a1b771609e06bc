// SPDX-License-Identifier: Apache-2.0
/// Voxels of one row that search together for the nearest bit in other rows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/metrics/bit_volume.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::metrics {

/// How far along a row voxels search together: fewer steps than this.
inline constexpr Index look_window = 32;

/// Up to four rows that are equally far from a voxel's own, and what that distance adds to squared
/// distances. They are combined into one, since it does not matter in which row a bit is found.
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

  /// The lanes after the last voxel search, too, but nothing they find is used.
  void fill_lanes() {
    for (std::size_t i = size_; i % lanes != 0; ++i) {
      x_[i] = 0;
      squared_[i] = 0;
    }
  }

  std::size_t size() const { return size_; }
  /// How many times all lanes have to search.
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

/// Searches for one voxel after another.
struct OneByOne {
  /// Searches as far as the window; returns the greatest of the voxels' best squared distances so
  /// far.
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
  /// Steps to the nearest bit of the window; more than the window if there is none.
  static int steps(const std::uint64_t* row, Index x) {
    // The 32 bits before the voxel, and 32 from it on; there is an empty word before the row.
    const auto start = static_cast<std::size_t>(x + 32), shift = start % 64;
    const std::uint64_t* word = row - 1 + start / 64;
    const std::uint64_t bits = word[0] >> shift | word[1] << 1 << (63 - shift);
    return std::min(std::countr_zero(bits >> 32), std::countl_zero(bits << 31));
  }
};

#if defined(__x86_64__)
/// Searches for eight voxels at once. Two words of 32 bits for each voxel hold the bits from it
/// onwards, and the bits up to it. Steps are counted by converting the nearest bit to a floating
/// point number and reading its exponent.
struct EightAtOnce {
  /// Rows with more words are searched one by one.
  static constexpr Index most_words = 3;

  [[gnu::target("avx2")]] static double look(std::span<const RowsApart> steps, double spacing_mm,
                                             Overlay& overlay, WaitingRow& waiting) {
    if (overlay.words() > most_words) return OneByOne::look(steps, spacing_mm, overlay, waiting);
    const __m256d x = _mm256_set1_pd(spacing_mm);
    __m256d greatest = _mm256_setzero_pd();
    for (std::size_t i = 0; i < waiting.size(); i += WaitingRow::lanes) {
      const bool is_full = waiting.size() - i > WaitingRow::lanes / 2;
      const Eight eight(waiting.places() + i);
      double* squares = waiting.squares() + i;
      __m256d low = _mm256_loadu_pd(squares), high = _mm256_loadu_pd(squares + 4);
      for (const RowsApart& apart : steps) {
        const __m256i row = laid(apart.rows, overlay.words());
        if (_mm256_testz_si256(row, row) != 0) continue;
        const __m256i n = eight.steps(row);
        low = nearer(_mm256_castsi256_si128(n), x, apart, low);
        if (is_full) high = nearer(_mm256_extracti128_si256(n, 1), x, apart, high);
      }
      _mm256_storeu_pd(squares, low);
      _mm256_storeu_pd(squares + 4, high);
      greatest = _mm256_max_pd(greatest, _mm256_max_pd(low, high));
    }
    const __m128d two =
        _mm_max_pd(_mm256_castpd256_pd128(greatest), _mm256_extractf128_pd(greatest, 1));
    return std::max(_mm_cvtsd_f64(two), _mm_cvtsd_f64(_mm_unpackhi_pd(two, two)));
  }

 private:
  /// Combined rows, with an empty word after them.
  [[gnu::target("avx2")]] static __m256i laid(const std::array<const std::uint64_t*, 4>& rows,
                                              Index words) {
    const __m256i in_row =
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(words), _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i out = _mm256_setzero_si256();
    for (const std::uint64_t* row : rows)
      out = _mm256_or_si256(out,
                            _mm256_maskload_epi64(reinterpret_cast<const long long*>(row), in_row));
    return out;
  }

  /// The positions of eight voxels in a row.
  struct Eight {
    __m256i before, at, next;  ///< words of 32 bits
    __m256i shift, back;  ///< positions within these words, from the first bit and from the last

    [[gnu::target("avx2")]] explicit Eight(const std::int32_t* places) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places));
      const __m256i one = _mm256_set1_epi32(1), last = _mm256_set1_epi32(31);
      at = _mm256_srli_epi32(x, 5);
      before = _mm256_sub_epi32(at, one);
      next = _mm256_add_epi32(at, one);
      shift = _mm256_and_si256(x, last);
      back = _mm256_sub_epi32(last, shift);
    }

    /// Steps to the nearest bit of the window; more than the window if there is none.
    [[gnu::target("avx2")]] __m256i steps(__m256i row) const {
      // The word before the first is the last one, which is empty.
      const __m256i word = _mm256_permutevar8x32_epi32(row, at),
                    word_before = _mm256_permutevar8x32_epi32(row, before),
                    word_next = _mm256_permutevar8x32_epi32(row, next);
      const __m256i one = _mm256_set1_epi32(1), bias = _mm256_set1_epi32(127);
      // A shift by 32 leaves nothing.
      const __m256i ahead =
          _mm256_or_si256(_mm256_srlv_epi32(word, shift),
                          _mm256_sllv_epi32(word_next, _mm256_add_epi32(back, one)));
      const __m256i behind =
          _mm256_or_si256(_mm256_sllv_epi32(word, back),
                          _mm256_srlv_epi32(word_before, _mm256_add_epi32(shift, one)));
      // With only the first bit kept, nothing is rounded up. Where the highest bit makes a number
      // negative, the voxel's own bit is set, and the lowest bit says so.
      const __m256i first_ahead =
          _mm256_and_si256(ahead, _mm256_sub_epi32(_mm256_setzero_si256(), ahead));
      const __m256i first_behind = _mm256_andnot_si256(_mm256_srli_epi32(behind, 1), behind);
      return _mm256_min_epu32(
          _mm256_sub_epi32(exponent(first_ahead), bias),
          _mm256_sub_epi32(_mm256_set1_epi32(127 + 31), exponent(first_behind)));
    }

    /// The exponent from the number's bits; 0 for 0.
    [[gnu::target("avx2")]] static __m256i exponent(__m256i number) {
      const __m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(number));
      return _mm256_and_si256(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(255));
    }
  };

  [[gnu::target("avx2")]] static __m256d nearer(__m128i n, __m256d x, const RowsApart& apart,
                                                __m256d best) {
    const __m256d along = _mm256_mul_pd(_mm256_cvtepi32_pd(n), x);
    const __m256d in_plane =
        _mm256_add_pd(_mm256_mul_pd(along, along), _mm256_set1_pd(apart.y_squared));
    const __m256d found = _mm256_add_pd(in_plane, _mm256_set1_pd(apart.z_squared));
    const __m256d none = _mm256_castsi256_pd(
        _mm256_cvtepi32_epi64(_mm_cmpgt_epi32(n, _mm_set1_epi32(look_window - 1))));
    return _mm256_blendv_pd(_mm256_min_pd(found, best), best, none);
  }
};

#endif

}  // namespace assay::metrics
