// SPDX-License-Identifier: Apache-2.0
/// Declarations of the user's own metrics as data, in results, in shards, in files of
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

/// The reverse; only name and direction are required. Throws Error::usage on members that are
/// unknown, missing or of the wrong type.
metrics::OwnDeclaration parse_own_metric(const Json& json);

/// The declarations of the chosen metrics that are the user's own.
Json own_metrics_json(const std::vector<metrics::ChosenMetric>& chosen);

/// The metric with that key: one that the file declares, or one of ours.
std::optional<metrics::ChosenMetric> metric_among(const OwnMetrics& own, std::string_view key);

}  // namespace assay::results
