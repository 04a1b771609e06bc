// SPDX-License-Identifier: Apache-2.0
#include "assay/image/runs/inflate_runs.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "assay/base/crc32.hpp"
#include "assay/base/gzip.hpp"

namespace assay::inflate_runs_test {

using Bytes = std::vector<std::byte>;

constexpr std::array<int, 3> window_bits = {31, 15, -15};  // by DeflateWrapper, as zlib wants it

int window_of(DeflateWrapper wrapper) {
  return window_bits[static_cast<std::size_t>(wrapper)];
}

struct Packer {
  int level = 6;
  int strategy = Z_DEFAULT_STRATEGY;
  std::size_t flush_at = 0;  ///< a full flush, which leaves a stored block; 0: none
};

Bytes packed_by_zlib(const Bytes& bytes, DeflateWrapper wrapper, const Packer& how = {}) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, how.level, Z_DEFLATED, window_of(wrapper), 8, how.strategy),
            Z_OK);
  Bytes out(deflateBound(&stream, bytes.size()) + 64);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (how.flush_at != 0) {
    stream.avail_in = static_cast<uInt>(how.flush_at);
    EXPECT_EQ(deflate(&stream, Z_FULL_FLUSH), Z_OK);
  }
  stream.avail_in = static_cast<uInt>(bytes.size() - how.flush_at);
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Bytes packed_by_libdeflate(const Bytes& bytes, int level) {
  return deflate_gzip(bytes, level);
}

/// What zlib makes of all members of the data; nothing when it refuses, or when there is less than
/// stated.
std::optional<Bytes> zlib_says(const Bytes& in, DeflateWrapper wrapper, std::size_t size) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, window_of(wrapper)), Z_OK);
  Bytes out(size + 1);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  int status = Z_OK;
  while (status == Z_OK) {
    status = inflate(&stream, Z_NO_FLUSH);
    const bool goes_on = status == Z_STREAM_END && wrapper == DeflateWrapper::gzip &&
                         stream.avail_in >= 2 && stream.next_in[0] == 0x1f &&
                         stream.next_in[1] == 0x8b;
    if (goes_on) status = inflateReset(&stream);
  }
  const bool is_padded =
      std::all_of(stream.next_in, stream.next_in + stream.avail_in, [](Bytef b) { return b == 0; });
  const bool is_full = stream.avail_out == 1;
  inflateEnd(&stream);
  if (status != Z_STREAM_END || !is_padded || !is_full) return std::nullopt;
  out.resize(size);
  return out;
}

/// The voxels that we read; nothing when we refuse.
std::optional<Bytes> ours(const PackedVoxels& packed, InflatedTo* way = nullptr) {
  VoxelRuns runs;
  Bytes room;
  const InflatedTo found = inflate_runs(packed, runs, [&] {
    room.assign(packed.size(), std::byte{0xee});
    return std::span(room);
  });
  if (way != nullptr) *way = found;
  if (found == InflatedTo::nothing) return std::nullopt;
  if (found == InflatedTo::bytes)
    return Bytes(room.begin() + static_cast<std::ptrdiff_t>(packed.offset), room.end());
  std::size_t end = 0;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    EXPECT_GT(runs.runs[i].end, end) << "an empty run";
    EXPECT_TRUE(i == 0 || runs.runs[i].code != runs.runs[i - 1].code) << "neighbours are equal";
    end = runs.runs[i].end;
  }
  EXPECT_EQ(end, packed.count);
  Bytes out(packed.count * packed.width);
  expand_runs(runs, packed.width, out);
  return out;
}

/// Voxels in runs of the given lengths, after some bytes of a header.
struct Content {
  Bytes bytes;
  std::size_t offset = 0, count = 0, width = 1;

  PackedVoxels packed(const Bytes& in, DeflateWrapper wrapper) const {
    return {.bytes = in, .wrapper = wrapper, .offset = offset, .count = count, .width = width};
  }
  Bytes voxels() const {
    return {bytes.begin() + static_cast<std::ptrdiff_t>(offset), bytes.end()};
  }
};

enum class Look { constant, long_runs, rows, short_runs, noise, floats };
constexpr std::array looks = {Look::constant,   Look::long_runs, Look::rows,
                              Look::short_runs, Look::noise,     Look::floats};

Content content(Look look, std::size_t width, std::size_t count, std::mt19937_64& random) {
  Content out = {
      .bytes = {}, .offset = random() % 3 == 0 ? 0U : 352U, .count = count, .width = width};
  out.bytes.resize(out.offset + count * width);
  for (std::size_t i = 0; i < out.offset; ++i) out.bytes[i] = static_cast<std::byte>(random());
  for (std::size_t i = 0; i < count;) {
    std::size_t length = count;
    if (look == Look::long_runs) length = 1 + random() % 20000;
    if (look == Look::rows) length = random() % 2 == 0 ? 256 + random() % 3 : 1 + random() % 9;
    if (look == Look::short_runs || look == Look::floats) length = 1 + random() % 300;
    if (look == Look::noise) length = 1 + random() % 3;
    std::uint64_t value = look == Look::noise ? random() : random() % 4;
    if (look == Look::floats) value = random() % 2 == 0 ? 0 : 0x3f8000003f800000;
    for (; length > 0 && i < count; --length, ++i)
      std::memcpy(&out.bytes[out.offset + i * width], &value, width);
  }
  return out;
}

TEST(InflateRuns, reads_what_every_packer_writes) {
  std::mt19937_64 random(1);
  for (const Look look : looks)
    for (const std::size_t width : {1U, 2U, 4U, 8U}) {
      const Content made = content(look, width, 30000 + random() % 1000, random);
      std::vector<std::pair<Bytes, DeflateWrapper>> files;
      for (const auto wrapper : {DeflateWrapper::gzip, DeflateWrapper::zlib, DeflateWrapper::none})
        for (int level = 0; level <= 9; ++level)
          for (const int strategy : {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED})
            files.emplace_back(packed_by_zlib(made.bytes, wrapper, {level, strategy}), wrapper);
      for (int level = 0; level <= 12; ++level)
        files.emplace_back(packed_by_libdeflate(made.bytes, level), DeflateWrapper::gzip);
      for (const auto& [bytes, wrapper] : files)
        ASSERT_EQ(ours(made.packed(bytes, wrapper)), made.voxels())
            << static_cast<int>(look) << " of " << width << " bytes";
    }
}

TEST(InflateRuns, masks_become_few_runs) {
  std::mt19937_64 random(2);
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    const Content made = content(Look::constant, width, 1000000, random);
    const Bytes in = packed_by_zlib(made.bytes, DeflateWrapper::gzip);
    VoxelRuns runs;
    ASSERT_EQ(inflate_runs(made.packed(in, DeflateWrapper::gzip), runs,
                           [] { return std::span<std::byte>(); }),
              InflatedTo::runs);
    EXPECT_EQ(runs.runs, (std::vector<assay::Run>{{1000000, 0}}));
    EXPECT_EQ(runs.values.size(), 1U);
  }
}

TEST(InflateRuns, members_may_end_within_a_voxel) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const Content made = content(looks[random() % looks.size()], std::size_t{1} << random() % 4,
                                 random() % 9000, random);
    Bytes in;
    for (std::size_t first = 0; first < made.bytes.size() || in.empty();) {
      const std::size_t end = std::min(made.bytes.size(), first + random() % 40000);
      const Bytes part(made.bytes.begin() + static_cast<std::ptrdiff_t>(first),
                       made.bytes.begin() + static_cast<std::ptrdiff_t>(end));
      const Bytes more = packed_by_zlib(part, DeflateWrapper::gzip);
      in.insert(in.end(), more.begin(), more.end());
      first = end;
    }
    in.resize(in.size() + random() % 3 * 100);  // padding
    ASSERT_EQ(ours(made.packed(in, DeflateWrapper::gzip)), made.voxels()) << trial;
  }
}

TEST(InflateRuns, reads_every_field_of_a_gzip_header) {
  std::mt19937_64 random(4);
  const Content made = content(Look::rows, 1, 5000, random);
  const Bytes bare = packed_by_zlib(made.bytes, DeflateWrapper::none);
  const Bytes plain = packed_by_zlib(made.bytes, DeflateWrapper::gzip);
  for (unsigned flags = 0; flags < 32; flags += 2) {
    std::string head = {'\x1f', '\x8b', '\x08', static_cast<char>(flags), 1, 2, 3, 4, 0, 3};
    if ((flags & 4) != 0) head += std::string("\x03\x00", 2) + "abc";
    if ((flags & 8) != 0) head += std::string("name.nii") + '\0';
    if ((flags & 16) != 0) head += std::string("a comment") + '\0';
    const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
    if ((flags & 2) != 0) head += {static_cast<char>(sum), static_cast<char>(sum >> 8)};
    Bytes in(head.size());
    std::memcpy(in.data(), head.data(), head.size());
    in.insert(in.end(), bare.begin(), bare.end());
    in.insert(in.end(), plain.end() - 8, plain.end());
    EXPECT_EQ(ours(made.packed(in, DeflateWrapper::gzip)), made.voxels()) << flags;
    if ((flags & 2) == 0) continue;
    in[4] ^= std::byte{1};
    EXPECT_EQ(ours(made.packed(in, DeflateWrapper::gzip)), std::nullopt) << flags;
  }
}

TEST(InflateRuns, hands_busy_data_over_at_any_bit) {
  std::mt19937_64 random(5);
  int handed_over = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t width = std::size_t{1} << random() % 4;
    const Content made = content(Look::noise, width, 60000, random);
    const auto wrapper = static_cast<DeflateWrapper>(random() % 3);
    const Packer how = {.level = static_cast<int>(1 + random() % 9),
                        .flush_at = random() % 2 == 0 ? 0 : made.bytes.size() - random() % 30000};
    InflatedTo way{};
    const Bytes in = packed_by_zlib(made.bytes, wrapper, how);
    ASSERT_EQ(ours(made.packed(in, wrapper), &way), made.voxels()) << trial;
    handed_over += way == InflatedTo::bytes ? 1 : 0;
  }
  EXPECT_GT(handed_over, 10);
}

TEST(InflateRuns, nothing_comes_of_more_runs_than_are_wanted_without_room) {
  std::mt19937_64 random(9);
  const Content made = content(Look::rows, 1, 3000000, random);
  const Bytes in = packed_by_zlib(made.bytes, DeflateWrapper::gzip);
  PackedVoxels packed = made.packed(in, DeflateWrapper::gzip);
  const auto without_room = [&] {
    VoxelRuns runs;
    return inflate_runs(packed, runs, [] { return std::span<std::byte>(); });
  };
  EXPECT_EQ(without_room(), InflatedTo::runs);
  packed.most_runs = 1000;
  EXPECT_EQ(without_room(), InflatedTo::nothing);
}

TEST(InflateRuns, a_bare_stream_is_held_to_the_checksum_of_its_archive) {
  std::mt19937_64 random(6);
  const Content made = content(Look::rows, 2, 5000, random);
  const Bytes in = packed_by_zlib(made.bytes, DeflateWrapper::none);
  PackedVoxels packed = made.packed(in, DeflateWrapper::none);
  packed.checksum = crc32(made.bytes);
  EXPECT_EQ(ours(packed), made.voxels());
  packed.checksum = *packed.checksum ^ 1;
  EXPECT_EQ(ours(packed), std::nullopt);
}

TEST(InflateRuns, refuses_what_zlib_refuses) {
  std::mt19937_64 random(7);
  int refused = 0, still_good = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Content made = content(looks[random() % looks.size()], std::size_t{1} << random() % 4,
                                 random() % 3000, random);
    const auto wrapper = static_cast<DeflateWrapper>(random() % 3);
    Bytes in = packed_by_zlib(made.bytes, wrapper, {.level = static_cast<int>(random() % 10)});
    for (std::size_t flips = 1 + random() % 3; flips > 0; --flips) {
      const std::size_t at =
          random() % std::min<std::size_t>(in.size(), random() % 2 == 0 ? 60 : in.size());
      if (random() % 8 == 0)
        in.resize(at + 1);
      else
        in[at] ^= static_cast<std::byte>(1U << random() % 8);
    }
    const auto expected = zlib_says(in, wrapper, made.bytes.size());
    const auto found = ours(made.packed(in, wrapper));
    ASSERT_EQ(found.has_value(), expected.has_value()) << trial;
    if (!expected) {
      ++refused;
      continue;
    }
    ++still_good;
    ASSERT_EQ(*found,
              Bytes(expected->begin() + static_cast<std::ptrdiff_t>(made.offset), expected->end()))
        << trial;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(still_good, 100);
}

TEST(InflateRuns, refuses_more_and_less_than_was_stated) {
  std::mt19937_64 random(8);
  for (const Look look : looks) {
    const Content made = content(look, 1, 100000, random);
    const Bytes in = packed_by_zlib(made.bytes, DeflateWrapper::gzip);
    for (const std::size_t count :
         {std::size_t{0}, made.count - 1, made.count + 1, made.count * 2}) {
      PackedVoxels packed = made.packed(in, DeflateWrapper::gzip);
      packed.count = count;
      EXPECT_EQ(ours(packed), std::nullopt) << static_cast<int>(look) << ": " << count;
    }
  }
}

}  // namespace assay::inflate_runs_test
