// SPDX-License-Identifier: Apache-2.0
/// What was measured on a case, written as a line of the journal and read back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/cohort.hpp"

namespace assay::results {

/// One case as one line of JSON, and back. Throws Error::input when the text is not such a record.
std::string record_text(const metrics::CaseRecord& record);
metrics::CaseRecord parse_record(std::string_view text);

/// The fate of a case from its name in files.
std::optional<metrics::Fate> fate_named(std::string_view text);

}  // namespace assay::results
