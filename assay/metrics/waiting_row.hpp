// SPDX-License-Identifier: Apache-2.0
/// Voxels of one row that look together for the nearest bit of others.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "assay/metrics/bit_volume.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {

/// How far along a row voxels look together: fewer steps than these.
inline constexpr Index look_window = 32;

/// Up to four rows that are equally far from a voxel's own, laid over one another.
using FourRows = std::array<const std::uint64_t*, 4>;

/// A few such, at growing distance, each with an empty word before it and some behind it.
class Overlays {
 public:
  static constexpr std::size_t most = 4;

  explicit Overlays(Index words)
      : words_(words), pitch_(words + 5), bits_(most * static_cast<std::size_t>(pitch_)) {}

  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  Index words() const { return words_; }
  std::uint64_t* row(std::size_t i) { return bits_.data() + 1 + static_cast<Index>(i) * pitch_; }
  const std::uint64_t* row(std::size_t i) const {
    return bits_.data() + 1 + static_cast<Index>(i) * pitch_;
  }
  double y_squared(std::size_t i) const { return y_squared_[i]; }
  double z_squared(std::size_t i) const { return z_squared_[i]; }

  /// Keeps what was laid into the row behind the last one, unless that is empty.
  void keep(bool is_filled, double y_squared, double z_squared) {
    y_squared_[size_] = y_squared;
    z_squared_[size_] = z_squared;
    size_ += is_filled ? 1 : 0;
  }

 private:
  Index words_, pitch_;
  std::vector<std::uint64_t> bits_;
  std::array<double, most> y_squared_{}, z_squared_{};
  std::size_t size_ = 0;
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

  /// The lanes behind the last voxel look, too; they find nothing that counts.
  void fill_lanes() {
    for (std::size_t i = size_; i % lanes != 0; ++i) {
      x_[i] = 0;
      squared_[i] = 0;
    }
  }

  std::size_t size() const { return size_; }
  std::size_t blocks() const { return (size_ + lanes - 1) / lanes; }  ///< of all lanes
  Index x(std::size_t i) const { return x_[i]; }
  double squared(std::size_t i) const { return squared_[i]; }
  double& squared(std::size_t i) { return squared_[i]; }
  const std::int32_t* places() const { return x_.data(); }
  double* squares() { return squared_.data(); }

 private:
  std::vector<std::int32_t> x_;
  std::vector<double> squared_;
  std::size_t size_ = 0;
};

/// One voxel after another.
struct OneByOne {
  static void lay(const FourRows& rows, double y_squared, double z_squared, Overlays& into) {
    std::uint64_t* row = into.row(into.size());
    std::uint64_t any = 0;
    for (Index w = 0; w < into.words(); ++w)
      any |= row[w] = rows[0][w] | rows[1][w] | rows[2][w] | rows[3][w];
    into.keep(any != 0, y_squared, z_squared);
  }

  /// Looks as far as the window; the greatest of the squared distances that are still to beat.
  static double look(const Overlays& overlays, double spacing_mm, WaitingRow& waiting) {
    double greatest = 0;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      double& best = waiting.squared(i);
      for (std::size_t k = 0; k < overlays.size(); ++k) {
        const int n = steps(overlays.row(k), waiting.x(i));
        if (n >= look_window) continue;
        const double along = n * spacing_mm;
        best = std::min(best, along * along + overlays.y_squared(k) + overlays.z_squared(k));
      }
      greatest = std::max(greatest, best);
    }
    return greatest;
  }

 private:
  /// To the nearest bit of the window; else more than that.
  static int steps(const std::uint64_t* row, Index x) {
    // The 32 bits before the voxel, and 32 from it on; an empty word stands before the row.
    const auto start = static_cast<std::size_t>(x + 32), shift = start % 64;
    const std::uint64_t* word = row - 1 + start / 64;
    const std::uint64_t bits = word[0] >> shift | word[1] << 1 << (63 - shift);
    return std::min(std::countr_zero(bits >> 32), std::countl_zero(bits << 31));
  }
};

#if defined(__x86_64__)
/// Eight at once. Two words of 32 bits for each voxel hold what lies at it and ahead, and what lies
/// at it and behind; steps are counted by making a number of the nearest bit and reading its
/// exponent.
struct EightAtOnce {
  [[gnu::target("avx2")]] static void lay(const FourRows& rows, double y_squared, double z_squared,
                                          Overlays& into) {
    std::uint64_t* row = into.row(into.size());
    __m256i any = _mm256_setzero_si256();
    for (Index w = 0; w < into.words(); w += 4) {
      const __m256i in_row =
          _mm256_cmpgt_epi64(_mm256_set1_epi64x(into.words() - w), _mm256_setr_epi64x(0, 1, 2, 3));
      __m256i laid = _mm256_setzero_si256();
      for (const std::uint64_t* from : rows)
        laid = _mm256_or_si256(
            laid, _mm256_maskload_epi64(reinterpret_cast<const long long*>(from + w), in_row));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + w), laid);
      any = _mm256_or_si256(any, laid);
    }
    into.keep(_mm256_testz_si256(any, any) == 0, y_squared, z_squared);
  }

  [[gnu::target("avx2")]] static double look(const Overlays& overlays, double spacing_mm,
                                             WaitingRow& waiting) {
    __m256d greatest = _mm256_setzero_pd();
    for (std::size_t i = 0; i < waiting.size(); i += WaitingRow::lanes) {
      double* squares = waiting.squares() + i;
      const bool is_full = waiting.size() - i > WaitingRow::lanes / 2;
      const Eight eight(waiting.places() + i);
      __m256d low = _mm256_loadu_pd(squares), high = _mm256_loadu_pd(squares + 4);
      for (std::size_t k = 0; k < overlays.size(); ++k) {
        const __m256i n = eight.steps(overlays.row(k), overlays.words());
        const __m256d y = _mm256_set1_pd(overlays.y_squared(k)),
                      z = _mm256_set1_pd(overlays.z_squared(k)), x = _mm256_set1_pd(spacing_mm);
        low = nearer(_mm256_castsi256_si128(n), x, y, z, low);
        if (is_full) high = nearer(_mm256_extracti128_si256(n, 1), x, y, z, high);
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
  /// Where eight voxels stand in a row.
  struct Eight {
    __m256i before, at, next;  ///< words of 32 bits
    __m256i shift, back;       ///< within theirs, from its first bit and from its last

    [[gnu::target("avx2")]] explicit Eight(const std::int32_t* places) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places));
      const __m256i one = _mm256_set1_epi32(1), last = _mm256_set1_epi32(31);
      at = _mm256_srli_epi32(x, 5);
      before = _mm256_sub_epi32(at, one);
      next = _mm256_add_epi32(at, one);
      shift = _mm256_and_si256(x, last);
      back = _mm256_sub_epi32(last, shift);
    }

    /// To the nearest bit of the window; else more than that.
    [[gnu::target("avx2")]] __m256i steps(const std::uint64_t* row, Index words) const {
      if (words < 4) {  // the last word of the vector is empty, and stands before the first, too
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
        return steps(_mm256_permutevar8x32_epi32(all, before), _mm256_permutevar8x32_epi32(all, at),
                     _mm256_permutevar8x32_epi32(all, next));
      }
      const auto* all = reinterpret_cast<const int*>(row);
      return steps(_mm256_i32gather_epi32(all, before, 4), _mm256_i32gather_epi32(all, at, 4),
                   _mm256_i32gather_epi32(all, next, 4));
    }

    [[gnu::target("avx2")]] __m256i steps(__m256i word_before, __m256i word,
                                          __m256i word_next) const {
      const __m256i one = _mm256_set1_epi32(1), bias = _mm256_set1_epi32(127);
      // A shift by 32 leaves nothing.
      const __m256i ahead =
          _mm256_or_si256(_mm256_srlv_epi32(word, shift),
                          _mm256_sllv_epi32(word_next, _mm256_add_epi32(back, one)));
      const __m256i behind =
          _mm256_or_si256(_mm256_sllv_epi32(word, back),
                          _mm256_srlv_epi32(word_before, _mm256_add_epi32(shift, one)));
      // Without the bit behind the first, none is rounded up. Where the highest bit makes a number
      // negative, the voxel's own is set, and the lowest one says so.
      const __m256i first_ahead =
          _mm256_and_si256(ahead, _mm256_sub_epi32(_mm256_setzero_si256(), ahead));
      const __m256i first_behind = _mm256_andnot_si256(_mm256_srli_epi32(behind, 1), behind);
      return _mm256_min_epu32(
          _mm256_sub_epi32(exponent(first_ahead), bias),
          _mm256_sub_epi32(_mm256_set1_epi32(127 + 31), exponent(first_behind)));
    }

    /// As the number's own bits have it; 0 of 0.
    [[gnu::target("avx2")]] static __m256i exponent(__m256i number) {
      const __m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(number));
      return _mm256_and_si256(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(255));
    }
  };

  [[gnu::target("avx2")]] static __m256d nearer(__m128i n, __m256d x, __m256d y, __m256d z,
                                                __m256d best) {
    const __m256d along = _mm256_mul_pd(_mm256_cvtepi32_pd(n), x);
    const __m256d found = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(along, along), y), z);
    const __m256d none = _mm256_castsi256_pd(
        _mm256_cvtepi32_epi64(_mm_cmpgt_epi32(n, _mm_set1_epi32(look_window - 1))));
    return _mm256_blendv_pd(_mm256_min_pd(found, best), best, none);
  }
};
#else
using EightAtOnce = OneByOne;
#endif

}  // namespace assay
