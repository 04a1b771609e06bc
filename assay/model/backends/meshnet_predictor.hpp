// SPDX-License-Identifier: Apache-2.0
/// The back-end `meshnet`: our own engine.
#pragma once

#include <memory>

#include "assay/model.hpp"
#include "assay/model/engine/network.hpp"

namespace assay::model {

/// Throws what require_valid throws.
std::unique_ptr<Predictor> meshnet_predictor(Network network, TensorAxes axes);

}  // namespace assay::model
