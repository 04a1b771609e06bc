// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <span>

#include "assay/base/file.hpp"
#include "assay/base/journal.hpp"
#include "assay/error.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

namespace {

bool holds_records(const fs::path& file) {
  const Buffer start = InputFile(file).read_start(journal_line_start.size());
  return std::ranges::equal(start.bytes(), std::as_bytes(std::span(journal_line_start)));
}

/// The same for every name and link of a file; nothing for what does not exist.
std::optional<std::pair<std::uintmax_t, std::uintmax_t>> identity_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair<std::uintmax_t, std::uintmax_t>(status.st_dev, status.st_ino);
}

}  // namespace

fs::path output_file(const std::string& out, std::string name) {
  if (out.empty() || (!out.ends_with('/') && !fs::is_directory(out))) return out;
  std::ranges::replace(name, '/', '_');  // a name, such as a model's, is no way out of the folder
  return fs::path(out) / name;
}

bool prints_result(const Common& common, const fs::path& out) {
  return !common.quiet || out.empty();
}

void put_result(const fs::path& out, const std::string& json,
                const std::function<std::string()>& text, const Common& common,
                const Session& session) {
  if (!out.empty()) write_atomically(out, json);
  if (common.json)
    session.out << json;
  else if (prints_result(common, out))
    session.out << text();
  if (!out.empty()) cli::tell("results", {out.string()}, session.notes);
}

InputFiles::InputFiles(const std::vector<fs::path>& files) {
  for (const fs::path& file : files)
    if (const auto one = identity_of(file)) files_.insert(*one);
}

void InputFiles::refuse(const fs::path& out) const {
  const auto one = identity_of(out);
  if (one && files_.contains(*one))
    throw Error(Error::Kind::usage, out,
                "is an input of this run; choose another file for the results");
}

void refuse_input(const fs::path& out, const std::vector<fs::path>& inputs) {
  std::error_code ignored;  // an argument need not be the name of a file
  if (!fs::is_regular_file(out, ignored)) return;
  InputFiles(inputs).refuse(out);
  if (holds_records(out))
    throw Error(
        Error::Kind::usage, out,
        "is a journal or a shard, the record of a run; choose another file for the results");
  for (const fs::path& folder : inputs)
    if (fs::exists(folder / qa::journal_file, ignored))
      InputFiles({folder / qa::questions_file}).refuse(out);
}

}  // namespace assay::cli
