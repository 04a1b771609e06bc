// SPDX-License-Identifier: Apache-2.0
/// How the voxels of a row look with vectors of 32 bytes.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include "assay/metrics/boundary/waiting_row.hpp"

namespace assay::metrics {

/// Eight at once. Two words of 32 bits for each voxel hold what lies at it and ahead, and what lies
/// at it and behind; steps are counted by making a number of the nearest bit and reading its
/// exponent.
struct EightAtOnce {
  [[gnu::target("avx2")]] static double look(std::span<const RowsApart> steps, double spacing_mm,
                                             Overlay& overlay, WaitingRow& waiting) {
    const __m256d x = _mm256_set1_pd(spacing_mm);
    if (overlay.words() <= 3) return look_into<OneVector>(steps, x, overlay.words(), waiting);
    if (overlay.words() <= 7) return look_into<TwoVectors>(steps, x, overlay.words(), waiting);
    return look_wide(steps, x, overlay, waiting);
  }

 private:
  /// A row that fits into a vector, with an empty word after it and before it.
  struct OneVector {
    __m256i bits;

    [[gnu::target("avx2")]] OneVector(const RowsApart& apart, Index words)
        : bits(laid(apart.rows, 0, words)) {}
    [[gnu::target("avx2")]] bool is_empty() const { return _mm256_testz_si256(bits, bits) != 0; }
    [[gnu::target("avx2")]] __m256i at(__m256i words) const {
      return _mm256_permutevar8x32_epi32(bits, words);
    }
  };

  /// The same for two vectors.
  struct TwoVectors {
    __m256i low, high;

    [[gnu::target("avx2")]] TwoVectors(const RowsApart& apart, Index words)
        : low(laid(apart.rows, 0, words)), high(laid(apart.rows, 4, words)) {}
    [[gnu::target("avx2")]] bool is_empty() const {
      const __m256i any = _mm256_or_si256(low, high);
      return _mm256_testz_si256(any, any) != 0;
    }
    [[gnu::target("avx2")]] __m256i at(__m256i words) const {
      // The fourth bit of a word's number says in which of them it is: it becomes the sign.
      const __m256 from_low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, words)),
                   from_high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, words));
      return _mm256_castps_si256(
          _mm256_blendv_ps(from_low, from_high, _mm256_castsi256_ps(_mm256_slli_epi32(words, 28))));
    }
  };

  template <class Row>
  [[gnu::target("avx2")]] static double look_into(std::span<const RowsApart> steps, __m256d x,
                                                  Index words, WaitingRow& waiting) {
    __m256d greatest = _mm256_setzero_pd();
    for (std::size_t i = 0; i < waiting.size(); i += WaitingRow::lanes) {
      const bool is_full = waiting.size() - i > WaitingRow::lanes / 2;
      const Eight eight(waiting.places() + i);
      double* squares = waiting.squares() + i;
      __m256d low = _mm256_loadu_pd(squares), high = _mm256_loadu_pd(squares + 4);
      for (const RowsApart& apart : steps) {
        const Row row(apart, words);
        if (row.is_empty()) continue;
        const __m256i n = eight.steps(row.at(eight.before), row.at(eight.at), row.at(eight.next));
        low = nearer(_mm256_castsi256_si128(n), x, apart, low);
        if (is_full) high = nearer(_mm256_extracti128_si256(n, 1), x, apart, high);
      }
      _mm256_storeu_pd(squares, low);
      _mm256_storeu_pd(squares + 4, high);
      greatest = _mm256_max_pd(greatest, _mm256_max_pd(low, high));
    }
    return greatest_of(greatest);
  }

  [[gnu::target("avx2")]] static double greatest_of(__m256d four) {
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return std::max(_mm_cvtsd_f64(two), _mm_cvtsd_f64(_mm_unpackhi_pd(two, two)));
  }

  [[gnu::target("avx2")]] static double look_wide(std::span<const RowsApart> steps, __m256d x,
                                                  Overlay& overlay, WaitingRow& waiting) {
    const auto* row = reinterpret_cast<const int*>(overlay.row());
    for (const RowsApart& apart : steps) {
      if (!overlay.lay(apart)) continue;
      for (std::size_t i = 0; i < waiting.size(); i += WaitingRow::lanes) {
        const Eight eight(waiting.places() + i);
        const __m256i n = eight.steps(_mm256_i32gather_epi32(row, eight.before, 4),
                                      _mm256_i32gather_epi32(row, eight.at, 4),
                                      _mm256_i32gather_epi32(row, eight.next, 4));
        double* squares = waiting.squares() + i;
        const __m256d low = _mm256_loadu_pd(squares), high = _mm256_loadu_pd(squares + 4);
        _mm256_storeu_pd(squares, nearer(_mm256_castsi256_si128(n), x, apart, low));
        _mm256_storeu_pd(squares + 4, nearer(_mm256_extracti128_si256(n, 1), x, apart, high));
      }
    }
    return waiting.greatest();
  }

  /// Four words of combined rows; none after their ends.
  [[gnu::target("avx2")]] static __m256i laid(const std::array<const std::uint64_t*, 4>& rows,
                                              Index from, Index words) {
    const __m256i in_row =
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(words - from), _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i out = _mm256_setzero_si256();
    for (const std::uint64_t* row : rows)
      out = _mm256_or_si256(
          out, _mm256_maskload_epi64(reinterpret_cast<const long long*>(row + from), in_row));
    return out;
  }

  /// The positions of eight voxels in a row.
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
      // Without the bit after the first, none is rounded up. Where the highest bit makes a number
      // negative, the voxel's own is set, and the lowest one says so.
      const __m256i first_ahead =
          _mm256_and_si256(ahead, _mm256_sub_epi32(_mm256_setzero_si256(), ahead));
      const __m256i first_behind = _mm256_andnot_si256(_mm256_srli_epi32(behind, 1), behind);
      return _mm256_min_epu32(
          _mm256_sub_epi32(exponent(first_ahead), bias),
          _mm256_sub_epi32(_mm256_set1_epi32(127 + 31), exponent(first_behind)));
    }

    /// From the number's own bits; 0 for 0.
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

}  // namespace assay::metrics
#endif
