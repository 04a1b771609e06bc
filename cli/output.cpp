// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <algorithm>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

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
  if (!out.empty() && !common.quiet) session.err << "results: " << out.string() << '\n';
}

void refuse_input(const fs::path& out, const std::vector<fs::path>& inputs) {
  if (out.empty() || !fs::exists(out)) return;
  for (const fs::path& input : inputs) {
    std::error_code absent;
    if (fs::equivalent(out, input, absent))
      throw Error(Error::Kind::usage, out,
                  "is an input of this run; choose another file for the results");
  }
}

}  // namespace assay::cli
