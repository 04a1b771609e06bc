// SPDX-License-Identifier: Apache-2.0
/// The names under which other tools and papers report our metrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A name without case, spaces and punctuation: "Dice Score" and "dice_score" are the same.
std::string plain(std::string_view name);

/// Our key for a metric called `name` elsewhere; none when it is not ours or could mean several
/// things ("ASD", "AUC", "surface distance").
std::optional<std::string> metric_key(std::string_view name);

/// What to call the columns of a table: our key where there is one, else the name as it is. When
/// two columns mean the same metric, the one that bears the key itself has it, else the first.
std::vector<std::string> metric_keys(const std::vector<std::string>& names);

}  // namespace assay
