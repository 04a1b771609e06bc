// SPDX-License-Identifier: Apache-2.0
#include "assay/score/split_volumes.hpp"

#include <algorithm>
#include <optional>

#include "assay/error.hpp"
#include "assay/image/image_size.hpp"

namespace assay::score {
namespace {

/// How many volumes a file has; nothing when it cannot be read, which its case will say.
std::optional<std::size_t> volumes_in(const std::string& path, const PictureRules& pictures) try {
  return read_image_header(path, pictures).channels;
} catch (const Error&) {
  return std::nullopt;
}

/// One mask per volume: every volume is a structure. Points in time: every volume is a case.
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

}  // namespace

void split_volumes(Cohort& cohort) {
  const metrics::VolumeRule rule = cohort.settings.volumes;
  const auto is_whole = [](const CasePlan& plan) {
    return plan.fate == metrics::Fate::scored && plan.files.size() == 1 &&
           plan.files.front().region.empty();
  };
  if (rule == metrics::VolumeRule::automatic) {
    const auto first = std::ranges::find_if(cohort.cases, is_whole);
    const auto count = first == cohort.cases.end()
                           ? std::nullopt
                           : volumes_in(first->files.front().prediction, {});
    if (count.value_or(1) > 1)
      cohort.notes.push_back("predictions hold " + std::to_string(*count) +
                             " volumes, one for each class, and the likeliest class is the label; "
                             "--volumes says if they are something else");
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
