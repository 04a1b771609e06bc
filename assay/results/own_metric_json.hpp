// SPDX-License-Identifier: Apache-2.0
/// Declarations of the user's own metrics as data: in results, in shards, in files of
/// `--own-metric` and from Python. docs/own-metrics.md describes them.
#pragma once

#include <memory>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/own_metric.hpp"

namespace assay::results {

using OwnMetrics = std::vector<std::shared_ptr<const metrics::OwnMetric>>;

/// Every member of a declaration.
Json own_metric_json(const metrics::OwnDeclaration& declared);

/// The same from data, in which only name and direction are needed. Throws Error::usage on what is
/// unknown, missing or of another type.
metrics::OwnDeclaration parse_own_metric(const Json& json);

/// The declarations of those metrics that are not in the table.
Json own_metrics_json(const std::vector<metrics::ChosenMetric>& chosen);

/// The metric of a key: declared by a file, or one of ours.
std::optional<metrics::ChosenMetric> metric_among(const OwnMetrics& own, std::string_view key);

}  // namespace assay::results
