// SPDX-License-Identifier: Apache-2.0
/// Names in the Brain Imaging Data Structure: `sub-01_ses-2_desc-lesion_mask` states its entities.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

using Entities = std::map<std::string, std::string>;

/// "sub-01/ses-2/sub-01_ses-2_desc-x_mask" -> {sub: 01, ses: 2, desc: x}
Entities entities(std::string_view stem);

/// The id that some entities of a case give, in the order of `keys`: "sub-01_ses-2". Entities that
/// the case does not state are left out.
std::string entity_id(const Entities& of_case, std::span<const std::string> keys);

/// The entities that any of these names states, in the order that ids have them.
std::vector<std::string> stated_entities(std::span<const std::string> names);

/// Whether the file is in a folder of its subject: "sub-01/anat/sub-01_mask".
bool is_in_subject_folder(std::string_view stem);

/// The entities that distinguish the files of a BIDS tree: `sub`, and `ses`, `run`, … as soon as
/// any subject needs them. None when some file is not in the folder of a subject, or when entities
/// alone do not distinguish all files.
std::optional<std::vector<std::string>> telling_entities(std::span<const std::string> stems);

}  // namespace assay
