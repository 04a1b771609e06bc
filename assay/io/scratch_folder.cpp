// SPDX-License-Identifier: Apache-2.0
#include "assay/io/scratch_folder.hpp"

#include <cstdlib>
#include <string>

#include "assay/core/error.hpp"

namespace assay {

ScratchFolder::ScratchFolder() {
  std::error_code trouble;
  const std::filesystem::path above = std::filesystem::temp_directory_path(trouble);
  std::string pattern = (above / "assay-XXXXXX").string();
  if (trouble || mkdtemp(pattern.data()) == nullptr)
    throw Error(Error::Kind::io, pattern +
                                     ": no temporary folder can be made there; "
                                     "name another place with the variable TMPDIR");
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace assay
