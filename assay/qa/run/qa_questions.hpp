// SPDX-License-Identifier: Apache-2.0
/// `RUN/questions.json`: what a run is to ask, so that it can be scored and watched before its end,
/// without the table. docs/formats/qa.md describes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "assay/qa/run/qa_plan.hpp"

namespace assay::qa {

inline constexpr const char* questions_file = "questions.json";

/// The plan without its prompts.
std::string questions_text(const QaPlan& plan);

/// Throws Error::input naming `name`.
QaPlan parse_questions(std::string_view text, const std::string& name);

/// Writes the file of a run's folder, unless it says the same already.
void write_questions(const std::filesystem::path& folder, const QaPlan& plan);

/// Nothing when there is none: the run was begun by version 0.1.
std::optional<QaPlan> read_questions(const std::filesystem::path& folder);

}  // namespace assay::qa
