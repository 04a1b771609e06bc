// SPDX-License-Identifier: Apache-2.0
/// Parity as people read it: the verdict with its reasons, and a paper's models.
#pragma once

#include <string>

#include "assay/parity.hpp"
#include "assay/report/text/paper_table.hpp"

namespace assay::report {

/// Everything on one screen.
std::string parity_screen(const parity::ParityReport& report, bool color);

/// The specification's own report, symbols included.
std::string specified_parity_screen(const parity::ParityReport& report);

/// The models of a paper with `*` where they differ from its best, and their efficiency.
PaperTable models_table(const parity::Paper& paper);

/// The same, one model a line, with every number.
std::string models_csv(const parity::Paper& paper);

}  // namespace assay::report
