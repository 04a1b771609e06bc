// SPDX-License-Identifier: Apache-2.0
#include "assay/image/png.hpp"

#include <zlib.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/base/gzip.hpp"

namespace assay {
namespace {

void append_big_endian(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xFFU);
}

void append_chunk(std::string& out, std::string_view type, std::string_view data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.append(type).append(data);
  const auto* bytes = reinterpret_cast<const Bytef*>(out.data() + start);
  append_big_endian(
      out, static_cast<std::uint32_t>(::crc32(0, bytes, static_cast<uInt>(out.size() - start))));
}

std::string header_of(const Picture& picture) {
  constexpr std::string_view rgb_of_8_bits("\x08\x02\x00\x00\x00", 5);
  std::string out;
  append_big_endian(out, static_cast<std::uint32_t>(picture.width));
  append_big_endian(out, static_cast<std::uint32_t>(picture.height));
  return out.append(rgb_of_8_bits);
}

/// Each row after the byte 0: no filter.
std::vector<std::byte> rows_of(const Picture& picture) {
  std::vector<std::byte> out;
  out.reserve((picture.width * 3 + 1) * picture.height);
  for (std::size_t y = 0; y < picture.height; ++y) {
    out.push_back(std::byte{0});
    const auto row = std::as_bytes(std::span(picture.at(0, y), picture.width * 3));
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

}  // namespace

std::string png(const Picture& picture) {
  constexpr int best = 9;
  const std::vector<std::byte> data = deflate_zlib(rows_of(picture), best);
  std::string out = "\x89PNG\r\n\x1A\n";
  append_chunk(out, "IHDR", header_of(picture));
  append_chunk(out, "IDAT", {reinterpret_cast<const char*>(data.data()), data.size()});
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace assay
