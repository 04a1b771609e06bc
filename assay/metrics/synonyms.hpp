// SPDX-License-Identifier: Apache-2.0
/// The names under which people, papers and other tools know our metrics. Names that people type or
/// other tools write are matched with the titles and other names in the metrics' rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metrics {

struct Metric;

/// A name without case, spaces and punctuation: "Dice Score" and "dice_score" are the same.
std::string plain(std::string_view name);

/// Our key for a metric called `name`: "DSC" is dice, "HD99" is hd99, "Surface Dice @ 2 mm" is
/// nsd@2mm. None when it is not ours or could mean several things ("ASD", "AUC").
std::optional<std::string> metric_key(std::string_view name);

/// Whether `typed` names the metric that is called `name`, ours or not.
bool names_metric(std::string_view typed, std::string_view name);

/// What to call the columns of a table: our key where there is one, else the name as it is. When
/// two columns mean the same metric, the one named by the key itself gets it, else the first.
std::vector<std::string> metric_keys(const std::vector<std::string>& names);

/// Which of the `known` metrics an unknown name may mean: judged by its meaning, or by its spelling
/// if it has no known meaning. "; choose assd (…) or masd (…)", "; did you mean 'dice'?", or "".
std::string metric_hint(std::string_view typed, std::span<const std::string> known);

/// The other names of a metric, for people; its title is not among them.
std::vector<std::string_view> synonyms_of(const Metric& metric);

}  // namespace assay::metrics
