// SPDX-License-Identifier: Apache-2.0
#include "assay/score/split_volumes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "assay/error.hpp"
#include "assay/image/image_size.hpp"
#include "assay/image/label_table.hpp"
#include "assay/score/case_job.hpp"

namespace assay::score {
namespace {

/// How many volumes a file has; nothing when it cannot be read, which its case will report.
std::optional<std::size_t> volumes_in(const std::string& path, const PictureRules& pictures) try {
  return read_image_header(path, pictures).channels;
} catch (const Error&) {
  return std::nullopt;
}

/// Whether a case is a single pair of files.
bool is_whole(const CasePlan& plan) {
  return plan.fate == metrics::Fate::scored && plan.files.size() == 1 &&
         plan.files.front().region.empty();
}

/// With one mask per volume, every volume is a structure. With points in time, every volume is a
/// case.
void split_case(const CasePlan& plan, std::size_t volumes, metrics::VolumeRule rule,
                std::vector<CasePlan>& out) {
  constexpr std::size_t least_digits = 3;
  const std::size_t digits = std::max(least_digits, std::to_string(volumes).size());
  const bool in_time = rule == metrics::VolumeRule::time;
  if (!in_time) out.push_back(plan), out.back().files.clear();
  for (std::size_t k = 1; k <= volumes; ++k) {
    FilePair files = plan.files.front();
    files.volume = k;
    const std::string number = std::to_string(k);
    if (in_time) {
      out.push_back(plan);
      out.back().id += "/t" + std::string(digits - number.size(), '0') + number;
      out.back().files = {files};
    } else {
      files.region = number;
      out.back().files.push_back(files);
    }
  }
}

bool has_name(const std::vector<Segment>& segments, const std::string& name) {
  return std::ranges::any_of(segments, [&](const Segment& s) { return s.row.name == name; });
}

bool has_layers(const std::vector<Segment>& segments) {
  return std::ranges::any_of(segments, [](const Segment& s) { return s.layer > 0; });
}

/// One structure for each segment, by name, that some reference has.
void split_into_segments(CasePlan& plan, const std::set<std::string>& names) {
  const FilePair whole = plan.files.front();
  const std::vector<Segment> predicted = read_segments(whole.prediction),
                             expected = read_segments(whole.reference);
  if (predicted.empty() || expected.empty()) {
    plan.fate = metrics::Fate::failed;
    plan.error =
        "segments of this cohort overlap, so both files must name theirs; give .seg.nrrd files";
    return;
  }
  plan.files.clear();
  for (const std::string& name : names)
    plan.files.push_back({name, has_name(predicted, name) ? whole.prediction : "",
                          has_name(expected, name) ? whole.reference : ""});
}

/// Overlapping segments of 3D Slicer are stored in layers. Each becomes a structure of its own.
void split_segments(Cohort& cohort) {
  std::set<std::string> names;
  bool overlap = false;
  for (const CasePlan& plan : cohort.cases) {
    if (!is_whole(plan)) continue;
    const std::vector<Segment> expected = read_segments(plan.files.front().reference);
    for (const Segment& segment : expected) names.insert(segment.row.name);
    overlap =
        overlap || has_layers(expected) || has_layers(read_segments(plan.files.front().prediction));
  }
  if (!overlap) return;
  for (CasePlan& plan : cohort.cases)
    if (is_whole(plan)) split_into_segments(plan, names);
  cohort.notes.emplace_back("segments overlap, so each is scored by itself, under its name");
}

}  // namespace

void split_volumes(Cohort& cohort) {
  const metrics::VolumeRule rule = cohort.settings.volumes;
  if (rule == metrics::VolumeRule::automatic) {
    split_segments(cohort);
    const auto first = std::ranges::find_if(cohort.cases, is_whole);
    const auto count =
        first == cohort.cases.end()
            ? std::nullopt
            : volumes_in(first->files.front().prediction, pictures_of_prediction(cohort.settings));
    if (count.value_or(1) > 1)
      cohort.notes.push_back(
          "predictions hold " + std::to_string(*count) + " volumes, one for each class, and " +
          (cohort.settings.threshold ? "the sum of all but the first is thresholded"
                                     : "the most likely class is the label") +
          "; use --volumes if they are something else");
  }
  if (rule != metrics::VolumeRule::labels && rule != metrics::VolumeRule::time) return;
  std::vector<CasePlan> cases;
  for (const CasePlan& plan : cohort.cases) {
    const auto count = is_whole(plan)
                           ? volumes_in(plan.files.front().reference, cohort.settings.pictures)
                           : std::nullopt;
    if (count)
      split_case(plan, *count, rule, cases);
    else
      cases.push_back(plan);
  }
  cohort.cases = std::move(cases);
}

}  // namespace assay::score
