// SPDX-License-Identifier: Apache-2.0
/// The settings of a run by name: what is compared when it goes on, what its results say, and what
/// may change from one call to the next.
///
/// The server's address is not among them: the same model may be served from another machine
/// tomorrow. Who served is kept with every call. How much a model may say and how hard it thinks
/// may change, so that what was cut off can be asked again; each call keeps what it was asked with.
#pragma once

#include <string>

#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/run/qa_run.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa {

/// Without what may change: the limit of an answer, and the part of request_json that sets that
/// limit or the effort of reasoning.
SettingsRecord lasting_settings(const SettingsRecord& settings);

/// What may change, as a JSON object: max_output_tokens, that part of request_json, and the prices
/// by which calls are counted.
std::string asked_with(const SettingsRecord& settings, const Prices* prices);

}  // namespace assay::qa
