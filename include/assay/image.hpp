// SPDX-License-Identifier: Apache-2.0
/// Images: every format is read here, and volumes are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/memory.hpp"
#include "assay/volume.hpp"

namespace assay {

// ---- The only entry for images: every format is read here as an `Image`, detected by content.

enum class VoxelType { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, f128, f16 };

std::size_t bytes_per_voxel(VoxelType type);

/// What a stored voxel means: value = stored * slope + intercept.
struct Scaling {
  double slope = 1, intercept = 0;
  bool is_identity() const { return slope == 1 && intercept == 0; }
};

/// What a header says, in one form for all formats.
struct ImageHeader {
  Grid grid{};
  VoxelType type = VoxelType::u8;
  Scaling scaling{};
  bool byte_swapped = false;  ///< stored in the opposite byte order to this machine's
  std::size_t channels = 1;   ///< numbers per voxel: the volumes of the file
  bool interleaved = false;   ///< the numbers of a voxel are adjacent; otherwise volume by volume
};

/// Stored voxels as runs of equal values; neighbouring runs differ.
struct VoxelRuns {
  std::vector<Run> runs;
  std::vector<std::uint64_t> values;  ///< by code: a voxel as it is stored, read as a number

  void clear() { runs.clear(), values.clear(); }
};

/// An image as stored: its header, and its voxels either decompressed into a buffer or as runs.
class Image {
 public:
  /// `spare` is unused memory that `release` returns.
  Image(const ImageHeader& header, VoxelRuns runs, Buffer spare = {});
  Image(const ImageHeader& header, Buffer buffer, std::size_t offset);

  const ImageHeader& header() const { return header_; }
  const Grid& grid() const { return header_.grid; }
  /// The voxels as runs; nullptr when they are bytes.
  const VoxelRuns* runs() const { return runs_ ? &*runs_ : nullptr; }
  /// Every number of every voxel, x fastest among the axes; not necessarily aligned. Not for runs.
  std::span<const std::byte> voxels() const&;
  std::span<const std::byte> voxels() && = delete;
  /// Returns the buffer for the next image.
  Buffer release() &&;

 private:
  std::span<const std::byte> source() const;
  void require_room() const;

  ImageHeader header_;
  Buffer source_;
  std::optional<VoxelRuns> runs_{};
  std::size_t offset_;
};

/// What a file may hold: one volume, one volume of probabilities per class, or any number of any
/// kind.
enum class Volumes { one, classes, any };

/// Reads any supported image; the format is recognised by its first bytes, never by its name.
/// `scratch` is reused for decompressed voxels. A trailing fourth dimension of 1 is dropped; what
/// other 4-D images may hold is up to `volumes`. Throws Error (io, input, unsupported) with the
/// path in front. With a `reader` that reads runs, the caller must be able to handle them.
Image read_image(const std::filesystem::path& path, Buffer scratch = {},
                 Volumes volumes = Volumes::one, VoxelReader reader = VoxelReader::buffer,
                 const PictureRules& pictures = {});

/// An image, and what `image_sha256` gives for it.
struct HashedImage {
  Image image;
  std::string sha256;
};

/// The same, hashed. A file that holds the whole image is read once, so the hash belongs to exactly
/// the bytes that the voxels come from.
HashedImage read_hashed_image(const std::filesystem::path& path, Buffer scratch = {},
                              Volumes volumes = Volumes::one,
                              VoxelReader reader = VoxelReader::buffer,
                              const PictureRules& pictures = {});

/// The same image with its voxels as bytes, if they are runs.
Image in_bytes(Image image, Buffer scratch);

/// The different voxels of an image of runs, in the order of their codes, as an image.
Image different_voxels(const Image& image);

/// `read_image` for bytes that are in memory already (one-file formats only). `name` is for
/// messages.
Image decode_image(std::span<const std::byte> file, std::string_view name,
                   Volumes volumes = Volumes::one, const PictureRules& pictures = {});

/// The format of a file that is an image ("NIfTI"), by its first bytes; "" for any other file. It
/// is "" for a zip archive too, since that may hold anything.
std::string_view image_format(std::span<const std::byte> file);

/// The hash that identifies an image's content: that of its file, or one over the hashes of header
/// and voxels where these are two files. Throws Error::io.
std::string image_sha256(const std::filesystem::path& path);

/// Writes a volume; the name decides the format: .nii, .nii.gz, .hdr/.img (give the .hdr), .mha,
/// .mhd (voxels next to it in .raw). Atomic; a pair is written voxels first. Throws Error.
void write_image(const std::filesystem::path& path, View<std::uint8_t> volume);
void write_image(const std::filesystem::path& path, View<std::int16_t> volume);
void write_image(const std::filesystem::path& path, View<float> volume);

/// The file endings of the supported formats, longest first.
std::span<const std::string_view> image_endings();

/// The file name's ending if it is one of an image (".nii.gz"), else "".
std::string_view image_ending(std::string_view file_name);

/// The name without that ending: what names a case.
std::string_view without_image_ending(std::string_view file_name);

// The voxel type is decided here, once; after these functions there are only masks and labels.

/// Foreground: value > 0 after scaling, or value >= `threshold` when one is given. The result
/// borrows from `image` when its bytes can be used as they are (u8 without scaling), otherwise from
/// `scratch`; non-zero is foreground. Throws Error::input on NaN or infinity, saying where.
View<std::uint8_t> foreground(const Image& image, std::optional<double> threshold, Buffer& scratch);

/// The same for every value but 0, negative ones too.
View<std::uint8_t> nonzero(const Image& image, Buffer& scratch);

/// The foreground of an image that should be a mask, and whether it is a map instead: one with two
/// or more different values besides 0, at least one of them not a whole number.
struct JudgedMask {
  View<std::uint8_t> foreground;  ///< value > 0
  bool is_map = false;
};

/// Judges while it converts, so images of whole numbers cost nothing extra.
JudgedMask judged_mask(const Image& image, Buffer& scratch);

/// A label map with the values that occur. The result borrows from `values` and `scratch`, unless
/// the image's own bytes can be used. Throws Error::input on a value that is not a whole number,
/// naming the first such voxel and its value.
LabelView labels(const Image& image, Buffer& scratch, std::vector<Label>& values);

/// All numbers as doubles after scaling, in the order in which they are stored: for small tools and
/// tests, not for the hot path.
std::vector<double> values(const Image& image);

/// An image as a model takes it: values after scaling, rounded to float. Values too large for a
/// float become infinite.
Volume<float> intensities(const Image& image);

// ---- From images to maps of probabilities: of one volume, or of one volume per class.

/// What the numbers of a prediction can mean.
enum class MapKind {
  labels,         ///< whole numbers only, as in masks and label maps
  probabilities,  ///< from 0 to 1, and not only 0 and 1
  other
};

/// Whether the stored type can hold a probability besides 0 and 1 at all.
bool may_hold_probabilities(const ImageHeader& header);

/// Looks at every number of every class.
MapKind map_kind(const Image& image);

/// Throws Error::input naming the first voxel that is not a number from 0 to 1, and its value.
void require_probabilities(const Image& image);

/// The most likely class of each voxel; the lower one if two are equal. Class k is label k. Throws
/// Error::input on numbers that are not probabilities, or on more than 256 classes.
LabelView likeliest_labels(const Image& image, Buffer& scratch, std::vector<Label>& values);

/// The probability that each voxel is one of the classes in `members`, or any but class 0 when that
/// is empty. An image of one volume is the probability itself. Borrows from `image` when its bytes
/// can be used as they are, otherwise from `scratch`. Throws Error::input when classes do not
/// exclude each other: their sum is above 1.
ProbabilityView probability_of(const Image& image, std::span<const Label> members, Buffer& scratch);

/// The voxels whose probability is at least `threshold`.
View<std::uint8_t> at_least(const ProbabilityView& map, double threshold, Buffer& scratch);

}  // namespace assay
