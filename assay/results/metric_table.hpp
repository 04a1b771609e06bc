// SPDX-License-Identifier: Apache-2.0
/// The metric table as data.
#pragma once

#include <string>
#include <string_view>

namespace assay::results {

inline constexpr std::string_view metrics_schema = "assay.metrics/1";

/// What `assay metrics --json` prints: every row, every convention.
std::string metric_table_json();

}  // namespace assay::results
