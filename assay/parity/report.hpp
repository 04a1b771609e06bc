// SPDX-License-Identifier: Apache-2.0
/// The specification's benchmark table: published rows, a rule, ours.
#pragma once

#include <string>

#include "assay/parity.hpp"

namespace assay::parity {

/// Markdown without a last line break. With compat_spec it is as the specification prints it, with
/// its symbols, and our row is judged as meshnet_26 whatever the variant.
std::string benchmark_table(const ParityReport& report, const Paper& paper);

/// The specification's mark of a level.
std::string_view parity_symbol(ParityLevel level);

}  // namespace assay::parity
