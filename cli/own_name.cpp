// SPDX-License-Identifier: Apache-2.0
#include "cli/own_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// What a shell starts when it is told "assay"; "" when it finds nothing.
fs::path on_the_path() {
  const char* const folders = std::getenv("PATH");
  std::istringstream list(folders == nullptr ? "" : folders);
  std::error_code unknown;
  for (std::string folder; std::getline(list, folder, ':');)
    if (fs::path file = fs::path(folder) / "assay"; fs::is_regular_file(file, unknown)) return file;
  return {};
}

}  // namespace

std::string own_name() {
  std::error_code unknown;
  const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown || self.filename() != "assay") return "assay";  // from Python, say
  if (fs::equivalent(on_the_path(), self, unknown)) return "assay";
  const fs::path near = self.lexically_relative(fs::current_path());
  if (near.empty() || *near.begin() == "..") return shell_word(self);
  return shell_word(near.has_parent_path() ? near : "./" / near);
}

std::string shell_word(const fs::path& path) {
  std::string text = path.string();
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+,=@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (std::ranges::all_of(text, is_plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace assay::cli
