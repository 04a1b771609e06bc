// SPDX-License-Identifier: Apache-2.0
/// `assay.parity/1` and the published table as JSON: docs/formats/parity.md.
#pragma once

#include <string>
#include <string_view>

#include "assay/parity/report.hpp"
#include "assay/results/results.hpp"

namespace assay::results {

inline constexpr std::string_view parity_schema = "assay.parity/1";

/// The text of an `assay.parity/1` file.
std::string parity_text(const parity::ParityReport& report, const Provenance& provenance);

/// What people look at again: verdicts, values, limits, sentences. The file does not contain the
/// samples that they come from. Throws Error::input, with `name`, on anything but such a file.
parity::ParityReport parse_parity(std::string_view text, const std::string& name);

/// Every model of a paper, with Dice for each million parameters; `read_paper` reads it back.
std::string paper_text(const parity::Paper& paper);

}  // namespace assay::results
