// SPDX-License-Identifier: Apache-2.0
#include "assay/base/file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
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

/// The hash of data that come piece by piece, as lower-case hex digits.
class Digest {
 public:
  Digest(const EVP_MD* kind, std::string name)
      : name_(std::move(name)), context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    require(context_ && EVP_DigestInit_ex(context_.get(), kind, nullptr) == 1);
  }

  void add(std::span<const std::byte> piece) {
    require(EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) == 1);
  }

  void add(const InputFile& file) {
    std::array<std::byte, 65536>
        piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    for (std::size_t at = 0; at < file.size(); at += piece.size()) {
      const auto part = std::span(piece).first(std::min(piece.size(), file.size() - at));
      file.read(at, part);
      add(part);
    }
  }

  std::string text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size) == 1);
    std::string out;
    for (const unsigned char byte : std::span(bytes).first(size)) {
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    }
    return out;
  }

 private:
  void require(bool good) const {
    if (!good)
      throw Error(Error::Kind::unsupported,
                  "OpenSSL offers no " + name_ + "; check its configuration");
  }

  std::string name_;
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

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

std::string sha256(std::span<const std::byte> bytes) {
  Digest digest(EVP_sha256(), "SHA-256");
  digest.add(bytes);
  return digest.text();
}

Sha256::Sha256() : digest_(std::make_unique<Digest>(EVP_sha256(), "SHA-256")) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view piece) {
  digest_->add(std::as_bytes(std::span(piece)));
}

std::string Sha256::hex() {
  return digest_->text();
}

std::string sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span(text)));
}

std::string sha256_of_file(const std::filesystem::path& path) {
  Digest digest(EVP_sha256(), "SHA-256");
  digest.add(InputFile(path));
  return digest.text();
}

std::string git_blob_id(const std::filesystem::path& path) {
  const InputFile file(path);
  const std::string head = "blob " + std::to_string(file.size());
  Digest digest(EVP_sha1(), "SHA-1");
  // The zero byte at the end of the head belongs to it.
  digest.add(std::as_bytes(std::span(head.c_str(), head.size() + 1)));
  digest.add(file);
  return digest.text();
}

}  // namespace assay
