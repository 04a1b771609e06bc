// SPDX-License-Identifier: Apache-2.0
/// Scores as a derivative dataset of the Brain Imaging Data Structure (BIDS): names, tables and
/// what describes them. docs/challenges.md shows the layout.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "assay/base/text.hpp"
#include "assay/cohort.hpp"

namespace assay::results {

/// Entities of file names in the order that the schema of BIDS 1.10 requires (rules/entities).
inline constexpr std::string_view bids_entities[] = {
    "sub",   "tpl",   "ses", "cohort", "sample", "task", "tracksys", "acq",   "nuc",
    "voi",   "ce",    "trc", "stain",  "rec",    "dir",  "run",      "mod",   "echo",
    "flip",  "inv",   "mt",  "part",   "proc",   "hemi", "space",    "split", "recording",
    "chunk", "atlas", "seg", "scale",  "res",    "den",  "label",    "prov",  "desc"};

/// Suffixes of segmentations (rules/files/deriv/imaging).
inline constexpr std::string_view bids_segmentations[] = {"mask", "dseg", "probseg"};

/// Suffixes of our own: BIDS 1.10 has none for tables of agreement and their summaries.
inline constexpr std::string_view bids_metrics = "metrics", bids_results = "results";

/// "sub-01_desc-net_mask" -> "mask"; "" where a name has no suffix.
std::string_view bids_suffix(std::string_view stem);

bool is_bids_segmentation(std::string_view stem);

/// The letters and digits of a text, which are all that the value of an entity may contain. Throws
/// Error::usage when there are none.
std::string bids_label(std::string_view text);

/// Where the metrics of a case belong: "sub-01/ses-2/anat/sub-01_ses-2_desc-net_metrics.tsv" for
/// the reference "sub-01/ses-2/anat/sub-01_ses-2_desc-manual_mask". `model` becomes the value of
/// `desc`; entities that BIDS does not know are left out. Throws Error::input when the name has no
/// subject.
std::string bids_metrics_path(std::string_view stem, std::string_view model);

/// "desc-net_metrics.tsv": a file of the whole dataset.
std::string bids_dataset_path(std::string_view model, std::string_view suffix,
                              std::string_view ending);

/// dataset_description.json.
std::string bids_description(std::string_view version);

/// A row for each label of each case: participant, case, label, status, groups, metrics; "n/a"
/// where there is no value.
void write_bids_table(const metrics::SegmentationResult& result,
                      std::span<const metrics::CaseScores> cases, const TextSink& sink);

/// What the columns of the tables mean: the JSON file that goes with them.
std::string bids_sidecar(const metrics::SegmentationResult& result);

}  // namespace assay::results
