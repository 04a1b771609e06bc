// SPDX-License-Identifier: Apache-2.0
#include "assay/base/file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <memory>
#include <system_error>
#include <utility>

#include "assay/base/new_folders.hpp"
#include "assay/error.hpp"

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

Error file_error(const std::filesystem::path& path, int error) {
  const auto remedy = std::ranges::find(remedies, error, &Remedy::error);
  const std::string sentence = remedy != remedies.end()
                                   ? std::string(remedy->sentence)
                                   : "failed: " + std::generic_category().message(error);
  return {Error::Kind::io, path, sentence};
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// A rename would put a plain file in the place of a device, such as /dev/stdout.
void require_replaceable(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) throw file_error(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error(Error::Kind::io, path, "is a pipe or a device; results are written to files only");
}

/// A file descriptor that closes itself.
class FileHandle {
 public:
  explicit FileHandle(int number) : number_(number) {}
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closing can be the moment at which a network file system reports a failed write.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// Deletes a file unless it was given its final name.
class TemporaryName {
 public:
  explicit TemporaryName(std::filesystem::path path) : path_(std::move(path)) {}
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  ~TemporaryName() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  bool rename_to(const std::filesystem::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  std::filesystem::path path_;
};

/// Creates a file that did not exist: other threads and processes may be writing at the same time.
std::pair<int, std::filesystem::path> create_beside(const std::filesystem::path& path) {
  for (int attempt = 0; attempt < 10000; ++attempt) {
    auto name = path.parent_path() /
                (".assay-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp");
    const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0) return {number, std::move(name)};
    if (errno != EEXIST) break;
  }
  throw file_error(path, errno);
}

bool write_all(int file, std::span<const std::byte> bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // write() takes less than 2 GiB at a time
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), std::min(bytes.size(), most));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// Under a temporary name first: readers see the old file or the whole new one.
void write_and_rename(const std::filesystem::path& path, std::span<const std::byte> bytes,
                      bool durably) {
  require_replaceable(path);
  const NewFolders folders(path);
  auto [number, name] = create_beside(path);
  FileHandle file(number);
  TemporaryName temporary(std::move(name));
  if (!write_all(file.number(), bytes) || (durably && ::fsync(file.number()) != 0) ||
      !file.close() || !temporary.rename_to(path))
    throw file_error(path, errno);
}

/// The hash of several pieces, one after the other, as lower-case hex digits.
std::string digest(std::initializer_list<std::span<const std::byte>> pieces, const EVP_MD* kind,
                   const std::string& name) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  bool good = context && EVP_DigestInit_ex(context.get(), kind, nullptr) == 1;
  for (const auto& piece : pieces)
    good = good && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (!good || EVP_DigestFinal_ex(context.get(), bytes.data(), &size) != 1)
    throw Error(Error::Kind::unsupported,
                "OpenSSL offers no " + name + "; check its configuration");
  std::string text;
  for (const unsigned char byte : std::span(bytes).first(size)) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// Makes a rename survive a power cut. Not every file system can; the file itself is safe already.
void sync_folder(const std::filesystem::path& path) {
  const FileHandle file(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) ::fsync(file.number());
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK a named pipe would keep us waiting for a writer.
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) throw file_error(path, errno);
  if (S_ISDIR(status.st_mode)) throw file_error(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error(Error::Kind::io, path, "is not a regular file; copy it to one first");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;  // mmap refuses to map nothing
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (data == MAP_FAILED) throw file_error(path, errno);
  data_ = static_cast<const std::byte*>(data);
  size_ = size;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

std::string read_text(const std::filesystem::path& path) {
  const MappedFile file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void make_folder(const std::filesystem::path& path) {
  std::error_code trouble;
  std::filesystem::create_directories(path, trouble);
  if (trouble || !std::filesystem::is_directory(path))
    throw Error(Error::Kind::io, path,
                "this folder cannot be created (" + (trouble ? trouble.message() : "it is a file") +
                    "); name another");
}

void require_writable(const std::filesystem::path& path) {
  require_replaceable(path);
  auto folder = folder_of(path);
  struct stat status {};
  while (::stat(folder.c_str(), &status) != 0) {  // what is missing will be made
    if (errno != ENOENT) throw file_error(path, errno);
    folder = folder_of(folder);
  }
  if (!S_ISDIR(status.st_mode)) throw file_error(path, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw file_error(path, errno);
}

void write_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  write_and_rename(path, bytes, true);
  sync_folder(path);
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
  write_atomically(path, std::as_bytes(std::span(text)));
}

void write_lightly(const std::filesystem::path& path, std::string_view text) {
  write_and_rename(path, std::as_bytes(std::span(text)), false);
}

std::string sha256(std::span<const std::byte> bytes) {
  return digest({bytes}, EVP_sha256(), "SHA-256");
}

std::string git_blob_id(std::span<const std::byte> bytes) {
  const std::string head = "blob " + std::to_string(bytes.size());
  // The zero byte at the end of the head belongs to it.
  return digest({std::as_bytes(std::span(head.c_str(), head.size() + 1)), bytes}, EVP_sha1(),
                "SHA-1");
}

std::string sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span(text)));
}

}  // namespace assay
