// SPDX-License-Identifier: Apache-2.0
/// Which questions a run asks, and where their slides are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/qa.hpp"
#include "assay/qa/slides/slide_folder.hpp"

namespace assay::qa {

struct QaSelection {
  std::vector<std::string> benchmarks{};  ///< empty: all
  std::vector<std::string> items{};       ///< "id" or "benchmark/id"; empty: all
  std::size_t max_items = 0;              ///< the first so many of them; 0: all
};

struct PlannedItem {
  std::size_t index = 0;  ///< in the table
  bool selected = true;   ///< false: of a chosen benchmark, but not asked this time
  SlideMatch slide{};
};

struct QaPlan {
  ItemTable table;
  std::vector<PlannedItem> items;  ///< of the chosen benchmarks, in table order
};

/// Throws Error::usage for names that the table does not have, with the nearest that it has.
/// `slides`: null for agents that look at none.
QaPlan planned_run(ItemTable table, const QaSelection& selection, const SlideFolder* slides);

/// The ids in a file: one a line ("id" or "benchmark/id"), or a CSV with benchmark_name and
/// benchmark_id.
std::vector<std::string> read_item_list(const std::filesystem::path& path);

// `RUN/questions.json`: what a run is to ask, so that it can be scored and watched before its end,
// without the table. docs/formats/qa.md describes it.

inline constexpr const char* questions_file = "questions.json";
inline constexpr const char* journal_file = "run.journal";

/// The plan without its prompts.
std::string questions_text(const QaPlan& plan);

/// Throws Error::input naming `name`.
QaPlan parse_questions(std::string_view text, const std::string& name);

/// Writes the file of a run's folder, unless it says the same already.
void write_questions(const std::filesystem::path& folder, const QaPlan& plan);

/// Nothing when there is none: the run was begun by version 0.1.
std::optional<QaPlan> read_questions(const std::filesystem::path& folder);

}  // namespace assay::qa
