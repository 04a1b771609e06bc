// SPDX-License-Identifier: Apache-2.0
#include "assay/base/gzip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "assay/base/crc32.hpp"
#include "assay/base/test_files.hpp"

namespace assay::gzip_test {

using test::bytes_of;
using test::FileBytes;
using test::refusal;
using ::testing::HasSubstr;

FileBytes joined(std::initializer_list<FileBytes> parts) {
  FileBytes all;
  for (const FileBytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

FileBytes packed(std::string_view text) {
  return deflate_gzip(std::as_bytes(std::span(text)));
}

std::string unpacked(const FileBytes& gzip, std::size_t size) {
  FileBytes out(size);
  inflate_gzip(gzip, out);
  return {reinterpret_cast<const char*>(out.data()), size};
}

TEST(Gzip, round_trips) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(300000, 'q')})
    EXPECT_EQ(unpacked(packed(text), text.size()), text);
}

TEST(Gzip, output_is_the_same_every_time) {
  EXPECT_EQ(packed("the same bytes"), packed("the same bytes"));
}

TEST(Gzip, all_members_are_read_and_padding_is_ignored) {
  const auto gzip = joined({packed("ab"), packed(""), packed("cd"), FileBytes(512)});
  EXPECT_EQ(unpacked(gzip, 4), "abcd");
}

TEST(Gzip, prefix_crosses_members_and_stops_at_the_limit) {
  FileBytes gzip;
  for (const char letter : std::string("abcdefgh")) {
    const FileBytes one = packed(std::string(1, letter));
    gzip.insert(gzip.end(), one.begin(), one.end());
  }
  EXPECT_EQ(inflate_prefix(gzip, 5), bytes_of("abcde"));
  EXPECT_EQ(inflate_prefix(gzip, 100), bytes_of("abcdefgh"));
  EXPECT_TRUE(inflate_prefix(bytes_of("no gzip"), 100).empty());
}

TEST(Gzip, prefix_of_a_damaged_file_is_what_could_be_read) {
  FileBytes gzip = packed(std::string(1000, 'x') + "the end");
  gzip.resize(gzip.size() - 12);
  EXPECT_EQ(inflate_prefix(gzip, 10), bytes_of("xxxxxxxxxx"));
}

TEST(Gzip, damage_is_named) {
  const FileBytes good = packed("some text that is long enough to be cut");
  FileBytes wrong_checksum = good, wrong_length = good, cut = good, garbage = good;
  wrong_checksum[good.size() - 8] ^= std::byte{1};
  wrong_length[good.size() - 4] ^= std::byte{1};
  cut.resize(good.size() / 2);
  garbage.push_back(std::byte{'!'});
  struct Case {
    FileBytes gzip;
    std::size_t room;
    std::string sentence;
  };
  for (const Case& c :
       {Case{wrong_checksum, 39, "damaged: their checksum does not match; copy or download"},
        Case{wrong_length, 39, "damaged: their checksum does not match; copy or download"},
        Case{cut, 39, "the compressed data are cut short; copy or download"},
        Case{garbage, 39, "1 bytes after the compressed data are not compressed data"},
        Case{good, 38, "hold more than the 38 bytes that the header states"},
        Case{good, 40, "hold only 39 of the 40 bytes that the header states"},
        Case{joined({good, good}), 39, "hold more than the 39 bytes"},
        Case{bytes_of("\x1f\x8b"), 39, "the compressed data are cut short"},
        Case{bytes_of("text"), 39, "the compressed data are damaged"},
        Case{{}, 39, "the compressed data are cut short"}})
    EXPECT_THAT(refusal([&] { unpacked(c.gzip, c.room); }), HasSubstr(c.sentence));
}

TEST(Gzip, a_checksum_of_the_header_is_checked) {
  const FileBytes plain = packed("voxels");
  FileBytes head(plain.begin(), plain.begin() + 10);
  head[3] = std::byte{2};
  const std::uint32_t sum = crc32(head);
  const FileBytes rest(plain.begin() + 10, plain.end());
  const auto with = [&](std::uint32_t checksum) {
    return joined({head, {std::byte(checksum & 0xff), std::byte(checksum >> 8 & 0xff)}, rest});
  };
  EXPECT_EQ(unpacked(with(sum), 6), "voxels");
  EXPECT_EQ(unpacked(joined({plain, with(sum)}), 12), "voxelsvoxels");
  for (const FileBytes& wrong : {with(sum + 1), joined({plain, with(sum ^ 0x8000)})})
    EXPECT_THAT(refusal([&] { unpacked(wrong, wrong.size() < 40 ? 6 : 12); }),
                HasSubstr("damaged: their checksum does not match"));
}

TEST(Gzip, nothing_is_written_behind_the_room) {
  FileBytes out(100, std::byte{7});
  const FileBytes gzip = packed(std::string(90, 'x'));
  EXPECT_NE(refusal([&] { inflate_gzip(gzip, std::span(out).first(50)); }), "");
  EXPECT_EQ(FileBytes(out.begin() + 50, out.end()), FileBytes(50, std::byte{7}));
}

TEST(Gzip, zlib_round_trips_and_is_checked) {
  const FileBytes text = bytes_of("voxels voxels voxels");
  FileBytes zlib = deflate_zlib(text), out(text.size());
  inflate_zlib(zlib, out);
  EXPECT_EQ(out, text);
  zlib.back() ^= std::byte{1};
  EXPECT_THAT(refusal([&] { inflate_zlib(zlib, out); }), HasSubstr("checksum"));
  zlib.resize(6);
  EXPECT_THAT(refusal([&] { inflate_zlib(zlib, out); }), HasSubstr("cut short"));
}

TEST(Gzip, bound_holds_for_the_most_compressible_data) {
  const FileBytes zeros(std::size_t{1} << 24);
  const auto gzip = deflate_gzip(zeros, 12);
  EXPECT_GE(inflated_size_bound(gzip.size()), zeros.size());
  EXPECT_EQ(inflated_size_bound(std::numeric_limits<std::size_t>::max()),
            std::numeric_limits<std::size_t>::max());
}

}  // namespace assay::gzip_test
