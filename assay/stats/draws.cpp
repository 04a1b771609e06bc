// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/draws.hpp"

namespace assay::stats {

namespace {

/// Both halves of each word, scaled. A test after the loop is cheaper than one in it.
bool scaled(std::span<const std::uint64_t> words, const Scale& scale,
            std::span<std::uint32_t> indices) {
  std::uint32_t least = 0xFFFFFFFFU;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t first = scale.product(static_cast<std::uint32_t>(words[i]));
    const std::uint64_t second = scale.product(static_cast<std::uint32_t>(words[i] >> 32));
    indices[2 * i] = static_cast<std::uint32_t>(first >> 32);
    indices[2 * i + 1] = static_cast<std::uint32_t>(second >> 32);
    least =
        std::min({least, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
  }
  return least >= scale.threshold;
}

}  // namespace

std::size_t draw_singly(Pcg64& bits, const Scale& scale, std::span<std::uint32_t> indices) {
  std::size_t rejected = 0;
  for (std::uint32_t& index : indices) {
    std::uint64_t product = scale.product(bits.next32());
    for (; scale.rejects(product); ++rejected) product = scale.product(bits.next32());
    index = static_cast<std::uint32_t>(product >> 32);
  }
  return rejected;
}

bool draw_pairs(Pcg64& bits, const Scale& scale, std::span<std::uint32_t> indices) {
  std::array<std::uint64_t, 256> buffer;  // NOLINT(*-member-init): filled before it is read
  bool usable = true;
  while (!indices.empty()) {
    const auto words = std::span(buffer).first(std::min(buffer.size(), indices.size() / 2));
    bits.fill64(words);
    usable &= scaled(words, scale, indices.first(2 * words.size()));
    indices = indices.subspan(2 * words.size());
  }
  return usable;
}

}  // namespace assay::stats
