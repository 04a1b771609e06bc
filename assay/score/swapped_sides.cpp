// SPDX-License-Identifier: Apache-2.0
#include "assay/score/swapped_sides.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "assay/base/ascii.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/named.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

enum class Looks { like_nothing, like_predictions, like_references };

/// Words in the name of a file or folder, and the side that they suggest. Those of predictions come
/// first: "predicted_labels" are predictions.
constexpr Named<Looks> words[] = {
    {"pred", Looks::like_predictions},        {"preds", Looks::like_predictions},
    {"predict", Looks::like_predictions},     {"predicted", Looks::like_predictions},
    {"prediction", Looks::like_predictions},  {"predictions", Looks::like_predictions},
    {"output", Looks::like_predictions},      {"outputs", Looks::like_predictions},
    {"inference", Looks::like_predictions},   {"inferred", Looks::like_predictions},
    {"auto", Looks::like_predictions},        {"automatic", Looks::like_predictions},
    {"automated", Looks::like_predictions},   {"submission", Looks::like_predictions},
    {"submissions", Looks::like_predictions}, {"nnunet", Looks::like_predictions},
    {"unet", Looks::like_predictions},        {"label", Looks::like_references},
    {"labels", Looks::like_references},       {"gt", Looks::like_references},
    {"gts", Looks::like_references},          {"truth", Looks::like_references},
    {"groundtruth", Looks::like_references},  {"ref", Looks::like_references},
    {"refs", Looks::like_references},         {"reference", Looks::like_references},
    {"references", Looks::like_references},   {"manual", Looks::like_references},
    {"rater", Looks::like_references},        {"raters", Looks::like_references},
    {"expert", Looks::like_references},       {"experts", Looks::like_references},
    {"annotator", Looks::like_references},    {"annotators", Looks::like_references},
    {"annotation", Looks::like_references},   {"annotations", Looks::like_references},
    {"consensus", Looks::like_references}};

/// Files that nnU-Net writes next to predictions, never next to references.
struct Mark {
  std::string_view file;
  bool is_proof;  ///< only prediction runs write it
};

constexpr std::array marks = {
    Mark{"predict_from_raw_data_args.json", true},
    Mark{"plans.json", false},
    Mark{"postprocessing.pkl", false},
    Mark{"postprocessing.json", false},
};

/// "labelsTr_v2" -> labels, tr, v
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> out;
  bool goes_on = false, was_lower = false;
  for (const char c : name) {
    const bool is_upper = is_ascii_upper(c);
    if (is_ascii_letter(c)) {
      if (!goes_on || (is_upper && was_lower)) out.emplace_back();
      out.back() += ascii_lower(c);
    }
    goes_on = is_ascii_letter(c);
    was_lower = goes_on && !is_upper;
  }
  return out;
}

Looks looks_of_name(std::string_view name) {
  const std::vector<std::string> found = words_in(name);
  for (const Named<Looks>& word : words)
    if (std::ranges::find(found, word.name) != found.end()) return word.value;
  return Looks::like_nothing;
}

/// One side as it was given.
struct Given {
  Looks looks = Looks::like_nothing;
  std::string name;  ///< the evidence: a folder, a file, or a mark inside a folder
};

/// The last parts of a path that are not in the other side's path.
std::vector<std::string> own_parts(const fs::path& path, const fs::path& other) {
  constexpr std::size_t most = 3;
  const fs::path mine = fs::absolute(path / "").lexically_normal().parent_path();
  const fs::path theirs = fs::absolute(other / "").lexically_normal().parent_path();
  const auto differ = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end()).first;
  std::vector<std::string> out;
  for (auto part = differ; part != mine.end(); ++part) out.push_back(part->string());
  std::ranges::reverse(out);
  out.resize(std::min(out.size(), most));
  return out;
}

Given look_at(const fs::path& path, const fs::path& other) {
  std::error_code ignored;
  for (const Mark& mark : marks)
    if (fs::exists(path / mark.file, ignored))
      return {Looks::like_predictions,
              (path / "").parent_path().filename().string() + "/" + std::string(mark.file)};
  for (const std::string& part : own_parts(path, other))
    if (const Looks looks = looks_of_name(without_image_ending(part)); looks != Looks::like_nothing)
      return {looks, part};
  return {.name = (path / "").parent_path().filename().string()};
}

void refuse_proof(const fs::path& prediction, const fs::path& reference) {
  std::error_code ignored;
  for (const Mark& mark : marks)
    if (mark.is_proof && fs::exists(reference / mark.file, ignored) &&
        !fs::exists(prediction / mark.file, ignored))
      throw Error(Error::Kind::usage, reference,
                  "given as the reference, but it holds nnU-Net's " + std::string(mark.file) +
                      "; the prediction comes first, so swap the two");
}

}  // namespace

std::optional<std::string> swap_warning(const CohortRequest& request) {
  refuse_proof(request.prediction, request.reference);
  Given prediction = look_at(request.prediction, request.reference);
  const Given reference = look_at(request.reference, request.prediction);
  if (looks_of_name(request.model_name) == Looks::like_references)
    prediction = {Looks::like_references, request.model_name};
  const auto only_one = [](Looks looks, const Given& wrong, const Given& right) {
    return wrong.looks == looks && right.looks != looks;
  };
  if (!only_one(Looks::like_references, prediction, reference) &&
      !only_one(Looks::like_predictions, reference, prediction))
    return std::nullopt;
  return "predictions and references look swapped: '" + prediction.name +
         "' was given as the prediction, '" + reference.name +
         "' as the reference; the prediction comes first";
}

}  // namespace assay::score
