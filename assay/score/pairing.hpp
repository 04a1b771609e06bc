// SPDX-License-Identifier: Apache-2.0
/// Which prediction belongs to which reference. Works on names alone; docs/pairing.md explains it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::score {

/// A file that was found, and the case it says it belongs to.
struct NamedFile {
  std::string path;   ///< relative, with '/'
  std::string stem;   ///< the path without its image ending
  std::string label;  ///< the structure, when a pattern with {label} named one
};

struct Pair {
  std::string id;  ///< the reference's stem
  NamedFile prediction, reference;
};

/// How a cohort was paired: every file is in one of the three lists.
struct Pairing {
  std::vector<Pair> pairs;
  std::vector<NamedFile> without_prediction, without_reference;
  std::string rule;  ///< how the names were matched, for people
};

/// What a prediction is called in messages, and whether a pattern can choose one.
struct PairingWords {
  std::string_view prediction = "prediction";
  bool takes_pattern = true;
};

/// The names with their image endings dropped.
std::vector<NamedFile> named_files(const std::vector<std::string>& paths);

/// The files that a pattern such as "{id}_*_mask.nii.gz" or "{id}/{label}.nii.gz" matches; their
/// stem is the id. Throws Error::usage when it has no {id} or matches nothing.
std::vector<NamedFile> matching_files(const std::vector<std::string>& paths,
                                      std::string_view pattern);

/// Pairs by the same stem; otherwise by BIDS entities; otherwise by what is left of the names when
/// the parts common to a folder are dropped; otherwise by one name starting or ending with the
/// other. Throws Error::input when a case has two files on one side, or when several predictions
/// fit a reference; the message proposes a pattern.
Pairing paired(const std::vector<NamedFile>& predictions, const std::vector<NamedFile>& references,
               const PairingWords& words = {});

/// Where the references are a BIDS tree, ids become the entities that distinguish the references,
/// so that they do not depend on the predictions. A prediction without reference that would have
/// the id of another case keeps its name.
void name_by_entities(Pairing& pairing);

}  // namespace assay::score
