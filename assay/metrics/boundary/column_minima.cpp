// SPDX-License-Identifier: Apache-2.0
// The cost of a step is convex, so the best candidate moves on with the position: once the later of
// two candidates has won, it wins at all later positions. So the middle position is solved first,
// by trying every candidate, and its best candidate divides the candidates between the two sides.
// Each level tries all candidates about once, n log n for n positions. The loop has no branch, so a
// line of columns costs as much as one column.
//
// Columns differ in their best candidate, so each side gets the range that holds those of all
// columns. Columns are neighbours, so this range is little wider than that of one.
//
// Sums of doubles are rounded, so equally good candidates may differ by that much. Ranges therefore
// hold all candidates that are as good to within `slack`. The minimum is then the least of all
// rounded sums, as if every candidate had been tried.
#include "assay/metrics/boundary/column_minima.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "assay/base/processor.hpp"

namespace assay::metrics {
namespace {

using Index = std::ptrdiff_t;

struct Candidates {
  Index low = 0, high = 0;  ///< both included
};

/// Places first to last - 1, whose best candidates are known to lie in a range.
struct Segment {
  Index first = 0, last = 0;
  Candidates range;
};

/// A line as vectors of `bytes` bytes, in the compiler's own notation.
template <class Value, std::size_t bytes>
struct Line {
  using Whole = std::conditional_t<sizeof(Value) == 4, std::int32_t, std::int64_t>;
  typedef Value Vector [[gnu::vector_size(bytes)]];
  typedef Whole Wholes [[gnu::vector_size(bytes)]];
  static constexpr std::size_t parts = 64 / bytes;
  static constexpr Value beyond = std::numeric_limits<Value>::max() / 2;

  /// The least sums for one position.
  [[gnu::always_inline]] static void least(const ColumnMinima<Value>& problem, std::int32_t place,
                                           const Candidates& range, Value* into) {
    Vector best[parts];
    for (Vector& part : best) part = Vector{} + beyond;
    const Value* cost = problem.cost - place;
    for (Index i = range.low; i <= range.high; ++i) {
      const Value step = cost[problem.places[static_cast<std::size_t>(i)]];
      // Copied instead of returned by a function: how a vector is returned depends on the
      // processor.
      Vector heights[parts];
      __builtin_memcpy(heights, problem.heights + i * columns_per_line<Value>, sizeof heights);
      for (std::size_t k = 0; k < parts; ++k) {
        const Vector sum = heights[k] + step;
        best[k] = sum < best[k] ? sum : best[k];
      }
    }
    __builtin_memcpy(into, best, sizeof best);
  }

  /// The same, and the range of the candidates that gave them in any column.
  [[gnu::always_inline]] static Candidates least_and_where(const ColumnMinima<Value>& problem,
                                                           std::int32_t place,
                                                           const Candidates& range, Value* into) {
    Vector best[parts];
    Wholes low[parts], high[parts];
    for (std::size_t k = 0; k < parts; ++k) {
      best[k] = Vector{} + beyond;
      low[k] = high[k] = Wholes{} + static_cast<Whole>(range.low);
    }
    const Value* cost = problem.cost - place;
    for (Index i = range.low; i <= range.high; ++i) {
      const Value step = cost[problem.places[static_cast<std::size_t>(i)]];
      Vector heights[parts];
      __builtin_memcpy(heights, problem.heights + i * columns_per_line<Value>, sizeof heights);
      const Wholes here = Wholes{} + static_cast<Whole>(i);
      for (std::size_t k = 0; k < parts; ++k) {
        const Vector sum = heights[k] + step;
        low[k] = sum < best[k] - problem.slack ? here : low[k];
        if constexpr (std::is_floating_point_v<Value>)
          high[k] = sum <= best[k] + problem.slack ? here : high[k];
        best[k] = sum < best[k] ? sum : best[k];
      }
    }
    __builtin_memcpy(into, best, sizeof best);
    if constexpr (!std::is_floating_point_v<Value>) return around(low, low);
    return around(low, high);
  }

  [[gnu::always_inline]] static Candidates around(const Wholes (&low)[parts],
                                                  const Wholes (&high)[parts]) {
    Candidates out = {low[0][0], high[0][0]};
    for (std::size_t k = 0; k < parts; ++k)
      for (std::size_t lane = 0; lane < bytes / sizeof(Value); ++lane) {
        out.low = std::min<Index>(out.low, low[k][lane]);
        out.high = std::max<Index>(out.high, high[k][lane]);
      }
    return out;
  }

  [[gnu::always_inline]] static void write(const ColumnMinima<Value>& problem,
                                           std::span<Value* const> lines) {
    std::array<Segment, 64> left;  // halves of halves: at most as many as an index has bits
    std::size_t count = 0;
    const auto put = [&](const Segment& segment) {
      if (segment.first < segment.last) left[count++] = segment;
    };
    put({0,
         static_cast<Index>(problem.asked.size()),
         {0, static_cast<Index>(problem.places.size()) - 1}});
    while (count > 0) {
      const Segment now = left[--count];
      const Index middle = (now.first + now.last) / 2;
      const std::int32_t place = problem.asked[static_cast<std::size_t>(middle)];
      Value* into = lines[static_cast<std::size_t>(middle)];
      if (now.last - now.first == 1) {
        least(problem, place, now.range, into);
        continue;
      }
      const Candidates found = least_and_where(problem, place, now.range, into);
      put({middle + 1, now.last, {found.low, now.range.high}});
      put({now.first, middle, {now.range.low, found.high}});
    }
  }
};

template <class Value>
void write_portable(const ColumnMinima<Value>& problem, std::span<Value* const> lines) {
  Line<Value, 16>::write(problem, lines);
}

#if defined(__x86_64__)
template <class Value>
[[gnu::target("avx2")]] void write_avx2(const ColumnMinima<Value>& problem,
                                        std::span<Value* const> lines) {
  Line<Value, 32>::write(problem, lines);
}
template <class Value>
[[gnu::target("avx512f,avx512dq,avx512vl,avx512bw")]] void write_avx512(
    const ColumnMinima<Value>& problem, std::span<Value* const> lines) {
  Line<Value, 64>::write(problem, lines);
}
#else
template <class Value>
constexpr auto write_avx2 = write_portable<Value>;
template <class Value>
constexpr auto write_avx512 = write_portable<Value>;
#endif

}  // namespace

template <class Value>
void write_minima(const ColumnMinima<Value>& problem, std::span<Value* const> lines) {
  const auto write = has_avx512() ? write_avx512<Value>
                     : has_avx2() ? write_avx2<Value>
                                  : write_portable<Value>;
  write(problem, lines);
}

template void write_minima(const ColumnMinima<std::int32_t>&, std::span<std::int32_t* const>);
template void write_minima(const ColumnMinima<double>&, std::span<double* const>);

}  // namespace assay::metrics
