// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal_follower.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "assay/error.hpp"

namespace assay {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path)
      : path_(path), file_(open_descriptor(path, O_RDONLY)) {
    if (!file_.is_open()) fail();
  }

  struct stat status() const {
    struct stat out {};
    if (::fstat(file_.number(), &out) != 0) fail();
    return out;
  }

  /// Reads up to `size` bytes from `at`; fewer only at the end of the file.
  std::size_t read(char* to, std::size_t size, std::size_t at) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = uninterrupted([&] {
        return ::pread(file_.number(), to + done, size - done, static_cast<off_t>(at + done));
      });
      if (got < 0) fail();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(Error::Kind::io,
                path_.string() + ": cannot be read (" + std::strerror(errno) + ")");
  }

  const std::filesystem::path& path_;
  Descriptor file_;
};

}  // namespace

bool JournalFollower::read(const std::function<void(std::string_view)>& each) {
  const OpenFile file(path_);
  const struct stat status = file.status();
  const ino_t before = std::exchange(file_, status.st_ino);
  if (before != 0 && before != status.st_ino) return false;
  if (static_cast<std::size_t>(status.st_size) < offset_) return false;
  constexpr std::size_t block = std::size_t{1} << 20;
  std::string buffer;
  std::size_t held = 0;  // bytes of an unfinished line
  for (bool more = true; more;) {
    buffer.resize(held + block);
    const std::size_t got = file.read(buffer.data() + held, block, offset_ + held);
    more = got == block;
    held += got;
    const std::size_t used = take_lines({buffer.data(), held}, each);
    std::memmove(buffer.data(), buffer.data() + used, held - used);
    held -= used;
    offset_ += used;
  }
  return true;
}

std::size_t JournalFollower::take_lines(std::string_view text,
                                        const std::function<void(std::string_view)>& each) {
  std::size_t at = 0;
  std::optional<std::size_t> doubtful;  // where a bad line begins that may be the last
  for (std::size_t end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    if (std::exchange(doubtful, std::nullopt)) damaged_.push_back(line_);
    ++line_;
    const auto record = journal_record(text.substr(at, end - at));
    if (!record)
      doubtful = at;
    else if (line_ > 1 || !(header_ = journal_header(*record)))
      each(*record);
  }
  if (!doubtful) return at;
  --line_;
  return *doubtful;
}

}  // namespace assay
