// SPDX-License-Identifier: Apache-2.0
/// What was measured on a case as a line of the journal, and the reverse.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/cohort.hpp"

namespace assay::results {

/// One case as one line of JSON, and back. Throws Error::input on text that is not such a record.
std::string record_text(const metrics::CaseRecord& record);
metrics::CaseRecord parse_record(std::string_view text);

/// What became of a case, by its name in files.
std::optional<metrics::Fate> fate_named(std::string_view text);

}  // namespace assay::results
