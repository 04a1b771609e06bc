// SPDX-License-Identifier: Apache-2.0
/// Which slides of a table of questions each public archive holds, as lists for its own tools.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::qa {

/// The slides of one archive.
struct SlideList {
  std::string_view file;           ///< name of the list
  std::string_view archive;        ///< its name in words
  std::string_view command;        ///< what to do with the list
  std::vector<std::string> ids{};  ///< each once, in the order of the table
  std::string text{};              ///< the list's content
};

/// One list for each archive that holds slides of the table, valid rows only. Throws Error::input
/// when the table lacks a column that is needed.
std::vector<SlideList> slide_lists(const std::filesystem::path& table);

}  // namespace assay::qa
