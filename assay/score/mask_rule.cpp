// SPDX-License-Identifier: Apache-2.0
#include "assay/score/mask_rule.hpp"

#include "assay/error.hpp"
#include "assay/image/mask_content.hpp"

namespace assay::score {
namespace {

/// Predictions by a model of ours are labels, so no threshold is suggested.
std::string_view map_remedy(const metrics::ScoreSettings& settings) {
  return settings.source
             ? "give --foreground nonzero to count every value but 0, or turn it into a mask"
             : "give --threshold T, such as 0.5, to count every value >= T, or "
               "--foreground nonzero to count every value but 0";
}

}  // namespace

MaskRule prediction_rule(const metrics::ScoreSettings& settings) {
  return {.threshold = settings.threshold,
          .nonzero = settings.foreground_nonzero,
          .takes_maps = metrics::needs_only_probability(settings),
          .can_be_cut = !settings.source,
          .remedy = map_remedy(settings)};
}

MaskRule reference_rule(const metrics::ScoreSettings& settings) {
  return {.nonzero = settings.foreground_nonzero,
          .map_threshold = settings.threshold,
          .remedy = map_remedy(settings)};
}

void refuse_map(const std::string& values, const MaskRule& rule) {
  throw Error(Error::Kind::input,
              "is a map, not a mask: it holds several values besides 0, such as " + values + "; " +
                  std::string(rule.remedy));
}

JudgedMask mask_by(const MaskRule& rule, const Image& image, Buffer& scratch) {
  if (rule.nonzero) return {nonzero(image, scratch)};
  if (rule.threshold) return {foreground(image, rule.threshold, scratch)};
  const JudgedMask found = judged_mask(image, scratch);
  if (!found.is_map || rule.takes_maps) return found;
  if (rule.map_threshold)
    return {.foreground = foreground(image, rule.map_threshold, scratch), .is_map = true};
  refuse_map(map_values(image), rule);
}

}  // namespace assay::score
