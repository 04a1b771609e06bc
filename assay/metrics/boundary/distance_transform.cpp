// SPDX-License-Identifier: Apache-2.0
// The squared Euclidean distance is a sum over the axes, so the nearest bit can be found axis by
// axis (Saito and Toriwaki 1994; Meijster, Roerdink and Hesselink 2000):
//
//   d2(x, y, z) = min over z' of (z - z')2 + min over y' of (y - y')2 + min over x' of (x - x')2
//
// The innermost minimum is the nearest bit of one row, found by counting zeros without a table. The
// other two are minima of convex costs (column_minima.cpp), first over the rows of each slice, then
// over the slices. Columns are processed a cache line at a time, and every minimum is found for all
// columns of a line at once.
//
// Rows and slices without a bit are not candidates, and only rows in which a distance is asked for
// are evaluated. Candidates that are known to be too far are left out, too. A transform of a grid
// four times as coarse costs little and gives an upper bound of each distance, since a bit of the
// coarse grid means that there is one within its cell. Candidates that are farther than that along
// one axis alone are left out.
//
// Where all squares are whole multiples of some unit, as on grids of 1 or 0.5 mm, sums are
// integers, of which twice as many fit in a line. Otherwise they are doubles, added in the order of
// the axes as everywhere.
#include "assay/metrics/boundary/distance_transform.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "assay/metrics/boundary/column_minima.hpp"

namespace assay::metrics {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Upper bounds of squared distances, one for each cell of the grid: 16 voxels along a row, four
/// across.
class DistanceLimits {
 public:
  static constexpr Index width = 16, side = 4;

  DistanceLimits(const Place& size, double squared)
      : columns_(size[0] / width + 1),
        rows_(size[1] / side + 1),
        squares_(static_cast<std::size_t>(columns_ * rows_ * (size[2] / side + 1)), squared) {}

  double at(Index x, Index y, Index z) const { return squares_[place(x, y, z)]; }
  void raise(Index x, Index y, Index z, double squared) {
    double& limit = squares_[place(x, y, z)];
    limit = std::max(limit, squared);
  }

 private:
  std::size_t place(Index x, Index y, Index z) const {
    return static_cast<std::size_t>((z / side * rows_ + y / side) * columns_ + x / width);
  }

  Index columns_, rows_;
  std::vector<double> squares_;
};

/// Costs of steps along one axis, as they are summed. More steps than any bit is away cost so much
/// that no sum with them is the least, but such sums still do not overflow.
template <class Value>
class Costs {
 public:
  static constexpr Index room = 2 * columns_per_line<Value>;
  static constexpr Value too_much = std::numeric_limits<Value>::max() / 8;

  Costs(const StepCost& steps, double per_unit) : size_(steps.size() + room) {
    for (Index step = -size_; step <= size_; ++step)
      values_.push_back(std::abs(step) > steps.size() ? too_much
                                                      : static_cast<Value>(steps(step) * per_unit));
  }
  /// The cost of no step; the costs of other steps are on both sides of it.
  const Value* middle() const { return values_.data() + size_; }

 private:
  Index size_;
  std::vector<Value> values_;
};

/// What all blocks of a transform share.
template <class Value>
struct Task {
  const BitVolume& asked;
  const SearchTarget& target;
  const Settle& settle;
  const DistanceLimits& limits;
  std::array<Costs<Value>, 3> costs;
  double units_per_mm2 = 1, mm2_per_unit = 1;  ///< powers of two; 1 where sums are doubles
};

template <class Value>
class BlockTransform {
 public:
  static constexpr Index block = columns_per_line<Value>;

  explicit BlockTransform(const Task<Value>& task)
      : task_(task),
        size_(task.target.bits.size()),
        slack_(std::is_integral_v<Value> ? 0 : static_cast<Value>(1e-13 * farthest_square())),
        questions_(static_cast<std::size_t>(size_[1])) {
    for (Index z = 0; z < size_[2]; ++z) {
      Slice slice{z, {}};
      for (Index y = 0; y < size_[1]; ++y)
        if (task.target.filled.at(y, z)) slice.rows.push_back(static_cast<std::int32_t>(y));
      if (slice.rows.empty()) continue;
      slice_places_.push_back(static_cast<std::int32_t>(z));
      slices_.push_back(std::move(slice));
    }
  }

  /// The columns of one line, from `start` on.
  void run(Index start) {
    start_ = start;
    find_questions();
    if (rows_.empty()) return;
    heights_.resize(rows_.size() * static_cast<std::size_t>(stride()));
    for (Index s = 0; s < static_cast<Index>(slices_.size()); ++s) fill_slice(s);
    for (std::size_t i = 0; i < rows_.size(); ++i) answer(i);
  }

 private:
  struct Slice {
    Index z = 0;
    std::vector<std::int32_t> rows;  ///< with a bit
  };
  struct Question {
    std::int32_t z = 0;
    std::uint32_t columns = 0;  ///< as bits
  };
  struct AskedRow {
    Index y = 0;
    double limit = 0;           ///< upper bound of the squared distances in it
    Index first = 0, last = 0;  ///< slices that can matter
  };
  using Questions = std::vector<std::vector<Question>>;

  double farthest_square() const {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += task_.target.squares[k].back();
    return sum;
  }

  /// One line more than needed, since lines spaced by a power of two would share a cache set.
  Index stride() const { return (static_cast<Index>(slices_.size()) + 1) * block; }
  Value* height(std::size_t row, Index slice) {
    return heights_.data() + static_cast<Index>(row) * stride() + slice * block;
  }

  void find_questions() {
    for (const AskedRow& row : rows_) questions_[static_cast<std::size_t>(row.y)].clear();
    const Index word = start_ / 64, shift = start_ % 64;
    constexpr std::uint64_t line = (std::uint64_t{1} << block) - 1;
    for (Index z = 0; z < size_[2]; ++z)
      for (Index y = 0; y < size_[1]; ++y)
        if (const auto columns = task_.asked.row(y, z)[word] >> shift & line; columns != 0)
          questions_[static_cast<std::size_t>(y)].push_back(
              {static_cast<std::int32_t>(z), static_cast<std::uint32_t>(columns)});
    rows_.clear();
    for (Index y = 0; y < size_[1]; ++y)
      if (!questions_[static_cast<std::size_t>(y)].empty()) rows_.push_back(asked_row(y));
  }

  AskedRow asked_row(Index y) const {
    AskedRow out{.y = y};
    Index low = size_[2], high = 0;
    for (const Question& question : questions_[static_cast<std::size_t>(y)]) {
      const double limit = task_.limits.at(start_, y, question.z);
      const Index reach = most_steps(task_.target.squares[2], limit);
      out.limit = std::max(out.limit, limit);
      low = std::min(low, question.z - reach);
      high = std::max(high, question.z + reach);
    }
    const auto place = [&](Index z) {
      return std::ranges::lower_bound(slice_places_, z) - slice_places_.begin();
    };
    out.first = place(low);
    out.last = place(high + 1);
    return out;
  }

  /// The most steps along one axis to a bit within the limit; costs may be those of one step fewer.
  static Index most_steps(const std::vector<double>& squares, double limit) {
    return std::ranges::upper_bound(squares, limit) - squares.begin();
  }

  /// The cost of each column's nearest bit in a row. False when it is beyond the limit for all
  /// columns.
  bool measure_row(const std::uint64_t* row, Value limit, Value* into) const {
    const Index words = task_.target.bits.words(), none = size_[0] + 1;
    const Value* cost = task_.costs[0].middle();
    const Index end = start_ + block;
    Index down = start_ > 0 ? steps_down(row, start_ - 1, none) + 1 : none;
    Index up = end < 64 * words ? steps_up(row, words, end, none) + 1 : none;
    down = std::min(down, none);
    up = std::min(up, none);
    const std::uint64_t bits = row[start_ / 64] >> (start_ % 64);
    if ((bits & ((std::uint64_t{1} << block) - 1)) == 0) {
      if (std::min(cost[-down], cost[up]) > limit) return false;
      for (Index k = 0; k < block; ++k)
        into[k] = std::min(cost[-down - k], cost[up + block - 1 - k]);
      return true;
    }
    for (Index k = 0; k < block; ++k) {
      down = (bits >> k & 1) != 0 ? 0 : std::min(down, none);
      into[k] = cost[-down++];
    }
    for (Index k = block - 1; k >= 0; --k) {
      up = (bits >> k & 1) != 0 ? 0 : std::min(up, none);
      into[k] = std::min(into[k], cost[up++]);
    }
    return true;
  }

  /// The rows in which the slice can matter.
  double choose_rows(Index s) {
    places_.clear();
    lines_.clear();
    double limit = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].first <= s && s < rows_[i].last) {
        places_.push_back(static_cast<std::int32_t>(rows_[i].y));
        lines_.push_back(height(i, s));
        limit = std::max(limit, rows_[i].limit);
      }
    return limit;
  }

  void fill_slice(Index s) {
    const double limit = choose_rows(s);
    if (places_.empty()) return;
    const Slice& slice = slices_[static_cast<std::size_t>(s)];
    const Index reach = most_steps(task_.target.squares[1], limit);
    const auto units = static_cast<Value>(
        std::min(limit * task_.units_per_mm2, static_cast<double>(Costs<Value>::too_much) / 2));
    candidates_.clear();
    measured_.resize(slice.rows.size() * static_cast<std::size_t>(block));
    for (const std::int32_t y : slice.rows) {
      if (y < places_.front() - reach || y > places_.back() + reach) continue;
      Value* into = measured_.data() + static_cast<Index>(candidates_.size()) * block;
      if (measure_row(task_.target.bits.row(y, slice.z), units, into)) candidates_.push_back(y);
    }
    if (candidates_.empty())
      for (Value* line : lines_) std::fill(line, line + block, Costs<Value>::too_much);
    else
      write_minima<Value>({measured_.data(), candidates_, task_.costs[1].middle(), places_, slack_},
                          lines_);
  }

  /// All questions of a row, from the heights of its slices.
  void answer(std::size_t i) {
    const AskedRow& row = rows_[i];
    const auto& questions = questions_[static_cast<std::size_t>(row.y)];
    answers_.resize(questions.size() * static_cast<std::size_t>(block));
    places_.clear();
    lines_.clear();
    for (const Question& question : questions) {
      lines_.push_back(answers_.data() + static_cast<Index>(places_.size()) * block);
      places_.push_back(question.z);
    }
    const auto places = std::span(slice_places_)
                            .subspan(static_cast<std::size_t>(row.first),
                                     static_cast<std::size_t>(row.last - row.first));
    write_minima<Value>({height(i, row.first), places, task_.costs[2].middle(), places_, slack_},
                        lines_);
    for (std::size_t q = 0; q < questions.size(); ++q) settle(row.y, questions[q], lines_[q]);
  }

  void settle(Index y, const Question& question, const Value* line) const {
    const Voxel first = {static_cast<std::int32_t>(start_), static_cast<std::int32_t>(y),
                         question.z};
    if constexpr (std::is_same_v<Value, double>) {
      task_.settle({first, question.columns, line});
    } else {
      std::array<double, static_cast<std::size_t>(block)> squared;
      std::transform(line, line + block, squared.begin(), [this](Value units) {
        return static_cast<double>(units) * task_.mm2_per_unit;
      });
      task_.settle({first, question.columns, squared.data()});
    }
  }

  const Task<Value>& task_;
  Place size_;
  Value slack_;
  std::vector<Slice> slices_;  ///< with a bit
  std::vector<std::int32_t> slice_places_;
  std::vector<AskedRow> rows_;
  Questions questions_;                            ///< of the block, by y
  std::vector<Value> heights_;                     ///< by row and slice
  std::vector<Value> measured_, answers_;          ///< of one slice, of one row
  std::vector<std::int32_t> candidates_, places_;  ///< the same
  std::vector<Value*> lines_;
  Index start_ = 0;
};

template <class Value>
void run_blocks(const Task<Value>& task) {
  BlockTransform<Value> blocks(task);
  for (Index start = 0; start < task.asked.size()[0]; start += columns_per_line<Value>)
    blocks.run(start);
}

/// How many units make a mm2, if all costs are whole numbers of a unit and no sum is too large.
std::optional<double> whole_units(const StepCosts& costs) {
  for (double units = 1; units <= 256; units *= 4) {
    double farthest = 0;
    bool whole = true;
    for (const StepCost& cost : costs) {
      farthest += std::max(cost(cost.size()), cost(-cost.size())) * units;
      for (Index step = -cost.size(); whole && step <= cost.size(); ++step)
        whole = cost(step) * units == std::floor(cost(step) * units);
    }
    if (whole && farthest < static_cast<double>(Costs<std::int32_t>::too_much) / 4) return units;
  }
  return {};
}

void transform(const BitVolume& asked, const SearchTarget& target, const StepCosts& costs,
               const DistanceLimits& limits, const Settle& settle) {
  const auto run = [&]<class Value>(double units) {
    run_blocks<Value>({asked,
                       target,
                       settle,
                       limits,
                       {Costs<Value>(costs[0], units), Costs<Value>(costs[1], units),
                        Costs<Value>(costs[2], units)},
                       units,
                       1 / units});
  };
  if (const auto units = whole_units(costs))
    run.template operator()<std::int32_t>(*units);
  else
    run.template operator()<double>(1);
}

StepCosts between_centres(const Squares& squares) {
  return {StepCost(squares[0]), StepCost(squares[1]), StepCost(squares[2])};
}

/// Cells of four voxels along each axis that hold a bit.
BitVolume coarsened(const BitVolume& volume) {
  constexpr Index side = DistanceLimits::side;
  const Place& size = volume.size();
  BitVolume out({size[0] / side + 1, size[1] / side + 1, size[2] / side + 1});
  std::vector<std::uint64_t> any(static_cast<std::size_t>(volume.words()));  // of a row of cells
  for (Index z = 0; z < size[2]; z += side)
    for (Index y = 0; y < size[1]; y += side) {
      std::ranges::fill(any, 0);
      for (Index k = z; k < std::min(z + side, size[2]); ++k)
        for (Index j = y; j < std::min(y + side, size[1]); ++j)
          for (std::size_t w = 0; w < any.size(); ++w) any[w] |= volume.row(j, k)[w];
      for (std::size_t w = 0; w < any.size(); ++w)
        for (std::uint64_t bits = any[w]; bits != 0;) {
          const Index cell = std::countr_zero(bits) / side;
          out.set(static_cast<Index>(64 / side * w) + cell, y / side, z / side);
          bits &= ~(std::uint64_t{0xf} << (side * cell));
        }
    }
  return out;
}

/// Bits lie at most a cell's diagonal farther apart than their cells.
DistanceLimits limits_of(const BitVolume& asked, const SearchTarget& target) {
  constexpr Index side = DistanceLimits::side;
  const BitVolume cells = coarsened(asked), bits = coarsened(target.bits);
  Squares squares;
  double diagonal = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double one = target.squares[axis][1];
    diagonal += one * (side - 1) * (side - 1);
    for (Index steps = 0; steps <= bits.size()[axis]; ++steps)
      squares[axis].push_back(one * static_cast<double>(side * side * steps * steps));
  }
  DistanceLimits out(asked.size(), 0);
  const FilledRows filled(bits);
  transform(cells, {bits, filled, squares}, between_centres(squares),
            DistanceLimits(cells.size(), infinite), [&](const SettledVoxels& settled) {
              settled.for_each([&](const Voxel& cell, double found) {
                const double most = std::sqrt(found) + std::sqrt(diagonal);
                out.raise(side * cell.x, side * cell.y, side * cell.z, most * most * (1 + 1e-9));
              });
            });
  return out;
}

}  // namespace

void transform_distances(const BitVolume& asked, const SearchTarget& target, const StepCosts& costs,
                         const Settle& settle) {
  transform(asked, target, costs, limits_of(asked, target), settle);
}

void transform_distances(const BitVolume& asked, const SearchTarget& target, const Settle& settle) {
  transform_distances(asked, target, between_centres(target.squares), settle);
}

}  // namespace assay::metrics
