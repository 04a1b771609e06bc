// SPDX-License-Identifier: Apache-2.0
#include "assay/score/shown_path.hpp"

#include "assay/base/text.hpp"

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
  return root.size() < 2 ? text : replaced(std::move(text), root, "");
}

}  // namespace assay::score
