// SPDX-License-Identifier: Apache-2.0
/// Numbers as text, without loss.
#pragma once

#include <string>

namespace assay {

/// The shortest decimal that reads back equal: "0.1", "1.0", "1e-07".
std::string shortest(double x);

}  // namespace assay
