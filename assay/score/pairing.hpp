// SPDX-License-Identifier: Apache-2.0
/// Which prediction belongs to which reference. Works on names alone; docs/pairing.md explains it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::score {

/// A file that was found, and the case that its name says it belongs to.
struct NamedFile {
  std::string path;   ///< relative, with '/'
  std::string stem;   ///< the path without its image ending
  std::string label;  ///< the structure, when a pattern with {label} named one
};

struct Pair {
  std::string id;  ///< the reference's stem
  NamedFile prediction, reference;
};

/// How a cohort was paired. Every file is in exactly one of the three lists.
struct Pairing {
  std::vector<Pair> pairs;
  std::vector<NamedFile> without_prediction, without_reference;
  std::string rule;  ///< how the names were matched, for people
};

/// How messages call a prediction, and whether a pattern can choose one.
struct PairingWords {
  std::string_view prediction = "prediction";
  bool takes_pattern = true;
};

/// The files by name, without their image endings.
std::vector<NamedFile> named_files(const std::vector<std::string>& paths);

/// The files that a pattern such as "{id}_*_mask.nii.gz" or "{id}/{label}.nii.gz" matches; their
/// stem is the id. Throws Error::usage when it has no {id} or matches nothing.
std::vector<NamedFile> matching_files(const std::vector<std::string>& paths,
                                      std::string_view pattern);

/// Pairs by equal stems; otherwise by BIDS entities; otherwise by what is left of the names once
/// the parts common to a folder are dropped; otherwise by one name starting or ending with the
/// other. Throws Error::input when a case has two files on one side, or when several predictions
/// fit a reference. The message proposes a pattern.
Pairing paired(const std::vector<NamedFile>& predictions, const std::vector<NamedFile>& references,
               const PairingWords& words = {});

/// If the references are a BIDS tree, ids become the entities that distinguish the references, so
/// that they do not depend on the predictions. A prediction without a reference keeps its name if
/// its id would be that of another case.
void name_by_entities(Pairing& pairing);

}  // namespace assay::score
