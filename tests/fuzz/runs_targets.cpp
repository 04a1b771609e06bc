// SPDX-License-Identifier: Apache-2.0
/// Compressed voxels read as runs: the bytes that zlib gives, or both refuse.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "assay/base/gzip.hpp"
#include "assay/image/runs/inflate_runs.hpp"
#include "tests/fuzz/repair.hpp"
#include "tests/fuzz/targets.hpp"

namespace assay::fuzz {
namespace {

constexpr std::size_t most_bytes = 1 << 20;

/// What zlib makes of a stream. `size` is also known where it refuses the rest.
struct Expected {
  std::optional<std::vector<std::byte>> bytes{};
  std::size_t size = 0;
};

Expected by_zlib(Input input, DeflateWrapper wrapper) {
  constexpr std::array<int, 3> window_bits = {31, 15, -15};
  static std::vector<std::byte> room(most_bytes);
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = static_cast<uInt>(room.size());
  if (inflateInit2(&stream, window_bits[static_cast<std::size_t>(wrapper)]) != Z_OK) return {};
  int status = inflate(&stream, Z_FINISH);
  while (status == Z_STREAM_END && wrapper == DeflateWrapper::gzip &&
         is_gzip({reinterpret_cast<const std::byte*>(stream.next_in), stream.avail_in})) {
    inflateReset(&stream);
    status = inflate(&stream, Z_FINISH);
  }
  const bool is_padded =
      std::all_of(stream.next_in, stream.next_in + stream.avail_in, [](Bytef b) { return b == 0; });
  Expected out = {.size = room.size() - stream.avail_out};
  inflateEnd(&stream);
  if (status == Z_STREAM_END && is_padded)
    out.bytes.emplace(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(out.size));
  return out;
}

/// The first byte of an input: how the rest is wrapped, and what its voxels are.
struct Settings {
  DeflateWrapper wrapper;
  std::size_t width, offset, surplus;

  explicit Settings(std::byte byte)
      : wrapper(static_cast<DeflateWrapper>(std::to_integer<unsigned>(byte) % 3)),
        width(std::size_t{1} << (std::to_integer<unsigned>(byte) >> 2 & 3)),
        offset((std::to_integer<unsigned>(byte) >> 4 & 3) * 117),
        surplus(std::to_integer<unsigned>(byte) >> 6 == 3 ? 1 : 0) {}
};

void like_zlib(Input input, const Settings& settings) {
  const Expected expected = by_zlib(input, settings.wrapper);
  std::size_t offset = std::min(expected.size, settings.offset);
  offset += (expected.size - offset) % settings.width;
  const PackedVoxels packed = {
      .bytes = input,
      .wrapper = settings.wrapper,
      .offset = offset,
      .count = (expected.size - offset) / settings.width + settings.surplus,
      .width = settings.width};
  VoxelRuns found;
  std::vector<std::byte> room(packed.size()), voxels(packed.size() - offset);
  const InflatedTo way = inflate_runs(packed, found, [&] { return std::span(room); });
  require(found.runs.size() <= std::max(packed.count, most_runs_in_a_block));
  if (way == InflatedTo::nothing)
    return require(!expected.bytes || settings.surplus != 0 || packed.count > most_runs_in_a_block);
  require(settings.surplus == 0);
  if (way == InflatedTo::runs) expand_runs(found, settings.width, voxels);
  const Input bytes = way == InflatedTo::runs ? Input(voxels) : Input(room).subspan(offset);
  require(expected.bytes && std::ranges::equal(bytes, Input(*expected.bytes).subspan(offset)));
}

void runs(Input input) {
  if (input.empty()) return;
  const Settings settings(input.front());
  const Input stream = input.subspan(1);
  const auto repaired = settings.wrapper == DeflateWrapper::zlib ? with_zlib_checksum(stream, 0)
                                                                 : with_gzip_checksums(stream);
  run_both(stream, repaired, [&](Input bytes) { like_zlib(bytes, settings); });
}

constexpr std::array runs_list = {Target{"fuzz_runs", runs}};

}  // namespace

std::span<const Target> runs_targets() {
  return runs_list;
}

}  // namespace assay::fuzz
