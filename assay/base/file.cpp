// SPDX-License-Identifier: Apache-2.0
#include "assay/base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "assay/base/file_error.hpp"
#include "assay/base/new_folders.hpp"
#include "assay/base/temporary_file.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

/// A rename would put a plain file in the place of a device, such as /dev/stdout.
void require_replaceable(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) throw file_error(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error(Error::Kind::io, path, "is a pipe or a device; results are written to files only");
}

/// The file that a symbolic link points to, which need not exist. People who replace their results
/// by a link want new results to be written where it points, as with `cp` or `>`.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int most = 40;  // as the system
  for (int links = 0; links < most; ++links) {
    std::error_code is_no_link;
    const auto next = std::filesystem::read_symlink(path, is_no_link);
    if (is_no_link) return path;
    path = path.parent_path() / next;
  }
  throw file_error(path, ELOOP);
}

/// Writes a temporary file next to the file that `path` means, and renames it. `fill` may be called
/// again.
template <class Fill>
void replace_atomically(const std::filesystem::path& path, Fill fill) {
  require_replaceable(path);
  const std::filesystem::path target = behind_links(path);
  const NewFolders folders(target);
  for (int attempt = 0; attempt < 3; ++attempt) {
    TemporaryFile file(target);
    fill(file);
    if (file.replace_target()) return sync_folder(folder_of(target));
  }
  throw Error(Error::Kind::io, path,
              "could not be written: another program keeps deleting its temporary file; choose "
              "another folder");
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path)
    // Without O_NONBLOCK a named pipe would keep us waiting for a writer.
    : path_(path), file_(open_descriptor(path, O_RDONLY | O_NONBLOCK)) {
  struct stat status {};
  if (!file_.is_open() || ::fstat(file_.number(), &status) != 0) throw file_error(path, errno);
  if (S_ISDIR(status.st_mode)) throw file_error(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error(Error::Kind::io, path, "is not a regular file; copy it to one first");
  size_ = static_cast<std::size_t>(status.st_size);
}

void InputFile::read(std::size_t position, std::span<std::byte> room) const {
  constexpr std::size_t most = std::size_t{1} << 30;  // pread() gives less than 2 GiB at a time
  while (!room.empty()) {
    const auto got = uninterrupted([&] {
      return ::pread(file_.number(), room.data(), std::min(room.size(), most),
                     static_cast<off_t>(position));
    });
    if (got < 0) throw file_error(path_, errno);
    if (got == 0)
      throw Error(Error::Kind::io, path_,
                  "became shorter while it was read; wait until it is written, then run again");
    room = room.subspan(static_cast<std::size_t>(got));
    position += static_cast<std::size_t>(got);
  }
}

Buffer InputFile::read_start(std::size_t most, Buffer room) const {
  read(0, room.resize(std::min(most, size_)));
  return room;
}

Buffer read_bytes(const std::filesystem::path& path, Buffer room) {
  return InputFile(path).read_all(std::move(room));
}

std::string read_text(const std::filesystem::path& path) {
  const InputFile file(path);
  std::string text(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void require_writable(const std::filesystem::path& path) {
  require_replaceable(path);
  auto folder = folder_of(behind_links(path));
  struct stat status {};
  while (::stat(folder.c_str(), &status) != 0) {  // missing folders will be made
    if (errno != ENOENT) throw file_error(path, errno);
    folder = folder_of(folder);
  }
  if (!S_ISDIR(status.st_mode)) throw file_error(path, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw file_error(path, errno);
}

void write_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  replace_atomically(path, [&](TemporaryFile& file) { file.write(bytes); });
}

void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const TextSink& sink)>& write) {
  replace_atomically(path, [&](TemporaryFile& file) {
    write([&](std::string_view piece) { file.write(std::as_bytes(std::span(piece))); });
  });
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
  write_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace assay
