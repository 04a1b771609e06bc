// SPDX-License-Identifier: Apache-2.0
#include "assay/base/file_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace assay {
namespace {

/// What users can do about errors.
struct Remedy {
  int error;
  std::string_view sentence;
};

constexpr std::array remedies = {
    Remedy{ENOENT, "does not exist; check the spelling"},
    Remedy{ENOTDIR, "does not exist: a part of its path is a file, not a folder"},
    Remedy{EACCES, "may not be accessed; check the permissions of the file and its folder"},
    Remedy{EPERM, "may not be accessed; check the permissions of the file and its folder"},
    Remedy{EROFS, "is on a read-only file system; choose another folder"},
    Remedy{EISDIR, "is a folder; give a file"},
    Remedy{ENOSPC, "could not be written: the disk is full; make room or choose another folder"},
    Remedy{EDQUOT,
           "could not be written: the quota is used up; make room or choose another folder"},
    Remedy{EFBIG, "could not be written: it is larger than the limit for files; raise the limit"},
    Remedy{ENAMETOOLONG, "has too long a name; choose a shorter one"},
    Remedy{EMFILE, "could not be opened: too many files are open; raise the limit (ulimit -n)"},
};

}  // namespace

Error file_error(const std::filesystem::path& path, int number) {
  const auto remedy = std::ranges::find(remedies, number, &Remedy::error);
  const std::string sentence = remedy != remedies.end()
                                   ? std::string(remedy->sentence)
                                   : "failed: " + std::generic_category().message(number);
  return {Error::Kind::io, path, sentence};
}

}  // namespace assay
