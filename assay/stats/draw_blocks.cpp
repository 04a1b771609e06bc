// SPDX-License-Identifier: Apache-2.0
//
// One stream, many cores. A generator of NumPy's kind can leap ahead, so a block of replicates
// could start anywhere, if only one knew where: replicate b begins after b * size draws, but a draw
// may reject a half and take another one (Lemire's method), which moves all that follows.
//
// So each block starts where it should if nothing before it was rejected, and notes how many halves
// it really took. Blocks tile the stream: the first one that does not start where its predecessor
// ended, and all after it, are moved and drawn again. The first block of a round is always right,
// hence the rounds end, and their result is that of one walk from the start.
//
// Up to some hundred thousand items a rejection is rare and a second round with it. Where at least
// one is to be expected, drawing twice costs less than scoring twice: the blocks are first drawn
// without a task, only to learn their lengths. Whether a half is rejected does not depend on the
// block that meets it, so lengths found at a wrong place are nearly right.
#include "assay/stats/draw_blocks.hpp"

#include <algorithm>

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

}  // namespace assay::stats
