// SPDX-License-Identifier: Apache-2.0
#include "assay/image.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "assay/base/crc32.hpp"
#include "assay/base/file.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom_series.hpp"
#include "assay/image/foreign_files.hpp"
#include "assay/image/formats.hpp"
#include "assay/image/image_size.hpp"
#include "assay/image/layout.hpp"
#include "assay/image/nifti.hpp"
#include "assay/image/npy.hpp"
#include "assay/image/pictures.hpp"
#include "assay/image/runs/inflate_runs.hpp"
#include "assay/image/tiled.hpp"
#include "assay/image/zarr/zarr_image.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

/// Enough for the header of any format when it is inside a gzip file.
constexpr std::size_t peek_limit = 4096;

Layout layout_of(Bytes file, const fs::path& path) {
  if (file.empty()) throw Error(Error::Kind::input, "is empty (0 bytes); copy it again");
  const std::vector<std::byte> inflated = inflate_prefix(file, peek_limit);
  const Bytes head = is_gzip(file) ? Bytes(inflated) : file;
  if (head.empty())
    throw Error(Error::Kind::input,
                "the compressed data are damaged or cut short; copy or download the file again");
  if (const ImageFormat* format = format_of(head)) return format->layout(head, path);
  const std::string read = joined(image_formats(), ", ", &ImageFormat::name);
  if (const auto foreign = foreign_kind(head))
    throw Error(Error::Kind::unsupported, "is a " + std::string(foreign->name) +
                                              " file, and assay reads " + read + "; " +
                                              std::string(foreign->remedy));
  throw Error(Error::Kind::unsupported,
              "is not a supported image format (judged by its content); assay reads " + read);
}

/// The layout of an image in a file. Only the start of the file is read unless that is not enough.
Layout layout_in(const InputFile& file, const fs::path& path) {
  constexpr std::size_t start = std::size_t{1} << 16;
  try {
    return layout_of(file.read_start(start).bytes(), path);
  } catch (const Error&) {
    if (file.size() <= start) throw;
  }
  return layout_of(file.read_all().bytes(), path);
}

/// Where voxels begin and end in their file, once it is decompressed.
struct Extent {
  std::size_t offset, size;
  std::size_t end() const { return offset + size; }
};

Extent extent_of(const Layout& layout) {
  Extent extent{layout.offset, voxel_bytes(layout.header)};
  if (extent.size > SIZE_MAX - extent.offset)
    throw Error(Error::Kind::input, "its size is impossible; the header is damaged");
  return extent;
}

/// Refuses the header of a decompression bomb, or of nonsense, before a single byte is allocated.
void require_plausible(std::size_t promised, std::size_t compressed) {
  if (promised <= inflated_size_bound(compressed)) return;
  throw Error(Error::Kind::input,
              fmt::format("its header states {} bytes, more than {} compressed bytes can hold; "
                          "the header is wrong or the file is cut short",
                          promised, compressed));
}

PackedVoxels packed_by_gzip(const Layout& layout, Bytes file) {
  const Extent extent = extent_of(layout);
  require_plausible(extent.end(), file.size());
  return {.bytes = file,
          .wrapper = DeflateWrapper::gzip,
          .offset = extent.offset,
          .count = layout.header.grid.size() * layout.header.channels,
          .width = bytes_per_voxel(layout.header.type)};
}

/// By `Packing`.
constexpr std::array unpackers = {inflate_zlib, inflate_gzip, inflate_deflate};
constexpr std::array wrappers = {DeflateWrapper::zlib, DeflateWrapper::gzip, DeflateWrapper::none};

PackedVoxels packed_stream(const Layout& layout, Bytes file) {
  const Extent extent = {layout.skipped, voxel_bytes(layout.header)};
  if (extent.size > SIZE_MAX - extent.offset)
    throw Error(Error::Kind::input, "its size is impossible; the header is damaged");
  Bytes stream = file.subspan(std::min(layout.offset, file.size()));
  if (layout.packed_size) stream = stream.first(std::min(*layout.packed_size, stream.size()));
  require_plausible(extent.end(), stream.size());
  return {.bytes = stream,
          .wrapper = wrappers[static_cast<std::size_t>(*layout.packing)],
          .offset = extent.offset,
          .count = layout.header.grid.size() * layout.header.channels,
          .width = bytes_per_voxel(layout.header.type),
          .checksum = layout.checksum};
}

/// The voxels of a compressed file.
PackedVoxels packed_voxels(const Layout& layout, Bytes file) {
  return layout.packing ? packed_stream(layout, file) : packed_by_gzip(layout, file);
}

/// The voxels as runs, if that is wanted and possible. Nothing also when something is wrong with
/// the data; the ordinary reader then says what.
std::optional<Image> as_runs(const Layout& layout, const PackedVoxels& packed, VoxelReader reader,
                             Buffer& scratch) {
  if (layout.header.channels != 1 || !is_for_runs(packed, reader)) return std::nullopt;
  VoxelRuns runs;
  switch (inflate_runs(packed, runs, [&] { return room_in(scratch, packed.size()); })) {
    case InflatedTo::runs: return Image(layout.header, std::move(runs), std::move(scratch));
    case InflatedTo::bytes: return Image(layout.header, std::move(scratch), packed.offset);
    case InflatedTo::nothing: return std::nullopt;
  }
  __builtin_unreachable();
}

void require_checksum(const Layout& layout, Bytes unpacked) {
  if (layout.checksum && *layout.checksum != crc32(unpacked))
    throw Error(Error::Kind::input,
                "the compressed data are damaged: their checksum does not match; copy or download "
                "the file again");
}

/// The voxels of a compressed file, in `scratch` unless they are runs.
Image inflated(const Layout& layout, Bytes file, VoxelReader reader, Buffer scratch) {
  const PackedVoxels packed = packed_voxels(layout, file);
  if (auto image = as_runs(layout, packed, reader, scratch)) return std::move(*image);
  const auto room = room_in(scratch, packed.size());
  const auto unpack =
      layout.packing ? unpackers[static_cast<std::size_t>(*layout.packing)] : inflate_gzip;
  unpack(packed.bytes, room);
  require_checksum(layout, room);
  return {layout.header, std::move(scratch), packed.offset};
}

/// Where uncompressed voxels start. Bytes after them are ignored.
std::size_t plain_offset(const Layout& layout, std::size_t file_size) {
  const Extent extent = extent_of(layout);
  if (file_size < extent.end())
    throw Error(
        Error::Kind::input,
        fmt::format("is cut short: its header states {} bytes, but the file has {}; copy or "
                    "download it again",
                    extent.end(), file_size));
  return layout.at_end ? file_size - extent.size : extent.offset;
}

/// Within one file, the content says whether it is compressed.
bool is_compressed(const Layout& layout, const fs::path& voxel_file, Bytes file) {
  if (layout.packing) return true;
  if (layout.voxel_files.empty()) return is_gzip(file);
  return voxel_file.extension() == ".gz";  // bare voxels may start with any two bytes
}

/// How an image is to be read.
struct HowToRead {
  Volumes volumes = Volumes::one;
  VoxelReader reader = VoxelReader::buffer;
  const PictureRules& pictures;
  bool hashes = false;
};

Buffer copied(Bytes bytes, Buffer room = {}) {
  std::ranges::copy(bytes, room_in(room, bytes.size()).begin());
  return room;
}

/// Whether the file can hold what its header states.
void require_possible(const Layout& layout, const fs::path& voxel_file, const InputFile& file) {
  if (layout.decode != nullptr) return require_possible_pixels(layout, file.size());
  constexpr std::size_t mark = 16;  // more than needed to see whether it is compressed
  if (layout.packing || is_compressed(layout, voxel_file, file.read_start(mark).bytes()))
    require_plausible(voxel_bytes(layout.header), file.size());
  else
    plain_offset(layout, file.size());
}

/// The first of the names that exists; the first of all when none does, for the error message.
std::optional<fs::path> first_existing(const std::vector<fs::path>& names) {
  if (names.empty()) return std::nullopt;
  const auto found = std::ranges::find_if(names, [](const fs::path& name) {
    std::error_code ignored;
    return fs::exists(name, ignored);
  });
  return found != names.end() ? *found : names.front();
}

/// The file that holds the voxels, if it is not the header's. It must exist.
std::optional<fs::path> voxel_file_of(const Layout& layout) {
  auto found = first_existing(layout.voxel_files);
  std::error_code ignored;
  if (!found || fs::exists(*found, ignored)) return found;
  std::vector<std::string> names;
  for (const fs::path& name : layout.voxel_files) names.push_back(name.filename().string());
  throw Error(Error::Kind::input, "is only the header of an image; its voxels should be in " +
                                      joined(names, " or ") +
                                      " next to it, which does not exist; copy that file there");
}

/// Bare voxels mean nothing without their header.
void require_header(const fs::path& path, const fs::path& header) {
  const Buffer file = read_bytes(path);
  const std::vector<std::byte> inflated = inflate_prefix(file.bytes(), peek_limit);
  const Bytes head = is_gzip(file.bytes()) ? Bytes(inflated) : file.bytes();
  if (head.empty() || foreign_kind(head) || format_of(head) != nullptr) return;
  throw Error(Error::Kind::input, "holds only the voxels of an image; its header should be in " +
                                      header.filename().string() +
                                      " next to it, which does not exist; copy that file there");
}

/// For scoring, several volumes are meaningful only as the probabilities of classes.
void require_volumes(const Layout& layout, Volumes volumes) {
  const ImageHeader& header = layout.header;
  if (header.channels == 1 || layout.is_colored || volumes == Volumes::any ||
      (volumes == Volumes::classes && may_hold_probabilities(header)))
    return;
  refuse_volumes(header.channels,
                 fmt::format("{}x{}", fmt::join(header.grid.shape, "x"), header.channels));
}

/// The image of a format whose voxels are not simply bytes at some offset.
Image whole_image(const Layout& layout, Buffer file, const fs::path& path, Volumes volumes) {
  Image image = layout.image_of(std::move(file), path);
  Layout read;
  read.header = image.header();
  require_volumes(read, volumes);
  return image;
}

/// Reads the image whose header is in `file`, the bytes of `header_path`. `wanted` is the file of
/// voxels that was asked for by name, if any: then no other file is used.
Image read_from(Buffer file, const fs::path& header_path, const std::optional<fs::path>& wanted,
                const HowToRead& how) {
  Layout layout = layout_of(file.bytes(), header_path);
  if (layout.image_of != nullptr)
    return whole_image(layout, std::move(file), header_path, how.volumes);
  require_volumes(layout, how.volumes);
  if (wanted && layout.voxel_files.empty())
    throw Error(Error::Kind::input, "the header next to it, " + header_path.filename().string() +
                                        ", contains its own voxels; give that file instead");
  const auto voxel_file = wanted ? wanted : voxel_file_of(layout);
  if (voxel_file) file = read_bytes(*voxel_file, std::move(file));
  if (layout.decode != nullptr) {
    const Buffer packed = copied(file.bytes());
    return decode_picture(layout, packed.bytes(), how.pictures, std::move(file));
  }
  layout.header = sized_header(layout, how.pictures);
  if (is_compressed(layout, voxel_file.value_or(header_path), file.bytes())) {
    const Buffer packed = copied(file.bytes());  // small, so that the large buffer can be reused
    return inflated(layout, packed.bytes(), how.reader, std::move(file));
  }
  const std::size_t offset = plain_offset(layout, file.bytes().size());
  return {layout.header, std::move(file), offset};
}

/// The whole of an image that is read by parts.
Image read_parts(TiledImage& image, const HowToRead& how, Buffer scratch) {
  const Layout& layout = image.layout();
  require_volumes(layout, how.volumes);
  return picture_from(layout, how.pictures, std::move(scratch), [&](std::span<std::byte> pixels) {
    Buffer tile;
    read_box(image, {{}, image.shape()}, pixels, tile);
  });
}

/// The other file of an image that has two; nothing when there is none, or it is not known.
/// `layout` gives the layout of `path`.
template <class LayoutOf>
std::optional<fs::path> other_half(const fs::path& path, const LayoutOf& layout) try {
  if (kind_of_image(path.filename().string()) == ImageKind::picture) return std::nullopt;
  std::error_code ignored;
  auto other = first_existing(nifti_header_paths(path));
  if (!other || !fs::exists(*other, ignored)) other = first_existing(layout().voxel_files);
  return other && fs::is_regular_file(*other, ignored) ? other : std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

/// The hash of an image from that of the file that was named.
std::string with_other_half(const std::string& own, const std::optional<fs::path>& other) {
  return other ? sha256(own + sha256_of_file(*other)) : own;
}

/// The image, with its hash if `how` asks for it.
HashedImage read_with_hash(const fs::path& path, const HowToRead& how, Buffer scratch) try {
  const auto hashed = [&](Image image) -> HashedImage {
    return {std::move(image), how.hashes ? image_sha256(path) : ""};
  };
  if (is_series(path)) return hashed(read_series(path, std::move(scratch)));
  if (const auto tiled = open_tiled(path, how.pictures.level))
    return hashed(read_parts(*tiled, how, std::move(scratch)));
  const auto header_path = first_existing(nifti_header_paths(path));
  std::error_code ignored;
  if (header_path && fs::exists(*header_path, ignored))
    return hashed(read_from(read_bytes(*header_path, std::move(scratch)), *header_path, path, how));
  if (header_path) require_header(path, *header_path);
  Buffer file = read_bytes(path, std::move(scratch));
  const auto layout = [&] { return layout_of(file.bytes(), path); };
  const std::string sha256_of_all =
      how.hashes ? with_other_half(sha256(file.bytes()), other_half(path, layout)) : "";
  return {read_from(std::move(file), path, std::nullopt, how), sha256_of_all};
} catch (const Error& e) {
  const std::string name = path.string();
  if (e.file().empty() || e.file() == name) throw e.about(name);
  // An image of two files: the other is named as seen from the folder of the first.
  throw Error(e.kind(), name, e.relative_to((path.parent_path() / "").string()).what());
}

void write_encodable(const fs::path& path, const Encodable& image) {
  const std::string_view ending = image_ending(path.filename().string());
  const auto endings = endings_of_images();
  const auto row = std::ranges::find(endings, ending, &ImageEnding::text);
  if (row == endings.end() || row->encode == nullptr) {
    std::vector<ImageEnding> writable(endings.begin(), endings.end());
    std::erase_if(writable, [](const ImageEnding& e) { return e.encode == nullptr; });
    throw Error(Error::Kind::usage, path,
                "images are written as " + joined(writable, ", ", &ImageEnding::text));
  }
  for (const EncodedFile& file : row->encode(path, image)) write_atomically(file.path, file.bytes);
}

template <class T>
Encodable encodable(View<T> volume, VoxelType type) {
  if (volume.voxels.size() != volume.grid.size())
    throw Error(Error::Kind::input, "the voxel count does not match the grid");
  return {volume.grid, type, std::as_bytes(volume.voxels)};
}

}  // namespace

std::size_t bytes_per_voxel(VoxelType type) {
  constexpr std::array<std::size_t, 12> sizes = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 16, 2};
  return sizes[static_cast<std::size_t>(type)];
}

Image::Image(const ImageHeader& header, Buffer buffer, std::size_t offset)
    : header_(header), source_(std::move(buffer)), offset_(offset) {
  require_room();
}

Image::Image(const ImageHeader& header, VoxelRuns runs, Buffer spare)
    : header_(header), source_(std::move(spare)), runs_(std::move(runs)), offset_(0) {}

Bytes Image::source() const {
  assert(!runs_);
  return source_.bytes();
}

void Image::require_room() const {
  if (offset_ > source().size() || voxel_bytes(header_) > source().size() - offset_)
    throw Error(Error::Kind::input, "there are fewer bytes than the image's header states");
}

Bytes Image::voxels() const& {
  return source().subspan(offset_, voxel_bytes(header_));
}

Buffer Image::release() && {
  return std::move(source_);
}

Image read_image(const fs::path& path, Buffer scratch, Volumes volumes, VoxelReader reader,
                 const PictureRules& pictures) {
  return read_with_hash(path, {volumes, reader, pictures}, std::move(scratch)).image;
}

HashedImage read_hashed_image(const fs::path& path, Buffer scratch, Volumes volumes,
                              VoxelReader reader, const PictureRules& pictures) {
  return read_with_hash(path, {volumes, reader, pictures, true}, std::move(scratch));
}

std::span<const Named<VoxelReader>> voxel_readers() {
  static constexpr Named<VoxelReader> readers[] = {{"auto", VoxelReader::automatic},
                                                   {"runs", VoxelReader::runs},
                                                   {"buffer", VoxelReader::buffer},
                                                   {"tiles", VoxelReader::tiles}};
  return readers;
}

Image in_bytes(Image image, Buffer scratch) {
  const VoxelRuns* runs = image.runs();
  if (runs == nullptr) return image;
  expand_runs(*runs, bytes_per_voxel(image.header().type),
              room_in(scratch, voxel_bytes(image.header())));
  return {image.header(), std::move(scratch), 0};
}

Image different_voxels(const Image& image) {
  const std::size_t count = image.runs()->values.size();
  VoxelRuns each = {.runs = {}, .values = image.runs()->values};
  for (std::uint32_t code = 0; code < count; ++code) each.runs.push_back({code + 1, code});
  ImageHeader header = image.header();
  header.grid.shape = {count, 1, 1};
  return in_bytes({header, std::move(each)}, {});
}

ImageHeader read_image_header(const fs::path& path, const PictureRules& pictures) try {
  if (is_series(path)) return read_series_header(path);
  if (const auto tiled = open_tiled(path, pictures.level))
    return sized_header(tiled->layout(), pictures);
  const auto found = first_existing(nifti_header_paths(path));
  std::error_code ignored;
  const fs::path& header = found && fs::exists(*found, ignored) ? *found : path;
  const InputFile file(header);
  const Layout layout = layout_in(file, header);
  if (layout.image_of != nullptr) return layout.image_of(file.read_all(), header).header();
  const auto voxel_file = header != path ? std::optional(path) : voxel_file_of(layout);
  if (voxel_file)
    require_possible(layout, *voxel_file, InputFile(*voxel_file));
  else
    require_possible(layout, header, file);
  return sized_header(layout, pictures);
} catch (const Error& e) {
  throw e.about(path.string());
}

std::optional<VoxelRuns> read_runs(const fs::path& path, VoxelReader reader, std::size_t most) try {
  const Buffer file = read_bytes(path);
  const Layout layout = layout_of(file.bytes(), path);
  if (layout.image_of != nullptr || layout.decode != nullptr || !layout.voxel_files.empty() ||
      !is_compressed(layout, path, file.bytes()))
    return std::nullopt;
  PackedVoxels packed = packed_voxels(layout, file.bytes());
  packed.most_runs = most;
  VoxelRuns runs;
  if (layout.header.channels != 1 || !is_for_runs(packed, reader) ||
      inflate_runs(packed, runs, [] { return std::span<std::byte>(); }) != InflatedTo::runs ||
      runs.runs.size() > most)
    return std::nullopt;
  return runs;
} catch (const Error&) {
  return std::nullopt;
}

std::string image_sha256(const fs::path& path) {
  if (is_series(path)) return series_sha256(path);
  if (is_folder_image(path)) return zarr_sha256(path);
  return with_other_half(sha256_of_file(path),
                         other_half(path, [&] { return layout_in(InputFile(path), path); }));
}

Image decode_image(Bytes file, std::string_view name, Volumes volumes,
                   const PictureRules& pictures) try {
  Layout layout = layout_of(file, fs::path(name));
  if (layout.image_of != nullptr) return whole_image(layout, copied(file), name, volumes);
  require_volumes(layout, volumes);
  if (layout.decode != nullptr) return decode_picture(layout, file, pictures, {});
  layout.header = sized_header(layout, pictures);
  if (!layout.voxel_files.empty())
    throw Error(Error::Kind::unsupported, "has its voxels in another file; read it from disk");
  if (is_compressed(layout, {}, file)) return inflated(layout, file, VoxelReader::buffer, {});
  return {layout.header,
          copied(file.subspan(plain_offset(layout, file.size()), voxel_bytes(layout.header))), 0};
} catch (const Error& e) {
  throw e.about(name);
}

void write_image(const fs::path& path, View<std::uint8_t> volume) {
  write_encodable(path, encodable(volume, VoxelType::u8));
}

void write_image(const fs::path& path, View<std::int16_t> volume) {
  write_encodable(path, encodable(volume, VoxelType::i16));
}

void write_image(const fs::path& path, View<float> volume) {
  write_encodable(path, encodable(volume, VoxelType::f32));
}

std::string_view image_format(Bytes file) {
  const std::vector<std::byte> inflated = inflate_prefix(file, peek_limit);
  const Bytes head = is_gzip(file) ? Bytes(inflated) : file;
  const ImageFormat* found = format_of(head);
  return found == nullptr || is_npz(head) ? std::string_view() : found->name;
}

}  // namespace assay
