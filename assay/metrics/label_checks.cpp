// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/label_checks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay::metrics {
namespace {

constexpr std::size_t most_parts = 12;  ///< of a list in a message

/// Whether any of the region's members is one of the labels, which are ascending.
bool have_any(const std::vector<Label>& labels, const Region& region) {
  return std::ranges::any_of(
      region.members, [&](Label member) { return std::ranges::binary_search(labels, member); });
}

bool is_empty_everywhere(const SegmentationResult& result, std::size_t region) {
  return std::ranges::all_of(result.cases, [&](const CaseScores& c) {
    return c.record.fate != Fate::scored || c.labels[region].missing ||
           presence(c.labels[region].evidence.counts) == Presence::both_empty;
  });
}

std::vector<Label> without_background(std::vector<Label> labels) {
  std::erase(labels, 0);
  return labels;
}

bool have_common(const std::vector<Label>& a, const std::vector<Label>& b) {
  std::vector<Label> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return !both.empty();
}

/// "1, 2, 4-7"; the background is not listed.
std::string listed(const std::vector<Label>& found) {
  const std::vector<Label> labels = without_background(found);
  std::string out;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < labels.size();) {
    std::size_t last = i;
    while (last + 1 < labels.size() && labels[last + 1] == labels[last] + 1) ++last;
    if (++parts > most_parts) return out + ", …";
    out += (out.empty() ? "" : ", ") + std::to_string(labels[i]);
    if (last > i) out += (last > i + 1 ? "-" : ", ") + std::to_string(labels[last]);
    i = last + 1;
  }
  return out.empty() ? "none" : out;
}

std::string named(const Region& region) {
  if (region == foreground_region()) return "the foreground";
  const std::string kind = region.members.empty() ? "structure "
                           : region.is_union      ? "region "
                                                  : "label ";
  return kind + region.key + (region.name == region.key ? "" : " (" + region.name + ")");
}

/// "label 1 occurs", "label 1 and region whole occur".
std::string subject(const std::vector<Region>& regions, std::string_view one,
                    std::string_view several) {
  std::string out = named(regions.front());
  for (std::size_t i = 1; i < regions.size() && i < most_parts; ++i)
    out += (i + 1 == regions.size() ? " and " : ", ") + named(regions[i]);
  if (regions.size() > most_parts)
    out += " and " + std::to_string(regions.size() - most_parts) + " more";
  return out.append(regions.size() == 1 ? one : several);
}

/// Members of a region that occur nowhere, though others do, such as a mistyped number. Labels that
/// are scored by themselves are left to other warnings.
std::vector<Label> lost_members(const SegmentationResult& result, const Region& region,
                                const OccurringLabels& found) {
  std::vector<Label> out;
  if (!have_any(found.prediction, region) && !have_any(found.reference, region)) return out;
  for (const Label member : region.members) {
    const Region alone = {.key = "", .name = "", .members = {member}};
    const bool is_scored = std::ranges::any_of(
        result.regions, [&](const Region& other) { return other.members == alone.members; });
    if (!is_scored && !have_any(found.prediction, alone) && !have_any(found.reference, alone))
      out.push_back(member);
  }
  return out;
}

}  // namespace

OccurringLabels occurring_labels(const SegmentationResult& result) {
  OccurringLabels out;
  for (const CaseScores& c : result.cases) {
    if (c.record.fate != Fate::scored || !c.record.labels) continue;
    std::ranges::copy(c.record.labels->prediction, std::back_inserter(out.prediction));
    std::ranges::copy(c.record.labels->reference, std::back_inserter(out.reference));
  }
  return {distinct(std::move(out.prediction)), distinct(std::move(out.reference))};
}

std::vector<Region> absent_regions(const SegmentationResult& result) {
  const OccurringLabels found = occurring_labels(result);
  std::vector<Region> out;
  for (const Region& region : result.regions)
    if (!region.members.empty() && !have_any(found.prediction, region) &&
        !have_any(found.reference, region))
      out.push_back(region);
  return out;
}

std::string absence(const std::vector<Region>& absent, const OccurringLabels& found) {
  return subject(absent, " occurs", " occur") +
         " in no prediction and no reference of these cases; labels that do occur: " +
         listed(found.prediction) + " in predictions, " + listed(found.reference) +
         " in references";
}

std::vector<std::string> label_warnings(const SegmentationResult& result) {
  std::vector<std::string> out;
  if (result.ledger.scored == 0) return out;
  const OccurringLabels found = occurring_labels(result);
  const std::vector<Label> of_predictions = without_background(found.prediction),
                           of_references = without_background(found.reference);
  const bool strangers = !of_predictions.empty() && !of_references.empty() &&
                         !have_common(of_predictions, of_references);
  if (strangers)
    out.push_back("predictions and references have no label in common (" + listed(of_predictions) +
                  " against " + listed(of_references) +
                  "); check that both sides number their labels in the same way");
  std::vector<Region> empty, false_alarms;
  for (std::size_t r = 0; r < result.regions.size(); ++r) {
    const Region& region = result.regions[r];
    if (is_empty_everywhere(result, r))
      empty.push_back(region);
    else if (!strangers && !region.members.empty() && !have_any(found.reference, region))
      false_alarms.push_back(region);
  }
  if (!empty.empty())
    out.push_back(subject(empty, " is", " are") + " empty in every prediction and every reference");
  if (!false_alarms.empty())
    out.push_back(subject(false_alarms, " occurs", " occur") +
                  " in predictions only, never in a reference");
  for (const Region& region : result.regions)
    if (const auto lost = lost_members(result, region, found); !lost.empty())
      out.push_back((lost.size() == 1 ? "label " : "labels ") + listed(lost) + " of " +
                    named(region) + (lost.size() == 1 ? " occurs" : " occur") +
                    " in no prediction and no reference");
  return out;
}

}  // namespace assay::metrics
