// SPDX-License-Identifier: Apache-2.0
#include "assay/score/shown_path.hpp"

namespace assay::score {
namespace {

/// The part of a path above what results show of it.
std::string root_of(const std::filesystem::path& file, const std::string& shown) {
  const std::string full = file.string();
  const std::size_t at = shown.empty() ? std::string::npos : full.rfind(shown);
  return at == std::string::npos ? (file.parent_path() / "").string() : full.substr(0, at);
}

}  // namespace

std::string without_root(std::string text, const std::filesystem::path& file,
                         const std::string& shown) {
  const std::string root = root_of(file, shown);
  if (root.size() < 2) return text;
  for (std::size_t at = 0; (at = text.find(root, at)) != std::string::npos;)
    text.erase(at, root.size());
  return text;
}

}  // namespace assay::score
