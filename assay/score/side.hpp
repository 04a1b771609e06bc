// SPDX-License-Identifier: Apache-2.0
/// One side of a pair: from a file to labels, and onto the other's grid.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/image.hpp"
#include "assay/score/alignment.hpp"
#include "assay/score/mask_rule.hpp"
#include "assay/score/score_case.hpp"
#include "assay/volume.hpp"

namespace assay::score {

/// How the voxels of one side are to be read.
struct Reading {
  bool as_labels = false;
  MaskRule mask{};
  Volumes volumes = Volumes::one;
  bool keeps_probabilities = false;  ///< the image is kept if it may hold probabilities
  VoxelReader reader = VoxelReader::automatic;
  PictureRules pictures{};
  bool takes_highest_class = false;  ///< of several volumes
  std::size_t volume = 0;            ///< which one of several, from 1; 0: there is one
  std::string segment{};             ///< the name of a segment of 3D Slicer, which is the mask
};

/// Labels, or a mask in which non-zero is foreground. Owns what `labels` borrows from: the image
/// itself when its bytes can be used directly, else the converted codes.
struct Side {
  std::optional<Image> image;
  Buffer codes;
  std::vector<Run> runs;
  std::vector<Label> values;
  LabelView labels;
  bool is_map = false;                  ///< it was read as a mask, but is a map
  std::vector<std::string> oddities{};  ///< "holds only negative values": of the side, for people
  std::string sha256{};                 ///< of the image
};

/// Throws an Error that starts with the path.
Side read_side(const std::filesystem::path& path, const Reading& how, Workspace& workspace);

/// Brings the labels onto another grid. The image is dropped, with anything else that it holds.
metrics::ResamplingEvidence resample_side(Side& side, const Grid& onto,
                                          metrics::Interpolation interpolation,
                                          Workspace& workspace);

/// The meanings of different voxels, by the rules for whole images: they depend on the value alone.
struct SettledVoxels {
  std::vector<std::uint32_t> codes;  ///< of each voxel
  std::vector<Label> values;         ///< of each code; {0, 1} of a mask
  bool is_map = false;               ///< as of a side
  std::vector<std::string> oddities{};
};

/// `different` holds each voxel value of an image once. Throws an Error::input that names one of
/// them.
SettledVoxels settle_voxels(Image different, const Reading& how, Workspace& workspace);

void give_back(Side side, Workspace& workspace);

/// The same labels with a code per voxel, written to `into` if they are runs.
LabelView with_codes(const LabelView& labels, Buffer& into);

/// A prediction in the order of the reference's voxels. It borrows from what it was made from.
struct SettledPrediction {
  LabelView labels;
  Alignment alignment;
};

/// `moved` holds the result when voxels had to move.
SettledPrediction settled_on(const LabelView& prediction, const Grid& reference,
                             bool allow_affine_mismatch, Buffer& moved);

/// The same map, reordered by `map` into `into` unless nothing has to move.
ProbabilityView walked(const ProbabilityView& from, const AxisMap& map, Buffer& into);

}  // namespace assay::score
