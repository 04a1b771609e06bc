// SPDX-License-Identifier: Apache-2.0
/// What the system says about a file, as a sentence with a remedy.
#pragma once

#include <filesystem>

#include "assay/error.hpp"

namespace assay {

/// Error::io for a call on `path` that failed with `number` (errno).
Error file_error(const std::filesystem::path& path, int number);

}  // namespace assay
