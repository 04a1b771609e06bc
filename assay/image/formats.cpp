// SPDX-License-Identifier: Apache-2.0
#include "assay/image/formats.hpp"

#include <algorithm>
#include <array>

#include "assay/image.hpp"
#include "assay/image/dicom.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/metaimage.hpp"
#include "assay/image/nifti.hpp"
#include "assay/image/npy.hpp"
#include "assay/image/nrrd.hpp"
#include "assay/image/png_mask.hpp"
#include "assay/image/tiff.hpp"

namespace assay {
namespace {

Layout dicom_layout(std::span<const std::byte>, const std::filesystem::path&) {
  Layout layout;
  layout.image_of = decode_dicom;
  return layout;
}

/// A Zarr image is a folder (assay/image/tiled.hpp); here it is only named.
bool is_never_a_file(std::span<const std::byte>) {
  return false;
}

constexpr std::array formats = {
    ImageFormat{"NIfTI", is_nifti, nifti_layout},
    ImageFormat{"MetaImage", is_metaimage, metaimage_layout},
    ImageFormat{"NRRD", is_nrrd, nrrd_layout},
    ImageFormat{"NumPy's .npy", is_npy, npy_layout},
    ImageFormat{"NumPy's .npz", is_npz, npz_layout},
    ImageFormat{"PNG", is_png, png_layout},
    ImageFormat{"TIFF", is_tiff, tiff_layout},
    ImageFormat{"DICOM", is_dicom, dicom_layout},
    ImageFormat{"OME-Zarr", is_never_a_file, nullptr},
};

constexpr std::array known_endings = {
    // longest first
    ImageEnding{".seg.nrrd", nullptr, ImageKind::volume},
    ImageEnding{".ome.tiff", nullptr, ImageKind::picture},
    ImageEnding{".ome.zarr", nullptr, ImageKind::volume},
    ImageEnding{".ome.tif", nullptr, ImageKind::picture},
    ImageEnding{".nii.gz", encode_nifti, ImageKind::volume},
    ImageEnding{".hdr.gz", nullptr, ImageKind::volume},
    ImageEnding{".img.gz", nullptr, ImageKind::volume},
    ImageEnding{".nrrd", nullptr, ImageKind::volume},
    ImageEnding{".nhdr", nullptr, ImageKind::volume},
    ImageEnding{".tiff", nullptr, ImageKind::picture},
    ImageEnding{".zarr", nullptr, ImageKind::volume},
    ImageEnding{".nii", encode_nifti, ImageKind::volume},
    ImageEnding{".mha", encode_mha, ImageKind::volume},
    ImageEnding{".mhd", encode_mhd, ImageKind::volume},
    ImageEnding{".hdr", encode_nifti_pair, ImageKind::volume},
    ImageEnding{".img", nullptr, ImageKind::volume},
    ImageEnding{".npy", nullptr, ImageKind::array},
    ImageEnding{".npz", nullptr, ImageKind::array},
    ImageEnding{".png", nullptr, ImageKind::picture},
    ImageEnding{".tif", nullptr, ImageKind::picture},
    ImageEnding{".dcm", nullptr, ImageKind::volume},
};

constexpr auto ending_texts = [] {
  std::array<std::string_view, known_endings.size()> texts;
  std::ranges::transform(known_endings, texts.begin(), &ImageEnding::text);
  return texts;
}();

/// Endings of formats that assay does not read but that occur in other tools' tables.
constexpr std::array<std::string_view, 5> foreign_endings = {".jpg", ".jpeg", ".bmp", ".mgz",
                                                             ".mgh"};

/// The first ending that the name has, with something before it; "" when it has none.
std::string_view ending_among(std::span<const std::string_view> all, std::string_view file_name) {
  const auto found = std::ranges::find_if(all, [&](std::string_view text) {
    return file_name.size() > text.size() && file_name.ends_with(text);
  });
  return found != all.end() ? *found : std::string_view();
}

}  // namespace

std::span<const ImageFormat> image_formats() {
  return formats;
}

const ImageFormat* format_of(std::span<const std::byte> head) {
  const auto* const found =
      std::ranges::find_if(formats, [&](const ImageFormat& f) { return f.recognises(head); });
  return found == formats.end() ? nullptr : found;
}

std::span<const ImageEnding> endings_of_images() {
  return known_endings;
}

std::span<const std::string_view> image_endings() {
  return ending_texts;
}

std::string_view image_ending(std::string_view file_name) {
  return ending_among(ending_texts, file_name);
}

std::optional<ImageKind> kind_of_image(std::string_view file_name) {
  const auto* const found =
      std::ranges::find(known_endings, image_ending(file_name), &ImageEnding::text);
  return found == known_endings.end() ? std::nullopt : std::optional(found->kind);
}

std::string_view without_image_ending(std::string_view file_name) {
  return file_name.substr(0, file_name.size() - image_ending(file_name).size());
}

std::string_view without_any_image_ending(std::string_view file_name) {
  const std::string_view own = image_ending(file_name);
  const std::string_view ending = own.empty() ? ending_among(foreign_endings, file_name) : own;
  return file_name.substr(0, file_name.size() - ending.size());
}

}  // namespace assay
