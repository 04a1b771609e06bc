// SPDX-License-Identifier: Apache-2.0
/// The figures of a report as files of their own.
#pragma once

#include <filesystem>
#include <string>

#include "assay/report/page/page.hpp"

namespace assay::report {

/// Writes every figure as SVG, and as PDF and PNG where a converter is on the PATH; says in a
/// sentence what it did. A figure that cannot be converted is named in it. Throws Error::io.
std::string write_figures(const PageContent& content, const std::filesystem::path& folder);

}  // namespace assay::report
