// SPDX-License-Identifier: Apache-2.0
#include "assay/image/zarr/zarr_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "assay/error.hpp"

namespace assay::zarr_array_test {

using ::testing::ElementsAre;

std::string described(const std::string& dtype, const std::string& fill,
                      const std::string& more = "") {
  return R"({"zarr_format": 2, "shape": [5, 4], "chunks": [2, 3], "compressor": null, "order": "C",
             "filters": null, "dtype": ")" +
         dtype + R"(", "fill_value": )" + fill + more + "}";
}

TEST(ZarrArray, says_what_the_voxels_are) {
  const ZarrArray array =
      parse_zarr_array(described("|i1", "-2", R"(, "dimension_separator": "/")"));
  EXPECT_THAT(array.shape, ElementsAre(5, 4));
  EXPECT_THAT(array.chunks, ElementsAre(2, 3));
  EXPECT_EQ(array.type, VoxelType::i8);
  EXPECT_EQ(array.separator, '/');
  EXPECT_EQ(array.chunk_size(), 6U);
  EXPECT_THAT(array.fill, ElementsAre(std::byte{0xFE}));
}

TEST(ZarrArray, fill_value_is_stored_as_voxels_are) {
  EXPECT_THAT(parse_zarr_array(described(">u2", "258")).fill,
              ElementsAre(std::byte{1}, std::byte{2}));
  EXPECT_THAT(parse_zarr_array(described("<u2", "258")).fill,
              ElementsAre(std::byte{2}, std::byte{1}));
  EXPECT_THAT(parse_zarr_array(described("|b1", "true")).fill, ElementsAre(std::byte{1}));
  EXPECT_EQ(parse_zarr_array(described("<f4", "\"NaN\"")).fill.size(), 4U);
  for (const char* wrong : {"256", "-1", "0.5", "\"x\"", "[]"})
    EXPECT_THROW(parse_zarr_array(described("|u1", wrong)), Error) << wrong;
}

TEST(ZarrArray, refuses_what_it_cannot_read) {
  for (const char* type : {"", "u1", "|O", "<U3", "<c8", "<u16", "=u2"})
    EXPECT_THROW(parse_zarr_array(described(type, "0")), Error) << type;
  EXPECT_THROW(parse_zarr_array("{}"), Error);
  EXPECT_THROW(parse_zarr_array("not JSON"), Error);
}

TEST(ZarrMultiscale, levels_and_units) {
  const auto image = parse_multiscale(R"({"multiscales": [{
      "axes": [{"name": "y", "unit": "micrometer"}, {"name": "x", "unit": "millimeter"}],
      "coordinateTransformations": [{"type": "scale", "scale": [2, 3]}],
      "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [5, 7]}]},
                   {"path": "small"}]}]})");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->axes[0].unit_mm, 1e-3);
  EXPECT_EQ(image->axes[1].unit_mm, 1);
  EXPECT_THAT(image->levels[0].scale, ElementsAre(10, 21));
  EXPECT_EQ(image->levels[1].path, "small");
  EXPECT_THAT(image->levels[1].scale, ElementsAre(2, 3));
  EXPECT_FALSE(parse_multiscale("{}"));
}

TEST(ZarrChunk, must_have_the_size_that_is_stated) {
  const std::array<std::byte, 3> chunk = {std::byte{1}, std::byte{2}, std::byte{3}};
  std::array<std::byte, 3> room{};
  decode_chunk(ChunkPacking::none, chunk, room);
  EXPECT_EQ(room, chunk);
  std::array<std::byte, 4> larger{};
  for (const ChunkPacking packing : {ChunkPacking::none, ChunkPacking::zlib, ChunkPacking::gzip,
                                     ChunkPacking::zstd, ChunkPacking::blosc})
    EXPECT_THROW(decode_chunk(packing, chunk, larger), Error);
}

}  // namespace assay::zarr_array_test
