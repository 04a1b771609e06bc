// SPDX-License-Identifier: Apache-2.0
/// The scoring of one pair of files: what both ways of counting, in memory and by tiles, share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/score.hpp"
#include "assay/score/alignment.hpp"
#include "assay/score/score_case.hpp"
#include "assay/score/side.hpp"

namespace assay::score {

/// One of the two files of a pair, and its name in messages.
struct PairRole {
  const char* name;
  std::string FilePair::*file;
  std::string CasePlan::*shown;
};

inline constexpr PairRole of_prediction = {"prediction", &FilePair::prediction,
                                           &CasePlan::prediction};
inline constexpr PairRole of_reference = {"reference", &FilePair::reference, &CasePlan::reference};

/// Reads one side of a pair. An error names the side and its file, and is recorded as the
/// reference's fault if it comes from the reference.
template <class Work>
auto on_side(const PairRole& role, const CasePlan& plan, const FilePair& files,
             metrics::CaseRecord& record, Work work) try {
  return work(files.*role.file);
} catch (const Error& e) {
  record.reference_at_fault = role.file == &FilePair::reference;
  const Error shown = as_shown(e.about(files.*role.file), files.*role.file, plan.*role.shown);
  throw Error(e.kind(), std::string(role.name) + " " + shown.what());
}

/// The settings for what prediction pictures do not state themselves. Predictions may be of another
/// level than references.
PictureRules pictures_of_prediction(const metrics::ScoreSettings& settings);

/// Whether a metric needs more than counts.
bool needs_shapes(const metrics::ScoreSettings& settings);

/// What scoring one pair of files needs.
struct CaseJob {
  const CasePlan& plan;
  const FilePair& files;
  const metrics::ScoreSettings& settings;
  Workspace& workspace;
  metrics::CaseRecord& record;

  Reading reading_of_prediction(bool as_labels) const;
  Reading reading_of_reference(bool as_labels) const;
  Side prediction(bool as_labels) const;
  Side reference(bool as_labels) const;
  /// Whether one mask is scored, not labels.
  bool scores_a_mask() const { return !files.region.empty() || only_foreground(settings); }
};

/// Counts what was requested and puts it into the record. Returns the regions that were counted.
std::vector<metrics::Region> count_regions(std::span<const metrics::JointCount> joint,
                                           const CaseJob& job);

/// Puts what is known about the grid of both sides into the record.
void note_grid(const Alignment& alignment, const CaseJob& job);

/// Puts anything odd about one side of a pair into the record. A prediction that is still a map has
/// no counts; a reference that was a map has been thresholded.
void note_reading(bool is_map, std::span<const std::string> oddities, const PairRole& role,
                  const CaseJob& job);

}  // namespace assay::score
