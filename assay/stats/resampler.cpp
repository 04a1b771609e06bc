// SPDX-License-Identifier: Apache-2.0
//
// One stream, many cores. NumPy's generator can jump ahead, so a block of replicates could start
// anywhere if its position were known. Replicate b begins after b * size draws, but a draw may
// reject a half and take another one (Lemire's method), which moves everything after it.
//
// So each block starts where it should if nothing before it was rejected, and notes how many halves
// it really took. Blocks must tile the stream: the first one that does not start where its
// predecessor ended, and all after it, are moved and drawn again. The first block of a round is
// always right, so the rounds end, and their result is that of one walk from the start.
//
// Up to some hundred thousand items a rejection, and so a second round, is rare. Where at least one
// is to be expected, drawing twice costs less than scoring twice, so the blocks are first drawn
// without a task, only to learn their lengths. Whether a half is rejected does not depend on the
// block it is in, so lengths found at a wrong position are nearly right.
#include "assay/stats/resampler.hpp"

#include <algorithm>
#include <numeric>

#include "assay/base/processor.hpp"
#include "assay/error.hpp"
#include "assay/stats/clusters.hpp"
#include "assay/stats/draws.hpp"

namespace assay::stats {
namespace {

constexpr std::size_t draws_per_block = 1U << 15, most_blocks = 256;

struct Block {
  std::size_t first, last;      ///< replicates
  std::uint64_t place, length;  ///< halves of the stream
};

std::vector<Block> even_blocks(const ReplicateDraws& draws, std::size_t replicates,
                               std::size_t count) {
  std::vector<Block> blocks(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * replicates / count, last = (i + 1) * replicates / count;
    blocks[i] = {first, last, draws.least_halves(first), draws.least_halves(last - first)};
  }
  return blocks;
}

/// Puts each block after its predecessor; returns the first one after `right` that had to move.
std::size_t moved(std::vector<Block>& blocks, std::size_t right) {
  std::size_t first = blocks.size();
  for (std::size_t i = right + 1; i < blocks.size(); ++i) {
    const std::uint64_t place = blocks[i - 1].place + blocks[i - 1].length;
    if (place != blocks[i].place) first = std::min(first, i);
    blocks[i].place = place;
  }
  return first;
}

}  // namespace

std::span<const std::uint32_t> ReplicateDraws::next() {
  used(draw_below(bits_, bound_, std::span(drawn_), NoSink{}));
  return drawn_;
}

std::span<const std::uint32_t> ReplicateDraws::next(const TallySink& tally) {
  used(draw_below(bits_, bound_, std::span(drawn_), tally));
  return drawn_;
}

void ReplicateDraws::used(std::size_t rejected) {
  place_ += least_halves(1) + rejected;
}

void ReplicateDraws::skip(std::uint64_t halves) {
  bits_.skip32(halves);
  place_ += halves;
}

std::uint64_t ReplicateDraws::least_halves(std::size_t replicates) const {
  return bound_ > 1 ? std::uint64_t{replicates} * drawn_.size() : 0;
}

double ReplicateDraws::expected_rejections(std::size_t replicates) const {
  if (bound_ <= 1) return 0;
  return static_cast<double>(least_halves(replicates)) * Scale(bound_).threshold * 0x1p-32;
}

void draw_in_blocks(const ReplicateDraws& draws, std::size_t replicates, const Executor& executor,
                    const BlockTask& task) {
  const std::uint64_t wanted = draws.least_halves(replicates) / draws_per_block;
  const auto most = static_cast<std::uint64_t>(std::min(replicates, most_blocks));
  const std::uint64_t count = executor ? std::clamp<std::uint64_t>(wanted, 1, most) : 1;
  std::vector<Block> blocks = even_blocks(draws, replicates, static_cast<std::size_t>(count));
  const auto draw_from = [&](std::size_t first, const BlockTask& each) {
    run_tasks(executor, blocks.size() - first, [&](std::size_t i) {
      Block& block = blocks[first + i];
      ReplicateDraws own = draws;
      own.skip(block.place);
      each(block.first, block.last, own);
      block.length = own.place() - draws.place() - block.place;
    });
  };
  if (count > 1 && draws.expected_rejections(replicates) > 0.5) {
    draw_from(0, [](std::size_t first, std::size_t last, ReplicateDraws& own) {
      for (std::size_t b = first; b < last; ++b) own.next();
    });
    moved(blocks, 0);
  }
  for (std::size_t first = 0; first < blocks.size(); first = moved(blocks, first))
    draw_from(first, task);
}

Resampler::Resampler(std::size_t size, std::span<const std::size_t> clusters,
                     std::span<const std::uint32_t> seed)
    : size_(size), units_(size), members_(cluster_members(clusters)), bits_(SeedSequence(seed)) {
  if (size == 0 || size >= 0xFFFFFFFFU)
    throw Error(Error::Kind::input, "a bootstrap needs at least one item and fewer than 2^32");
  if (!clusters.empty() && clusters.size() != size)
    throw Error(Error::Kind::input, "a cluster bootstrap needs one cluster for each item");
  if (!clusters.empty()) units_ = members_.size();
}

ReplicateDraws Resampler::draws() const {
  return {bits_, static_cast<std::uint32_t>(units_), units_};
}

std::span<const std::uint32_t> Resampler::items_of(std::span<const std::uint32_t> units,
                                                   std::vector<std::uint32_t>& items) const {
  if (members_.empty()) return units;
  items.clear();
  for (const std::uint32_t unit : units)
    for (const std::size_t item : members_[unit]) items.push_back(static_cast<std::uint32_t>(item));
  return items;
}

std::vector<std::uint32_t> Resampler::all() const {
  std::vector<std::uint32_t> items(size_);
  std::iota(items.begin(), items.end(), 0U);
  return items;
}

std::vector<std::uint32_t> Resampler::without(std::size_t unit) const {
  std::vector<std::uint32_t> items = all();
  if (members_.empty()) {
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(unit));
  } else {
    const auto& left_out = members_[unit];  // ascending
    std::erase_if(items, [&](std::uint32_t item) {
      return std::binary_search(left_out.begin(), left_out.end(), std::size_t{item});
    });
  }
  return items;
}

//
// The sum of one model's scores is a chain in which each addition waits for the one before, and the
// order cannot be changed without changing bits. Sums of different models do not wait for each
// other. With the scores of a case side by side, eight sums take the time of one, and a random case
// costs one cache line instead of eight.

namespace {

using Line = CaseMeans::Line;
constexpr std::size_t per_line = std::tuple_size_v<decltype(Line::score)>;

[[gnu::always_inline]] inline Line line_sum(std::span<const Line> rows,
                                            std::span<const std::uint32_t> indices) {
  Line total;
  for (const std::uint32_t index : indices)
    for (std::size_t k = 0; k < per_line; ++k) total.score[k] += rows[index].score[k];
  return total;
}

Line portable_sum(std::span<const Line> rows, std::span<const std::uint32_t> indices) {
  return line_sum(rows, indices);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Line avx2_sum(std::span<const Line> rows,
                                      std::span<const std::uint32_t> indices) {
  return line_sum(rows, indices);
}
#else
const auto avx2_sum = portable_sum;
#endif

}  // namespace

CaseMeans::CaseMeans(std::span<const std::vector<double>> scores)
    : models_(scores.size()), cases_(scores.empty() ? 0 : scores.front().size()) {
  for (std::size_t m = 0; m < models_; ++m) {
    if (scores[m].size() != cases_)
      throw Error(Error::Kind::input, "the models were not scored on the same cases");
    if (m % per_line == 0) groups_.emplace_back(cases_);
    for (std::size_t i = 0; i < cases_; ++i) groups_.back()[i].score[m % per_line] = scores[m][i];
  }
}

void CaseMeans::operator()(std::span<const std::uint32_t> indices, std::span<double> means) const {
  for (const auto& rows : groups_) {
    const Line total = has_avx2() ? avx2_sum(rows, indices) : portable_sum(rows, indices);
    const std::size_t count = std::min(per_line, means.size());
    for (std::size_t m = 0; m < count; ++m)
      means[m] = total.score[m] / static_cast<double>(indices.size());
    means = means.subspan(count);
  }
}

}  // namespace assay::stats
