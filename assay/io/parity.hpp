// SPDX-License-Identifier: Apache-2.0
/// `assay.parity/1` and the published table as JSON: docs/formats/parity.md.
#pragma once

#include <string>

#include "assay/io/results.hpp"
#include "assay/parity/report.hpp"

namespace assay {

/// The text of an `assay.parity/1` file.
std::string parity_text(const ParityReport& report, const Provenance& provenance);

/// Every model of a paper, with Dice for each million parameters; `read_paper` reads it back.
std::string paper_text(const Paper& paper);

}  // namespace assay
