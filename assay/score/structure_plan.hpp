// SPDX-License-Identifier: Apache-2.0
/// Cohorts of DICOM objects: which files belong together, and which structures are scored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/image/dicom_objects.hpp"
#include "assay/metrics.hpp"
#include "assay/score.hpp"
#include "assay/score/pairing.hpp"

namespace assay::score {

/// Whether one of the two files has named structures.
bool has_structures(const FilePair& files);

/// How the structures of a file become voxels. `target` is the other side's grid, for contours that
/// take it.
StructureReading structure_reading(const metrics::ScoreSettings& settings,
                                   const std::optional<Grid>& target);

/// A pair of files that both exist, and the structures that are scored in it.
struct FileGroup {
  const FilePair* files;
  std::vector<std::string> keys;
};

/// The groups of a plan. Structures that lack one of the files go into the record.
std::vector<FileGroup> file_groups(const CasePlan& plan, metrics::CaseRecord& record);

/// Names DICOM files by what the request says, and others by their file names. DICOM images are
/// left out, since segmentations and contours were drawn on them; they stay only as the images of a
/// model. By default two folders of DICOM are named by StudyInstanceUID, or by PatientID where no
/// study is on both sides. A note says which.
void name_dicom(const CohortRequest& request, std::vector<NamedFile>& predictions,
                std::vector<NamedFile>& references, std::vector<std::string>& notes);

/// Gives a case of two files with named structures one pair for each structure, unless labels or
/// regions are requested. Throws Error::input when no structure of any case is on both sides.
void split_by_structure(std::vector<CasePlan>& cases, std::vector<std::string>& notes);

/// Whether any file of a case has contours.
bool have_contours(const std::vector<CasePlan>& cases);

/// The names of structures by their numbers, from the first file that has any.
std::vector<metrics::Region> structure_labels(const std::vector<CasePlan>& cases);

/// Gives regions that are named after structures their colours, from the first files that have
/// them.
void color_structures(const std::vector<CasePlan>& cases, std::vector<metrics::Region>& regions);

}  // namespace assay::score
