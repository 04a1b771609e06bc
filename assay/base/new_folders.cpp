// SPDX-License-Identifier: Apache-2.0
#include "assay/base/new_folders.hpp"

#include "assay/base/durable.hpp"

namespace assay {

namespace fs = std::filesystem;

NewFolders::NewFolders(const fs::path& file) {
  std::error_code unknown;
  const fs::path folder = file.parent_path();
  for (fs::path at = folder; !at.empty() && !fs::exists(at, unknown); at = at.parent_path())
    made_.push_back(at);
  if (!made_.empty()) make_folder(folder);
}

NewFolders::~NewFolders() {
  std::error_code refused;
  for (const fs::path& folder : made_)
    if (!fs::remove(folder, refused)) return;  // it is not empty
}

}  // namespace assay
