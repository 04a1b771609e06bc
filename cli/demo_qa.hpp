// SPDX-License-Identifier: Apache-2.0
/// The part of the demonstration that asks questions about a slide.
#pragma once

#include <filesystem>
#include <iosfwd>

#include "cli/commands.hpp"

namespace assay::cli {

/// Asks a model on the loopback interface a dozen questions, kills the run in the middle, and
/// continues it. Everything is written below `folder`.
void demo_questions(const std::filesystem::path& folder, const Common& common,
                    const Session& session, std::ostream& talk);

}  // namespace assay::cli
