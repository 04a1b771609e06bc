// SPDX-License-Identifier: Apache-2.0
/// Cases whose files hold several volumes: one case per point in time, or one structure per volume.
#pragma once

#include "assay/score.hpp"

namespace assay::score {

/// Splits cases as the settings say (--volumes). The references determine how many volumes there
/// are. Decisions that the user did not ask for are reported in the notes.
void split_volumes(Cohort& cohort);

}  // namespace assay::score
