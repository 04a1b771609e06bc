// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/repair.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "assay/base/journal.hpp"

namespace assay::fuzz {
namespace {

constexpr std::size_t most_repaired = 1 << 22;

const Bytef* zlib_bytes(Input input) {
  return reinterpret_cast<const Bytef*>(input.data());
}

/// What a stream held, and how many bytes it took, its checksum included; 0: it has no end.
struct Inflated {
  std::vector<Bytef> bytes{};
  std::size_t taken = 0;
};

Inflated inflated(Input input, int wrapping) {
  z_stream stream{};
  stream.next_in = const_cast<Bytef*>(zlib_bytes(input));
  stream.avail_in = static_cast<uInt>(input.size());
  if (inflateInit2(&stream, wrapping) != Z_OK) return {};
  if (wrapping > 0) inflateValidate(&stream, 0);  // takes any checksum
  Inflated out;
  std::array<Bytef, 16384> piece{};
  int status = Z_OK;
  while (status == Z_OK && out.bytes.size() < most_repaired) {
    stream.next_out = piece.data();
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.bytes.insert(out.bytes.end(), piece.begin(), piece.end() - stream.avail_out);
  }
  if (status == Z_STREAM_END) out.taken = stream.total_in;
  inflateEnd(&stream);
  return out;
}

void put_little(std::vector<std::byte>& out, std::size_t at, std::uint32_t number) {
  for (unsigned i = 0; i < 4; ++i) out[at + i] = static_cast<std::byte>(number >> 8 * i);
}

std::size_t little(Input input, std::size_t at, unsigned bytes) {
  std::size_t out = 0;
  for (unsigned i = 0; i < bytes && at + i < input.size(); ++i)
    out |= static_cast<std::size_t>(input[at + i]) << 8 * i;
  return out;
}

std::uint32_t crc_of(std::span<const Bytef> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

/// The right checksum of the entry whose line of the directory is at `at`.
std::uint32_t entry_crc(Input input, std::size_t at) {
  const std::size_t method = little(input, at + 10, 2), size = little(input, at + 20, 4);
  const std::size_t header = little(input, at + 42, 4);
  const std::size_t start =
      header + 30 + little(input, header + 26, 2) + little(input, header + 28, 2);
  if (start > input.size()) return 0;
  const Input packed = input.subspan(start, std::min(size, input.size() - start));
  if (method == 0) return crc_of({zlib_bytes(packed), packed.size()});
  return crc_of(inflated(packed, -MAX_WBITS).bytes);
}

}  // namespace

std::vector<std::byte> with_gzip_checksums(Input input, std::size_t at) {
  std::vector<std::byte> out(input.begin(), input.end());
  for (; at + 2 <= out.size() && little(out, at, 2) == 0x8b1f;) {
    const Inflated member = inflated(Input(out).subspan(at), 16 + MAX_WBITS);
    if (member.taken == 0) break;
    at += member.taken;
    put_little(out, at - 8, crc_of(member.bytes));
    put_little(out, at - 4, static_cast<std::uint32_t>(member.bytes.size()));
  }
  return out;
}

std::vector<std::byte> with_zlib_checksum(Input input, std::size_t at) {
  std::vector<std::byte> out(input.begin(), input.end());
  if (at >= out.size()) return out;
  const Inflated stream = inflated(Input(out).subspan(at), MAX_WBITS);
  if (stream.taken == 0) return out;
  const auto sum = static_cast<std::uint32_t>(
      adler32_z(adler32_z(0, nullptr, 0), stream.bytes.data(), stream.bytes.size()));
  put_little(out, at + stream.taken - 4, __builtin_bswap32(sum));
  return out;
}

std::vector<std::byte> with_zip_checksums(Input input) {
  constexpr std::size_t entry_mark = 0x02014b50, entry_size = 46;
  std::vector<std::byte> out(input.begin(), input.end());
  for (std::size_t at = 0; at + entry_size <= out.size(); ++at)
    if (little(out, at, 4) == entry_mark) put_little(out, at + 16, entry_crc(out, at));
  return out;
}

std::string with_journal_checksums(std::string_view text) {
  constexpr std::size_t digits = 8, between = std::string_view(R"(", "record": )").size();
  std::string out(text);
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = std::min(out.find('\n', at), out.size());
    const std::size_t crc = at + journal_line_start.size(), record = crc + digits + between;
    if (record < end && std::string_view(out).substr(at).starts_with(journal_line_start)) {
      std::array<char, 16> hex{};
      const auto* bytes = reinterpret_cast<const Bytef*>(out.data() + record);
      std::snprintf(hex.data(), hex.size(), "%08x", crc_of({bytes, end - 1 - record}));
      out.replace(crc, digits, hex.data());
    }
    at = end + 1;
  }
  return out;
}

}  // namespace assay::fuzz
