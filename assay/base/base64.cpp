// SPDX-License-Identifier: Apache-2.0
#include "assay/base/base64.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace assay {
namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using Pair = std::array<char, 2>;

/// Encodes twelve bits at a time: two look-ups for three bytes, in a table that fits the L1 cache.
constexpr std::array<Pair, 4096> pairs = [] {
  std::array<Pair, 4096> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {letters[i >> 6], letters[i & 63]};
  return out;
}();

std::uint32_t three_bytes(const unsigned char* at) {
  return std::uint32_t{at[0]} << 16 | std::uint32_t{at[1]} << 8 | at[2];
}

}  // namespace

char* write_base64(std::string_view bytes, char* to) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / 3;
  for (std::size_t i = 0; i < whole; ++i, at += 3, to += 4) {
    const std::uint32_t bits = three_bytes(at);
    std::memcpy(to, pairs[bits >> 12].data(), 2);
    std::memcpy(to + 2, pairs[bits & 4095].data(), 2);
  }
  const std::size_t rest = bytes.size() - whole * 3;
  if (rest == 0) return to;
  std::array<unsigned char, 3> last{};
  std::memcpy(last.data(), at, rest);
  const std::uint32_t bits = three_bytes(last.data());
  std::memcpy(to, pairs[bits >> 12].data(), 2);
  to[2] = rest == 2 ? pairs[bits & 4095][0] : '=';
  to[3] = '=';
  return to + 4;
}

std::string base64(std::string_view bytes) {
  std::string out(base64_size(bytes.size()), '\0');
  write_base64(bytes, out.data());
  return out;
}

}  // namespace assay
