// SPDX-License-Identifier: Apache-2.0
/// How an agent arrived at its answer to one question: the data of `assay.trajectory/1`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/qa/values/usage.hpp"
#include "assay/slide/slide_info.hpp"

namespace assay::qa {

/// A picture that the model saw; the file is RUN/crops/<sha256>.jpg.
struct TrajectoryImage {
  std::string sha256;
  slide::SlideRegion region;          ///< of the slide
  std::size_t width = 0, height = 0;  ///< pixels of the picture
  std::string kind;                   ///< thumbnail, crop, patch, collage

  bool operator==(const TrajectoryImage&) const = default;
};

/// One call of the model.
struct TrajectoryTurn {
  unsigned step = 0;
  std::vector<TrajectoryImage> images{};  ///< new in this call
  std::string prompt{}, reply{};
  std::string problem{};  ///< why the reply could not be used; empty when it could
  std::optional<slide::SlideRegion> crop{};  ///< what the reply asked to see
  std::string model{}, request_id{};
  Usage usage{};
  std::optional<double> cost_usd{};

  bool operator==(const TrajectoryTurn&) const = default;
};

struct Trajectory {
  std::string benchmark, item_id;
  unsigned run = 0;
  std::string question{}, slide{};
  std::int64_t slide_width = 0, slide_height = 0;
  std::vector<TrajectoryTurn> turns{};
  std::string final_answer{}, outcome{}, error{};

  bool operator==(const Trajectory&) const = default;
};

}  // namespace assay::qa
