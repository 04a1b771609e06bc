// SPDX-License-Identifier: Apache-2.0
/// Cases whose files hold several volumes: one case per point in time, or one structure per volume.
#pragma once

#include "assay/score.hpp"

namespace assay::score {

/// Splits cases as the settings say (--volumes); the references say how many volumes there are.
/// What is decided without being asked goes into the notes.
void split_volumes(Cohort& cohort);

}  // namespace assay::score
