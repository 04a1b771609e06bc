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

/// The file that --out means: itself, or, in a folder that it names, a file of that name. Empty
/// when --out is. The folder is made when the file is written.
std::filesystem::path output_file(const std::string& out, std::string name);

/// Whether the result goes to standard output. --quiet silences messages, not results; it leaves
/// out only what the file `out` (empty: none) holds already.
bool prints_result(const Common& common, const std::filesystem::path& out);

/// Puts out a result: as JSON into the file `out` (empty: none) and, with --json, on standard
/// output; else as text for people.
void put_result(const std::filesystem::path& out, const std::string& json,
                const std::function<std::string()>& text, const Common& common,
                const Session& session);

/// Files that a result must never take the place of, whatever they are called.
class InputFiles {
 public:
  explicit InputFiles(const std::vector<std::filesystem::path>& files);

  /// Throws Error::usage when `out` is one of them.
  void refuse(const std::filesystem::path& out) const;

 private:
  std::set<std::pair<std::uintmax_t, std::uintmax_t>> files_;  ///< device and number
};

/// A result must never take the place of a file that it is made from, nor of a journal or
/// a shard. An input that is the folder of a question-answering run includes the run's questions.
/// Throws Error::usage.
void refuse_input(const std::filesystem::path& out,
                  const std::vector<std::filesystem::path>& inputs);

}  // namespace assay::cli
