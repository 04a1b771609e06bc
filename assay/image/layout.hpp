// SPDX-License-Identifier: Apache-2.0
/// What a format's header parser returns: the meaning of the voxels, and where their bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/image.hpp"

namespace assay {

/// What the voxels are wrapped in, apart from a gzip file around everything.
enum class Packing { zlib, gzip, deflate, bzip2, text };

struct Layout;

/// Unpacks the pixels of a file that only a library can read. `into` has room for all that the
/// header states. Throws Error::input.
using PixelDecoder = void (*)(std::span<const std::byte> file, const Layout& layout,
                              std::span<std::byte> into);

/// How large a picture says its pixels are, in mm along x, y and z; 0 where it does not say. Most
/// programs write a resolution for printers and screens, which says nothing about the real size.
struct StatedSize {
  Point mm{};
};

/// Everything needed to fetch the voxels. Parsers fill it and touch no file.
struct Layout {
  ImageHeader header;
  /// Makes the image from the bytes of the whole file, for formats whose voxels are not simply
  /// bytes at some offset; all other fields are then unused.
  Image (*image_of)(Buffer file, const std::filesystem::path& path) = nullptr;
  /// Where the voxels are if not in the header's own file: names to try, in order.
  std::vector<std::filesystem::path> voxel_files;
  std::size_t offset = 0;            ///< of the voxels in their file, after any gzip
  bool at_end = false;               ///< the voxels are the file's last bytes; `offset` is unused
  std::optional<Packing> packing{};  ///< the voxels are one such stream from `offset` on
  std::optional<std::size_t> packed_size{};  ///< its length; without one it runs to the file's end
  std::size_t skipped = 0;                   ///< bytes before the voxels once it is unpacked
  std::optional<std::uint32_t> checksum{};   ///< CRC-32 of all that is unpacked
  std::size_t skipped_lines = 0;             ///< lines of text before the stream or the voxels
  PixelDecoder decode = nullptr;    ///< for formats that only a function of their own can unpack
  std::size_t least_file_size = 0;  ///< of a picture: a shorter file cannot hold the pixels
  bool is_colored = false;  ///< the four channels are red, green, blue and alpha, not numbers
  std::optional<StatedSize> stated_size{};
  std::size_t levels = 1;  ///< the image itself, and smaller copies of it
};

/// One file of an encoded image. Several are written in their order, the header last.
struct EncodedFile {
  std::filesystem::path path;
  std::vector<std::byte> bytes;
};

/// A volume about to be encoded.
struct Encodable {
  Grid grid;
  VoxelType type = VoxelType::u8;
  std::span<const std::byte> voxels;  ///< in this machine's byte order
  std::size_t volumes = 1;  ///< one after the other in `voxels`; NIfTI only, as is the slope
  double slope = 1;         ///< of what the stored numbers mean
};

/// Extents of an image whose header lists two to seven of them; the first three are space.
struct Extents {
  Shape shape{1, 1, 1};
  std::size_t volumes = 1;
  std::array<bool, 3> has_axis = {true, true, true};  ///< false for those that are not listed
};

/// Throws Error when one is not positive, or when volumes are counted along two axes.
Extents extents_from(std::span<const std::int64_t> extents);

/// Throws Error: an image with several volumes is neither a mask nor a label map. `sizes` is what
/// the header says.
[[noreturn]] void refuse_volumes(std::size_t volumes, std::string_view sizes);

/// The grid of a picture. The third axis is its pages, and exists if there are several. Neither its
/// position nor the size of its pixels is known.
Grid picture_grid(const Shape& shape);

/// The fewest bytes that such pixels can take if each number has `bits` bits and a byte of the file
/// expands to no more than `most_of_a_byte`.
std::size_t least_file_size(const ImageHeader& header, unsigned bits, double most_of_a_byte);

/// The file that a header names for its voxels. Throws Error unless it is in the header's folder or
/// below it: a prediction that somebody sends us must not be able to make us read other files, such
/// as the reference.
std::filesystem::path voxel_file(const std::string& name, const std::filesystem::path& header);

/// Bytes of all voxels. Throws Error when the number does not fit, since such a header is wrong.
std::size_t voxel_bytes(const ImageHeader& header);

/// Throws Error unless the affine maps voxels to distinct, finite places. `name` is what the format
/// calls it, `remedy` what can be done.
void require_usable(const Affine& affine, std::string_view name, std::string_view remedy);

/// Room for `size` bytes. Throws Error when there is none, because a cohort must not end when one
/// header asks for more than the machine has.
std::span<std::byte> room_in(Buffer& buffer, std::size_t size);

/// The voxels with the lowest byte first, whatever the machine.
void append_little_endian(std::vector<std::byte>& out, const Encodable& image);

}  // namespace assay
