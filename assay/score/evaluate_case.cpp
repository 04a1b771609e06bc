// SPDX-License-Identifier: Apache-2.0
#include "assay/score/evaluate_case.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/score/alignment.hpp"
#include "assay/score/channels.hpp"
#include "assay/score/mask_rule.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// A label map in bytes; each voxel is the label itself.
Volume<std::uint8_t> byte_labels(const Image& image, const metrics::ScoreSettings& settings) {
  Buffer scratch;
  if (only_foreground(settings)) {
    const View<std::uint8_t> mask = mask_by(reference_rule(settings), image, scratch).foreground;
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
  return {map.grid, per_voxel(map, [&](std::size_t code) {
            return static_cast<std::uint8_t>(map.values[code]);
          })};
}

/// Thrown when the reference cannot be read, which is not the prediction's fault.
class ReferenceFault : public Error {
 public:
  explicit ReferenceFault(const Error& error) : Error(error) {}
};

/// Calls `read` on a reference and turns its errors into the reference's fault.
template <class Read>
auto read_reference(const fs::path& path, Read read) try {
  return read(read_image(path));
} catch (const Error& e) {
  throw ReferenceFault(e.about(path.string()));
}

/// A reference on the grid of the model, and anything odd about its own grid.
struct MovedReference {
  Volume<std::uint8_t> labels;
  std::string warning;
};

MovedReference read_moved_reference(const fs::path& path, const PredictedCase& predicted,
                                    const Evaluation& e) {
  const auto labels =
      read_reference(path, [&](const Image& image) { return byte_labels(image, e.settings); });
  const Alignment alignment =
      aligned(labels.grid(), predicted.placement.native, e.settings.allow_affine_mismatch);
  Volume<std::uint8_t> walked(predicted.placement.native);
  reorient(labels.view(), alignment.map, walked.voxels());
  return {model::prepared_labels(walked.view(), e.predictor.setup().recipe,
                                 e.predictor.setup().executor),
          alignment.warning};
}

/// An array has no position in space, so its prediction takes that of the reference, index by
/// index.
Volume<std::uint8_t> placed(Volume<std::uint8_t> labels, const fs::path& reference) {
  if (labels.grid().in_space) return labels;
  const Grid grid = read_reference(reference, [](const Image& image) { return image.grid(); });
  if (!grid.in_space) return labels;
  const Alignment alignment = aligned(labels.grid(), grid, false);
  Volume<std::uint8_t> out(alignment.grid);
  reorient(labels.view(), alignment.map, out.voxels());
  return out;
}

/// Both sides as files on the same grid, for score_case to read.
struct Sides {
  fs::path prediction, reference;
  std::string warning{};
};

Sides write_sides(const CasePlan& plan, const PredictedCase& predicted, const Evaluation& e) {
  const ModelSetup& setup = e.predictor.setup();
  const fs::path& reference = plan.files.front().reference;
  // One name per case, without folders. Ids are unique, so their hashes are, too.
  const fs::path stem = e.scratch.path() / sha256(plan.id).substr(0, 16);
  const Sides temporary = {stem.string() + ".prediction.nii", stem.string() + ".reference.nii"};
  const bool in_model_space = e.space == MetricSpace::model;
  const fs::path native = e.save.empty() ? temporary.prediction : e.save / prediction_name(plan.id);
  if (!in_model_space || !e.save.empty()) {
    make_folder(native.parent_path());
    const Volume<std::uint8_t> labels = placed(
        model::restored(predicted.labels.view(), predicted.placement, setup.recipe, setup.executor),
        reference);
    write_image(native, labels.view());
  }
  if (!in_model_space) return {native, reference};
  const MovedReference moved = read_moved_reference(reference, predicted, e);
  const Volume<std::uint8_t> prediction = model::cleaned(predicted.labels.view(), setup.recipe);
  write_image(temporary.reference, moved.labels.view());
  write_image(temporary.prediction, prediction.view());
  return {temporary.prediction, temporary.reference, moved.warning};
}

/// Scores the written files, and deletes the temporary ones.
metrics::CaseRecord score_sides(const CasePlan& plan, const Sides& sides, const Evaluation& e,
                                Workspace& workspace) {
  CasePlan written = plan;
  written.prediction = sides.prediction.filename().string();
  written.files = {{"", sides.prediction, sides.reference}};
  metrics::CaseRecord record = score_case(written, e.settings, workspace);
  std::error_code ignored;
  for (const fs::path& file : {sides.prediction, sides.reference})
    if (file.parent_path() == e.scratch.path()) fs::remove(file, ignored);
  return record;
}

/// The message of an error, with its file named as in results.
std::string shown_message(const Error& e, const CasePlan& plan) {
  const FilePair& files = plan.files.front();
  return as_shown(as_shown(e, files.prediction, plan.prediction), files.reference, plan.reference)
      .what();
}

/// The record of a case that could not be predicted.
metrics::CaseRecord record_unpredicted(CasePlan plan, std::string why, const Evaluation& e,
                                       Workspace& workspace) {
  plan.fate = metrics::Fate::failed;
  plan.error = std::move(why);
  return score_case(plan, e.settings, workspace);
}

}  // namespace

std::span<const Named<MetricSpace>> metric_spaces() {
  static constexpr Named<MetricSpace> spaces[] = {{"native", MetricSpace::native},
                                                  {"model", MetricSpace::model}};
  return spaces;
}

bool is_plain_name(const std::string& id) {
  const fs::path name = id;
  return !name.is_absolute() && std::ranges::find(name, fs::path("..")) == name.end();
}

fs::path prediction_name(const std::string& id) {
  if (!is_plain_name(id))
    throw Error(Error::Kind::input, "the id '" + id + "' points outside the folder of predictions");
  return id + ".nii.gz";
}

metrics::CaseRecord evaluate_case(const CasePlan& plan, const Evaluation& evaluation,
                                  Workspace& workspace) {
  if (plan.fate != metrics::Fate::scored) return score_case(plan, evaluation.settings, workspace);
  try {
    const PredictedCase predicted = evaluation.predictor.predict(image_files(plan.files.front()));
    const Sides sides = write_sides(plan, predicted, evaluation);
    metrics::CaseRecord record = score_sides(plan, sides, evaluation, workspace);
    for (const std::string& warning : {predicted.warning, sides.warning})
      if (!warning.empty()) record.warnings.push_back(warning);
    record.image = plan.prediction;
    record.prediction = evaluation.save.empty() ? "" : prediction_name(plan.id).string();
    record.prediction_sha256 = "";
    if (record.fate == metrics::Fate::scored) {
      record.image_sha256 = predicted.image_sha256;
      record.reference_sha256 = image_sha256(plan.files.front().reference);
      if (!evaluation.save.empty())
        record.prediction_sha256 = image_sha256(evaluation.save / prediction_name(plan.id));
    }
    return record;
  } catch (const ReferenceFault& e) {
    metrics::CaseRecord record =
        record_unpredicted(plan, "reference " + shown_message(e, plan), evaluation, workspace);
    record.reference_at_fault = true;
    return record;
  } catch (const Error& e) {
    return record_unpredicted(plan, shown_message(e, plan), evaluation, workspace);
  } catch (const std::bad_alloc&) {
    return record_unpredicted(plan, "not enough memory for this case", evaluation, workspace);
  }
}

}  // namespace assay::score
