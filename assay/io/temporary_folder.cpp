// SPDX-License-Identifier: Apache-2.0
#include "assay/io/temporary_folder.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include "assay/core/error.hpp"

namespace assay {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code missing;
  const fs::path above = fs::temp_directory_path(missing);
  std::string name = (above / "assay-XXXXXX").string();
  if (missing || ::mkdtemp(name.data()) == nullptr)
    throw Error(Error::Kind::io, "no temporary folder can be made in " +
                                     (missing ? "$TMPDIR" : above.string()) +
                                     "; set TMPDIR to a folder with room for an image");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace assay
