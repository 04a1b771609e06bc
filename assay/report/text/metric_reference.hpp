// SPDX-License-Identifier: Apache-2.0
/// The metric table as text.
#pragma once

#include <string>

namespace assay::report {

/// For the terminal: a block per metric.
std::string metric_listing();

/// docs/metrics.md.
std::string metric_reference();

}  // namespace assay::report
