// SPDX-License-Identifier: Apache-2.0
/// Events and settings as JSON. Included by .cpp files only.
#pragma once

#include "assay/base/json.hpp"
#include "assay/qa/results/qa_events.hpp"

namespace assay::qa {

Json event_json(const QaEvent& event);

/// Throws on a known event that lacks its members.
QaEvent event_of(const Json& json);

Json settings_json(const SettingsRecord& settings);
SettingsRecord settings_in(const Json& json);

}  // namespace assay::qa
