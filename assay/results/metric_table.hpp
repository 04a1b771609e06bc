// SPDX-License-Identifier: Apache-2.0
/// The metric table as data.
#pragma once

#include <string>

namespace assay::results {

/// What `assay metrics --json` prints: every row, every convention.
std::string metric_table_json();

}  // namespace assay::results
