// SPDX-License-Identifier: Apache-2.0
/// A synthetic head that looks like a T1-weighted image, for the pictures of the demo.
#pragma once

#include <cstdint>

#include "assay/volume.hpp"

namespace assay::demo {

/// Grey values of scalp, skull, fluid, cortex, white matter, deep nuclei and ventricles, much
/// darker where `lesions` is 1 and a little darker where it is 2. The same seed gives the same
/// bytes.
Volume<std::uint8_t> head_image(const Volume<std::uint8_t>& lesions, std::uint64_t seed);

}  // namespace assay::demo
