// SPDX-License-Identifier: Apache-2.0
/// Where a command puts its result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"

namespace assay::cli {

/// The file that --out means. If `out` is a folder, it is the file `name` in it, and the folder is
/// made when the file is written. Empty if `out` is empty.
std::filesystem::path output_file(const std::string& out, std::string name);

/// Whether the result goes to standard output. --quiet silences messages, not results. It silences
/// the result only if the file `out` (empty: none) has it.
bool prints_result(const Common& common, const std::filesystem::path& out);

/// Writes a result as JSON to the file `out` (empty: none). Prints it on standard output, as JSON
/// with --json, else as text for people.
void put_result(const std::filesystem::path& out, const std::string& json,
                const std::function<std::string()>& text, const Common& common,
                const Session& session);

/// Files that a result must never overwrite, under whatever name.
class InputFiles {
 public:
  explicit InputFiles(const std::vector<std::filesystem::path>& files);

  /// Throws Error::usage if `out` is one of them.
  void refuse(const std::filesystem::path& out) const;

 private:
  std::set<std::pair<std::uintmax_t, std::uintmax_t>> files_;  ///< device and inode
};

/// A result must never overwrite a file that it is made from. Throws Error::usage.
void refuse_input(const std::filesystem::path& out,
                  const std::vector<std::filesystem::path>& inputs);

}  // namespace assay::cli
