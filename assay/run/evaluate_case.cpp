// SPDX-License-Identifier: Apache-2.0
#include "assay/run/evaluate_case.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/io/file.hpp"
#include "assay/io/image.hpp"
#include "assay/run/alignment.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A label map in bytes, each voxel the label itself.
Volume<std::uint8_t> byte_labels(const Image& image, const ScoreSettings& settings) {
  Buffer scratch;
  if (only_foreground(settings)) {
    const View<std::uint8_t> mask = foreground(image, {}, scratch);
    std::vector<std::uint8_t> voxels(mask.voxels.size());
    for (std::size_t i = 0; i < voxels.size(); ++i) voxels[i] = mask.voxels[i] != 0 ? 1 : 0;
    return {mask.grid, std::move(voxels)};
  }
  std::vector<Label> values;
  const LabelView map = labels(image, scratch, values);
  for (const Label value : map.values)
    if (value < 0 || value > 255)
      throw Error(Error::Kind::unsupported,
                  "has the label " + std::to_string(value) +
                      "; in the space of the model labels are 0 to 255. Use --space native");
  std::vector<std::uint8_t> voxels(map.grid.size());
  std::visit(
      [&](const auto codes) {
        for (std::size_t i = 0; i < voxels.size(); ++i)
          voxels[i] = static_cast<std::uint8_t>(map.values[codes[i]]);
      },
      map.codes);
  return {map.grid, std::move(voxels)};
}

/// The reference on the grid of the model.
Volume<std::uint8_t> moved_reference(const fs::path& path, const PredictedCase& predicted,
                                     const Evaluation& e) try {
  const Volume<std::uint8_t> labels = byte_labels(read_image(path), e.settings);
  const Alignment alignment =
      aligned(labels.grid(), predicted.placement.native, e.settings.allow_affine_mismatch);
  Volume<std::uint8_t> walked(predicted.placement.native);
  reorient(labels.view(), alignment.map, walked.voxels());
  return prepared_labels(walked.view(), e.predictor.setup().recipe, e.predictor.setup().executor);
} catch (const Error& error) {
  const std::string text = error.what();
  const std::string name = path.filename().string();
  if (text.find(name) != std::string::npos) throw;
  throw error.within("reference " + name);
}

/// Both sides as files on the same grid; what score_case then reads.
struct Sides {
  fs::path prediction, reference;
};

Sides written_sides(const CasePlan& plan, const PredictedCase& predicted, const Evaluation& e) {
  const ModelSetup& setup = e.predictor.setup();
  const Volume<std::uint8_t> native =
      restored(predicted.labels.view(), predicted.placement, setup.recipe, setup.executor);
  // One name per case, without folders: ids are unique, their hashes as well.
  const std::string stem = sha256(plan.id).substr(0, 16);
  Sides sides = {e.scratch.path() / (stem + ".prediction.nii"), plan.files.front().reference};
  if (!e.save.empty()) {
    const fs::path kept = e.save / prediction_name(plan.id);
    make_folder(kept.parent_path());
    write_image(kept, native.view());
    sides.prediction = kept;
  }
  if (e.space == MetricSpace::model) {
    sides = {e.scratch.path() / (stem + ".prediction.nii"),
             e.scratch.path() / (stem + ".reference.nii")};
    const auto reference = moved_reference(plan.files.front().reference, predicted, e);
    const auto prediction = cleaned(predicted.labels.view(), setup.recipe);
    write_image(sides.reference, reference.view());
    write_image(sides.prediction, prediction.view());
  } else if (e.save.empty()) {
    write_image(sides.prediction, native.view());
  }
  return sides;
}

/// Scores the written files, and forgets those that are nobody's.
CaseRecord scored_sides(const CasePlan& plan, const Sides& sides, const Evaluation& e,
                        Workspace& workspace) {
  CasePlan written = plan;
  written.prediction = sides.prediction.filename().string();
  written.files = {{"", sides.prediction, sides.reference}};
  CaseRecord record = score_case(written, e.settings, workspace);
  std::error_code ignored;
  for (const fs::path& file : {sides.prediction, sides.reference})
    if (file.parent_path() == e.scratch.path()) fs::remove(file, ignored);
  return record;
}

/// The record of a case that could not be predicted.
CaseRecord unpredicted(CasePlan plan, const std::string& why, const Evaluation& e,
                       Workspace& workspace) {
  plan.fate = Fate::failed;
  plan.error = why;
  return score_case(plan, e.settings, workspace);
}

/// Results name no place on this machine.
std::string without_folder(std::string text, const fs::path& file) {
  const std::string folder = (file.parent_path() / "").string();
  for (std::size_t at = 0; folder.size() > 1 && (at = text.find(folder, at)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

}  // namespace

fs::path prediction_name(const std::string& id) {
  const fs::path name = id + ".nii.gz";
  if (name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end())
    throw Error(Error::Kind::input, "the id '" + id + "' leads out of the folder of predictions");
  return name;
}

CaseRecord evaluated_case(const CasePlan& plan, const Evaluation& evaluation,
                          Workspace& workspace) {
  if (plan.fate != Fate::scored) return score_case(plan, evaluation.settings, workspace);
  const fs::path& image = plan.files.front().prediction;
  try {
    const PredictedCase predicted = evaluation.predictor.predicted(image);
    const Sides sides = written_sides(plan, predicted, evaluation);
    CaseRecord record = scored_sides(plan, sides, evaluation, workspace);
    record.prediction =
        evaluation.save.empty() ? plan.prediction : prediction_name(plan.id).string();
    if (record.fate == Fate::scored) {
      record.prediction_sha256 = predicted.image_sha256;
      record.reference_sha256 = sha256(MappedFile(plan.files.front().reference).bytes());
    }
    return record;
  } catch (const Error& e) {
    return unpredicted(plan, without_folder(e.what(), image), evaluation, workspace);
  } catch (const std::bad_alloc&) {
    return unpredicted(plan, "not enough memory for this case", evaluation, workspace);
  }
}

}  // namespace assay
