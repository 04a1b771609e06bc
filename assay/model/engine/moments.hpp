// SPDX-License-Identifier: Apache-2.0
/// The statistics of instance and group normalisation.
#pragma once

#include <vector>

#include "assay/executor.hpp"
#include "assay/model/engine/network.hpp"
#include "assay/model/engine/planes.hpp"

namespace assay::model {

/// What a normalisation does to a channel: x * scale + shift.
struct ChannelScale {
  float scale = 1, shift = 0;
};

/// One per channel of the current planes; sums in double, plane by plane in order.
std::vector<ChannelScale> channel_scales(const HiddenLayer& layer, const PlaneTable& table,
                                         const Executor& executor);

}  // namespace assay::model
