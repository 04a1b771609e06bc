// SPDX-License-Identifier: Apache-2.0
/// One side of a pair behind the door: from a file to labels, and onto the other's grid.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "assay/core/label_view.hpp"
#include "assay/core/probability_view.hpp"
#include "assay/io/image.hpp"
#include "assay/run/alignment.hpp"
#include "assay/run/score_case.hpp"

namespace assay {

/// How the voxels of one side are to be read.
struct Reading {
  bool as_labels = false;
  std::optional<double> threshold{};
  Volumes volumes = Volumes::one;
  bool keeps_probabilities = false;  ///< the image stays if it may hold any
};

/// Labels, or a mask in which non-zero is foreground. Owns what `labels` borrows from: the image
/// itself when its bytes serve, else the converted codes.
struct Side {
  std::optional<Image> image;
  Buffer codes;
  std::vector<Label> values;
  LabelView labels;
};

/// Throws Error with the path in front.
Side read_side(const std::filesystem::path& path, const Reading& how, Workspace& workspace);

void give_back(Side side, Workspace& workspace);

/// A prediction in the order of the reference's voxels; borrows from what it was made from.
struct SettledPrediction {
  LabelView labels;
  Alignment alignment;
};

/// `moved` is what the result borrows from when voxels had to move.
SettledPrediction settled_on(const LabelView& prediction, const Grid& reference,
                             bool allow_affine_mismatch, Buffer& moved);

/// The same map, walked by `map` into `into` unless nothing has to move.
ProbabilityView walked(const ProbabilityView& from, const AxisMap& map, Buffer& into);

}  // namespace assay
