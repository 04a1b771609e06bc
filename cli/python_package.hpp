// SPDX-License-Identifier: Apache-2.0
/// The Python package that was installed with this program, and others of the same name.
#pragma once

#include <filesystem>
#include <string>

namespace assay::cli {

/// The file of this program; empty if the system does not say.
std::filesystem::path this_program();

/// A sentence when pip installed this program and another distribution has since overwritten the
/// package `assay` next to it; empty otherwise. Costs a few file accesses.
std::string overwritten_package(const std::filesystem::path& program);

/// The folder from which Python imports our package. Throws Error::unsupported when Python does not
/// find it, or finds another package of that name first.
std::string find_python_package();

}  // namespace assay::cli
