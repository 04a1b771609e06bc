// SPDX-License-Identifier: Apache-2.0
/// Trajectories as files, `assay.trajectory/1`: text and coordinates; pictures stay in crops/.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "assay/qa/values/trajectory.hpp"

namespace assay::qa {

std::string trajectory_text(const Trajectory& trajectory);

/// Throws Error::input, with `name` and the field, on anything else than such a file.
Trajectory parse_trajectory(std::string_view text, const std::string& name);

/// The pictures of RUN/crops that a trajectory names and that are there: bytes by SHA-256.
std::map<std::string, std::string> read_crops(const Trajectory& trajectory,
                                              const std::filesystem::path& run);

/// Any text as part of a file name: letters, digits, '.', '-' and '_' stay, runs of others become
/// one '_'; nothing left: "item". Different texts can give the same name.
std::string safe_file_name(std::string_view text);

/// "<benchmark>_<id>_run<run>.json", with 8 hex digits where two items could otherwise share it.
std::string trajectory_name(std::string_view benchmark, std::string_view id, unsigned run);

}  // namespace assay::qa
