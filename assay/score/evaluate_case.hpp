// SPDX-License-Identifier: Apache-2.0
/// One case of an evaluation: from image to prediction, then prediction against reference.
#pragma once

#include <filesystem>

#include "assay/base/temporary_folder.hpp"
#include "assay/score/case_predictor.hpp"
#include "assay/score/score_case.hpp"

namespace assay::score {

/// The space in which voxels are counted.
enum class MetricSpace {
  native,  ///< the reference's own grid; the prediction is brought back to it
  model,   ///< the grid that the model sees; the reference is brought to it
};

std::span<const Named<MetricSpace>> metric_spaces();

struct Evaluation {
  CasePredictor& predictor;
  const metrics::ScoreSettings& settings;
  MetricSpace space = MetricSpace::native;
  std::filesystem::path save{};  ///< a folder for the predictions; "": they are not kept
  const TemporaryFolder& scratch;
};

/// Whether a file named after the id stays inside its folder.
bool is_plain_name(const std::string& id);

/// The name under which the prediction of a case is kept: its id, nested folders included. Throws
/// Error::input for an id that points outside the folder.
std::filesystem::path prediction_name(const std::string& id);

/// Predicts and scores. The first file of the plan's pair is the image, and the record names it as
/// such. The record names a prediction only if that is kept. Like score_case, it never throws for a
/// reason in the files.
metrics::CaseRecord evaluate_case(const CasePlan& plan, const Evaluation& evaluation,
                                  Workspace& workspace);

}  // namespace assay::score
