// SPDX-License-Identifier: Apache-2.0
/// The specification's benchmark table: published rows, a rule, ours.
#pragma once

#include <string>

#include "assay/parity.hpp"

namespace assay::parity {

/// Markdown without a last line break. Under compat: as the specification prints it, our row judged
/// as meshnet_26 whatever the variant, with its symbols.
std::string benchmark_table(const ParityReport& report, const Paper& paper);

/// The specification's mark of a level.
std::string_view parity_symbol(ParityLevel level);

}  // namespace assay::parity
