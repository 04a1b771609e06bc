// SPDX-License-Identifier: Apache-2.0
/// Readers of images, of what they are packed in, and of pictures.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "assay/base/gzip.hpp"
#include "assay/image.hpp"
#include "assay/image/dicom.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/foreign_files.hpp"
#include "assay/image/jpeg.hpp"
#include "assay/image/label_table.hpp"
#include "assay/image/metaimage.hpp"
#include "assay/image/nifti.hpp"
#include "assay/image/nrrd.hpp"
#include "assay/image/zarr/zarr_array.hpp"
#include "tests/fuzz/repair.hpp"
#include "tests/fuzz/targets.hpp"

namespace assay::fuzz {
namespace {

/// Every way from an image to voxels.
void look_at(const Image& image) {
  Buffer scratch, other;
  std::vector<Label> names;
  allow_refusal([&] { foreground(image, std::nullopt, scratch); });
  allow_refusal([&] { foreground(image, 0.5, scratch); });
  allow_refusal([&] { labels(image, scratch, names); });
  if (values(image).size() != image.grid().size() * image.header().channels) std::abort();
  map_kind(image);
  allow_refusal([&] {
    likeliest_labels(image, scratch, names);
    at_least(probability_of(image, {}, scratch), 0.5, other);
  });
}

/// Where the data begin that follow `mark`; the end when it does not occur.
std::size_t after(Input input, std::string_view mark) {
  const std::size_t at = as_text(input).find(mark);
  return at == std::string_view::npos ? input.size() : at + mark.size();
}

void nifti(Input input) {
  run_both(input, with_gzip_checksums(input), [](Input bytes) {
    allow_refusal([&] { look_at(decode_image(bytes, "fuzz.nii", Volumes::classes)); });
    if (is_nifti(bytes)) allow_refusal([&] { nifti_layout(bytes, "fuzz.hdr"); });
  });
}

void metaimage(Input input) {
  run_both(input, with_zlib_checksum(input, after(input, "LOCAL\n")), [](Input bytes) {
    allow_refusal([&] { look_at(decode_image(bytes, "fuzz.mha", Volumes::classes)); });
    if (is_metaimage(bytes)) allow_refusal([&] { metaimage_layout(bytes, "fuzz.mhd"); });
  });
}

void nrrd(Input input) {
  run_both(input, with_gzip_checksums(input, after(input, "\n\n")), [](Input bytes) {
    allow_refusal([&] { look_at(decode_image(bytes, "fuzz.nrrd", Volumes::classes)); });
    if (is_nrrd(bytes)) allow_refusal([&] { nrrd_layout(bytes, "fuzz.nhdr"); });
  });
}

void npy(Input input) {
  run_both(input, with_zip_checksums(input), [](Input bytes) {
    allow_refusal([&] { look_at(decode_image(bytes, "fuzz.npz", Volumes::classes)); });
  });
}

constexpr std::size_t most_inflated = 1 << 20;

/// What zlib makes of a whole gzip file; nothing when it refuses it, or it holds too much.
std::optional<std::vector<std::byte>> inflated_by_zlib(Input input) {
  std::vector<std::byte> out(most_inflated);
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return std::nullopt;
  int status = inflate(&stream, Z_FINISH);
  while (status == Z_STREAM_END &&
         is_gzip({reinterpret_cast<const std::byte*>(stream.next_in), stream.avail_in})) {
    inflateReset(&stream);
    status = inflate(&stream, Z_FINISH);
  }
  const bool is_padded = std::all_of(stream.next_in, stream.next_in + stream.avail_in,
                                     [](Bytef byte) { return byte == 0; });
  const auto filled = stream.next_out - reinterpret_cast<Bytef*>(out.data());
  inflateEnd(&stream);
  if (status != Z_STREAM_END || !is_padded) return std::nullopt;
  return std::vector(out.begin(), out.begin() + filled);
}

/// libdeflate and zlib give the same bytes, or both refuse. `prefix` is what could be read.
void gzip_like_zlib(Input input) {
  const auto expected = inflated_by_zlib(input);
  const auto prefix = inflate_prefix(input, most_inflated);
  std::vector<std::byte> out(expected ? expected->size() : prefix.size());
  try {
    inflate_gzip(input, out);
    require(out == prefix && expected && out == *expected);
  } catch (const Error&) {
    require(!expected);
  }
  allow_refusal([&] { inflate_zlib(input, out); });
  allow_refusal([&] { inflate_deflate(input, out); });
}

void gzip(Input input) {
  run_both(input, with_gzip_checksums(input), gzip_like_zlib);
}

void dicom(Input input) {
  const auto series = dicom_series(input);
  require(!series || series->size() < input.size());
  foreign_kind(input);
}

/// Spans ascend and lie within their grid; a label map is made of them or refused. Other objects
/// are images or refused.
void dicom_objects(Input input) {
  Buffer copy;
  std::ranges::copy(input, copy.resize(input.size()).begin());
  allow_refusal([&] {
    if (!is_structure_class(dicom_class(input).value_or(""))) {
      look_at(decode_dicom(std::move(copy), "x.dcm"));
      return;
    }
    const StructureSet set = parse_structures(
        std::move(copy),
        {.threshold = 0.5, .target = Grid{.shape = {16, 16, 4}}, .gaps = ContourGaps::interpolate});
    for (const Structure& each : set.structures)
      for (std::size_t i = 0; i < each.voxels.size(); ++i)
        require(each.voxels[i].first < each.voxels[i].end &&
                each.voxels[i].end <= set.grid.size() &&
                (i == 0 || each.voxels[i - 1].end < each.voxels[i].first));
    constexpr std::size_t enough = 1 << 24;
    if (set.grid.size() < enough) look_at(label_map_of(set, {}));
  });
}

/// A picture has as many bytes as its sides say, and can be written again.
void jpeg(Input input) {
  allow_refusal([&] {
    const Picture picture = parse_jpeg(as_text(input), "fuzz.jpg");
    require(picture.rgb.size() == picture.width * picture.height * 3);
    jpeg_bytes(picture);
  });
}

/// Colours that the seeds have.
const PictureRules& seed_colors() {
  static const PictureRules rules = {.colors = {{0, "", Color{}}, {1, "", Color{1, 2, 3}}},
                                     .size_mm = Point{1, 1, 1}};
  return rules;
}

void picture(Input bytes) {
  allow_refusal([&] { look_at(decode_image(bytes, "fuzz.png", Volumes::classes)); });
  allow_refusal([&] { look_at(decode_image(bytes, "fuzz.png", Volumes::classes, seed_colors())); });
}

/// A .zarray, a zero byte, and a chunk of that array; or a .zattrs.
void zarr(Input input) {
  const auto zero = std::ranges::find(input, std::byte{});
  const Input text(input.begin(), zero), chunk(zero == input.end() ? zero : zero + 1, input.end());
  allow_refusal([&] { parse_multiscale(as_text(text)); });
  allow_refusal([&] {
    const ZarrArray array = parse_zarr_array(as_text(text));
    require(array.fill.size() == bytes_per_voxel(array.type));
    if (array.chunk_size() > most_inflated) return;
    std::vector<std::byte> out(array.chunk_size());
    decode_chunk(array.packing, chunk, out);
  });
}

void label_table(Input input) {
  allow_refusal([&] { require(!parse_label_table(as_text(input), "fuzz").empty()); });
  segments_in(as_text(input));
}

constexpr std::array image_list = {
    Target{"fuzz_nifti", nifti}, Target{"fuzz_metaimage", metaimage},
    Target{"fuzz_nrrd", nrrd},   Target{"fuzz_npy", npy},
    Target{"fuzz_gzip", gzip},   Target{"fuzz_dicom", dicom},
    Target{"fuzz_jpeg", jpeg},   Target{"fuzz_dicom_objects", dicom_objects},
    Target{"fuzz_png", picture}, Target{"fuzz_tiff", picture},
    Target{"fuzz_zarr", zarr},   Target{"fuzz_label_table", label_table}};

}  // namespace

std::span<const Target> image_targets() {
  return image_list;
}

}  // namespace assay::fuzz
