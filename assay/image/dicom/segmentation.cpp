// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/segmentation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "assay/error.hpp"
#include "assay/image/dicom/cielab.hpp"
#include "assay/image/dicom/frames.hpp"
#include "assay/image/layout.hpp"

namespace assay {
namespace {

[[noreturn]] void refuse_segmentation(const std::string& why) {
  throw Error(Error::Kind::input, why);
}

/// What all frames share.
struct SegmentationHeader {
  std::string type;  ///< BINARY, FRACTIONAL, LABELMAP
  std::size_t rows = 0, columns = 0, frames = 0, bits = 0;
  double greatest = 1;                     ///< MaximumFractionalValue
  std::optional<std::uint32_t> padding{};  ///< of label maps: the background

  std::size_t frame_pixels() const { return rows * columns; }
  std::size_t pixel_bytes() const { return (frame_pixels() * frames * bits + 7) / 8; }
};

SegmentationHeader header_of(const DicomItem& data) {
  SegmentationHeader out = {
      .type = data.text(DCM_SegmentationType),
      .rows = size_in(data, DCM_Rows, "Rows", 65535),
      .columns = size_in(data, DCM_Columns, "Columns", 65535),
      .frames = size_in(data, DCM_NumberOfFrames, "NumberOfFrames", 10'000'000),
      .bits = size_in(data, DCM_BitsAllocated, "BitsAllocated", 16)};
  out.greatest = data.number(DCM_MaximumFractionalValue).value_or(1);
  if (!(out.greatest >= 1 && out.greatest <= 255))
    refuse_segmentation("states an impossible MaximumFractionalValue; export it again");
  if (const auto padding = data.number(DCM_PixelPaddingValue); padding && *padding >= 0)
    out.padding = static_cast<std::uint32_t>(*padding);
  struct Kind {
    std::string_view type;
    std::array<std::size_t, 2> bits;
  };
  constexpr std::array kinds = {Kind{"BINARY", {1, 1}}, Kind{"FRACTIONAL", {8, 8}},
                                Kind{"LABELMAP", {8, 16}}};
  const auto* const kind = std::ranges::find(kinds, out.type, &Kind::type);
  if (kind == kinds.end())
    throw Error(Error::Kind::unsupported, "is a segmentation of type '" + out.type +
                                              "', and assay reads BINARY, FRACTIONAL and LABELMAP");
  if (std::ranges::find(kind->bits, out.bits) == kind->bits.end())
    refuse_segmentation("is a segmentation of type " + out.type + " with " +
                        std::to_string(out.bits) + " bits per pixel, which DICOM does not have");
  return out;
}

/// Which segment each frame shows; 0 in label maps.
std::vector<Label> segments_shown(const DicomItem& data, const std::vector<DicomItem>& frames,
                                  bool has_segments) {
  std::vector<Label> out(frames.size(), 0);
  for (std::size_t f = 0; has_segments && f < frames.size(); ++f) {
    const auto identity = frame_group(frames[f], data, DCM_SegmentIdentificationSequence);
    if (!identity) refuse_segmentation("has a frame that does not say which segment it shows");
    out[f] = static_cast<Label>(
        required_number(*identity, DCM_ReferencedSegmentNumber, "ReferencedSegmentNumber"));
  }
  return out;
}

/// Frames by segment, then by slice: the order in which spans ascend.
std::vector<std::size_t> frame_order(const std::vector<Label>& segments,
                                     const std::vector<std::size_t>& slices) {
  std::vector<std::size_t> order(segments.size());
  for (std::size_t f = 0; f < order.size(); ++f) order[f] = f;
  const auto key = [&](std::size_t f) { return std::pair(segments[f], slices[f]); };
  std::ranges::sort(order, {}, key);
  const auto twice = std::ranges::adjacent_find(order, {}, key);
  if (twice != order.end())
    refuse_segmentation("has two frames of segment " + std::to_string(segments[*twice]) +
                        " on one plane; split it, for example by time");
  return order;
}

/// A frame with its first voxel in the grid.
struct PlacedFrame {
  std::size_t number = 0;
  std::uint32_t first = 0;
};

void add_binary(VoxelSpans& spans, std::span<const std::byte> pixels, PlacedFrame frame,
                const SegmentationHeader& header) {
  append_set_bits(spans, pixels, frame.number * header.frame_pixels(), header.frame_pixels(),
                  frame.first);
}

/// Throws unless all values are 0 or the greatest, so that a fractional segmentation is a mask.
void require_cut(std::span<const std::byte> pixels, double greatest) {
  const bool is_mask = std::ranges::all_of(pixels, [&](std::byte value) {
    return value == std::byte{0} || std::to_integer<int>(value) == greatest;
  });
  if (!is_mask)
    refuse_segmentation(
        "is a fractional segmentation, not a mask; give --threshold T, such as 0.5, to count "
        "every value >= T");
}

void add_fractional(VoxelSpans& spans, std::span<const std::byte> pixels, PlacedFrame frame,
                    const SegmentationHeader& header, double threshold) {
  const auto values = pixels.subspan(frame.number * header.frame_pixels(), header.frame_pixels());
  // A threshold of 0 would make everything foreground, including absent frames.
  const double least = std::max(threshold * header.greatest, std::nextafter(0.0, 1.0));
  for (std::size_t at = 0; at < values.size(); ++at)
    if (std::to_integer<int>(values[at]) >= least)
      append_span(spans, frame.first + static_cast<std::uint32_t>(at),
                  frame.first + static_cast<std::uint32_t>(at + 1));
}

using ByLabel = std::map<Label, VoxelSpans>;

template <std::size_t width>
void add_labels(ByLabel& by_label, std::span<const std::byte> pixels, PlacedFrame frame,
                const SegmentationHeader& header) {
  const std::size_t count = header.frame_pixels();
  const std::byte* const start = pixels.data() + frame.number * count * width;
  const auto value_at = [&](std::size_t at) {
    std::uint32_t value = std::to_integer<std::uint32_t>(start[at * width]);
    if constexpr (width == 2) value |= std::to_integer<std::uint32_t>(start[2 * at + 1]) << 8;
    return value;
  };
  for (std::size_t at = 0, end = 0; at < count; at = end) {
    const std::uint32_t value = value_at(at);
    while (end < count && value_at(end) == value) ++end;
    if (value != header.padding.value_or(0))
      append_span(by_label[value], frame.first + static_cast<std::uint32_t>(at),
                  frame.first + static_cast<std::uint32_t>(end));
  }
}

/// "SCT 10200004", with its modifiers, such as the side.
std::string code_in(const DicomItem& segment) {
  const auto text = [](const std::optional<DicomItem>& code) {
    if (!code) return std::string();
    const std::string value = code->text(DCM_CodeValue);
    return value.empty() ? "" : code->text(DCM_CodingSchemeDesignator) + " " + value;
  };
  const auto type = segment.first(DCM_SegmentedPropertyTypeCodeSequence);
  std::string out = text(type);
  if (!type) return out;
  const std::string side = text(type->first(DCM_SegmentedPropertyTypeModifierCodeSequence));
  return side.empty() ? out : out + " " + side;
}

/// RecommendedDisplayCIELabValue.
std::optional<Color> color_in(const DicomItem& segment) {
  const std::vector<double> parts = segment.numbers(DCM_RecommendedDisplayCIELabValue);
  if (parts.size() != 3) return std::nullopt;
  return color_of_cielab({parts[0], parts[1], parts[2]});
}

/// Every frame at its place.
struct PlacedFrames {
  SegmentationHeader header;
  std::vector<Label> segments;  ///< that frames show
  PlaneStack stack;
  std::vector<std::size_t> order;
  std::span<const std::byte> pixels;

  PlacedFrame placed(std::size_t f) const {
    return {f, static_cast<std::uint32_t>(stack.slices[f] * header.frame_pixels())};
  }
};

PlacedFrames place_frames(const DicomFile& file) {
  const DicomItem data = file.data();
  PlacedFrames out = {
      .header = header_of(data), .segments = {}, .stack = {}, .order = {}, .pixels = {}};
  if (data.text(DCM_LossyImageCompression) == "01")
    refuse_segmentation(
        "was compressed with loss, which changes the values of pixels; export it again without");
  // First check that the file has the pixels of all frames, before anything is allocated for them.
  out.pixels = file.pixels(out.header.pixel_bytes());
  const std::vector<DicomItem> frames = frame_items(data, out.header.frames);
  out.segments = segments_shown(data, frames, out.header.type != "LABELMAP");
  out.stack = stack_of(frame_planes(data, frames), out.header.columns, out.header.rows,
                       stated_spacing(data));
  require_countable(out.stack.grid);
  out.order = frame_order(out.segments, out.stack.slices);
  return out;
}

ByLabel voxels_by_label(const PlacedFrames& placed, const StructureReading& how) {
  ByLabel out;
  const SegmentationHeader& header = placed.header;
  if (header.type == "FRACTIONAL" && !how.threshold) require_cut(placed.pixels, header.greatest);
  for (const std::size_t f : placed.order) {
    const PlacedFrame frame = placed.placed(f);
    if (header.type == "LABELMAP")
      (header.bits == 8 ? add_labels<1> : add_labels<2>)(out, placed.pixels, frame, header);
    else if (header.type == "BINARY")
      add_binary(out[placed.segments[f]], placed.pixels, frame, header);
    else
      add_fractional(out[placed.segments[f]], placed.pixels, frame, header,
                     how.threshold.value_or(1));
  }
  return out;
}

}  // namespace

std::vector<StructureName> segment_names(const DicomItem& data) {
  std::vector<StructureName> out;
  std::set<Label> seen;
  for (const DicomItem& segment : data.items(DCM_SegmentSequence)) {
    const auto number =
        static_cast<Label>(required_number(segment, DCM_SegmentNumber, "SegmentNumber"));
    if (number == 0) continue;  // the background of a label map
    if (!seen.insert(number).second)
      refuse_segmentation("lists segment " + std::to_string(number) + " twice; export it again");
    std::string name = segment.text(DCM_SegmentLabel);
    if (name.empty()) name = "segment " + std::to_string(number);
    out.push_back({number, std::move(name), code_in(segment), color_in(segment)});
  }
  return out;
}

StructureSet segments_in(const DicomFile& file, const StructureReading& how) {
  const PlacedFrames placed = place_frames(file);
  ByLabel voxels = voxels_by_label(placed, how);
  StructureSet out = {.grid = placed.stack.grid};
  for (StructureName& name : segment_names(file.data())) {
    const auto found = voxels.find(name.number);
    Structure& structure = out.structures.emplace_back(Structure{std::move(name)});
    if (found == voxels.end()) continue;
    structure.voxels = std::move(found->second);
    voxels.erase(found);
  }
  for (const auto& [number, spans] : voxels)
    if (!spans.empty())
      refuse_segmentation("shows segment " + std::to_string(number) +
                          ", which its list of segments does not have; export it again");
  return out;
}

std::optional<Image> fractional_map(const DicomFile& file, Buffer scratch) {
  const PlacedFrames placed = place_frames(file);
  const SegmentationHeader& header = placed.header;
  const bool is_one = placed.segments[placed.order.front()] == placed.segments[placed.order.back()];
  if (header.type != "FRACTIONAL" || !is_one) return std::nullopt;
  const std::size_t voxels = placed.stack.grid.size();
  const std::span<std::byte> bytes = room_in(scratch, voxels * sizeof(float));
  auto* const values = reinterpret_cast<float*>(bytes.data());
  std::fill_n(values, voxels, 0.0F);
  for (const std::size_t f : placed.order) {
    const auto from = placed.pixels.subspan(f * header.frame_pixels(), header.frame_pixels());
    std::ranges::transform(from, values + placed.placed(f).first, [&](std::byte value) {
      return static_cast<float>(std::to_integer<int>(value) / header.greatest);
    });
  }
  return Image({.grid = placed.stack.grid, .type = VoxelType::f32}, std::move(scratch), 0);
}

}  // namespace assay
