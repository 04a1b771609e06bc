// SPDX-License-Identifier: Apache-2.0
#include "assay/base/download.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>

#include "assay/base/file.hpp"
#include "assay/base/http.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The part of a file that was received, with a single writer. The tag of its version is stored
/// next to it, because the rest must come from the same version. So is the number of bytes that are
/// certainly on disk, because bytes after those may be anything after a power cut.
class PartFile {
 public:
  explicit PartFile(const fs::path& target)
      : path_(target.string() + ".part"),
        tag_path_(target.string() + ".part.tag"),
        file_(open_descriptor(path_, O_RDWR | O_CREAT, 0666)) {
    if (!file_.is_open()) fail();
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0)
      throw Error(Error::Kind::io, path_,
                  "is being fetched by another process; wait "
                  "for it, or choose another folder");
    read_tag();
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() {
    try {
      if (!tag_.empty()) note_size();
    } catch (const std::exception&) {  // then the next run continues from an earlier byte
    }
  }

  const fs::path& path() const { return path_; }
  std::uint64_t size() const { return fs::file_size(path_); }

  /// The version that the bytes belong to; "" when they cannot be continued.
  std::string tag() const { return size() > 0 ? tag_ : std::string(); }

  /// Empties the file on disk before it gets the tag of another version.
  void start_over(const std::string& tag) {
    cut_to(0);
    tag_ = tag;
    note_size();
    at_the_end();
  }

  void at_the_end() const { ::lseek(file_.number(), 0, SEEK_END); }

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto written =
          uninterrupted([&] { return ::write(file_.number(), bytes.data(), bytes.size()); });
      if (written < 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(written));
      unsynced_ += static_cast<std::uint64_t>(written);
    }
    if (unsynced_ >= most_unsynced && !tag_.empty()) note_size();
  }

  void become(const fs::path& target) {
    sync();
    rename_durably(path_, target);
    forget();
  }

  void forget() {
    tag_.clear();
    std::error_code gone;
    fs::remove(path_, gone);
    fs::remove(tag_path_, gone);
  }

 private:
  static constexpr std::uint64_t most_unsynced = std::uint64_t{16} << 20;

  /// The tag, and on a second line the number of bytes; 0.1 wrote only the tag.
  void read_tag() {
    if (!fs::exists(tag_path_)) return;
    const std::string text = read_text(tag_path_);
    const std::size_t line = std::min(text.find('\n'), text.size());
    tag_ = text.substr(0, line);
    if (line == text.size()) return;
    std::uint64_t size_on_disk = 0;
    std::from_chars(text.data() + line + 1, text.data() + text.size(), size_on_disk);
    if (size() > size_on_disk) cut_to(size_on_disk);
  }

  void cut_to(std::uint64_t size) {
    const auto end = static_cast<off_t>(size);
    if (uninterrupted([&] { return ::ftruncate(file_.number(), end); }) != 0) fail();
  }

  void sync() {
    if (uninterrupted([&] { return ::fsync(file_.number()); }) != 0) fail();
  }

  void note_size() {
    sync();
    write_atomically(tag_path_, fmt::format("{}\n{}\n", tag_, size()));
    unsynced_ = 0;
  }

  [[noreturn]] void fail() const {
    const char* remedy = errno == ENOSPC || errno == EDQUOT
                             ? "the disk is full; make room and start again to continue"
                             : std::strerror(errno);
    throw Error(Error::Kind::io, path_, std::string("could not be written: ") + remedy);
  }

  fs::path path_, tag_path_;
  Descriptor file_;
  std::string tag_{};
  std::uint64_t unsynced_ = 0;
};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "bytes 100-199/200" -> 100 and 200. A server may continue at another position than requested.
struct ContentRange {
  std::uint64_t first = 0, total = 0;
};

ContentRange content_range(const std::string& text) {
  if (!text.starts_with("bytes ")) return {};
  const std::size_t slash = std::min(text.find('/'), text.size() - 1);
  return {number(std::string_view(text).substr(6)),
          number(std::string_view(text).substr(slash + 1))};
}

/// The hex digits of an entity tag, without quotes.
std::string checksum_in(std::string tag) {
  std::erase(tag, '"');
  return tag.find_first_not_of("0123456789abcdefABCDEF") == tag.npos ? tag : "";
}

/// The checksum that the server uses as the name of the content: SHA-256 for large files, git's
/// hash for small ones. "" for tags that are something else.
std::string server_checksum(const HttpResponse& head) {
  for (const char* name : {"x-linked-etag", "etag"})
    if (std::string sum = checksum_in(head.header(name)); sum.size() == 64 || sum.size() == 40)
      return sum;
  return "";
}

/// A weak tag does not guarantee the same bytes, so a download cannot be continued with it.
std::string strong_tag(const HttpResponse& head) {
  std::string tag = head.header("etag");
  return tag.starts_with('"') ? tag : "";
}

bool has_checksum(const fs::path& file, const std::string& sum) {
  return (sum.size() == 64 ? sha256_of_file(file) : git_blob_id(file)) == sum;
}

/// One download: its state from connection to connection.
class Fetch {
 public:
  Fetch(const Download& wanted, const DownloadProgress& progress)
      : wanted_(wanted), progress_(progress), part_(wanted.path) {}

  std::variant<Downloaded, DownloadFailure> run();

 private:
  enum class Step { whole, again, failed, already_there };

  Step connect();
  Step ended(const std::optional<HttpResponse>& response, const HttpFailure& failure);
  bool take(const HttpResponse& head, std::string_view bytes);
  bool begin(const HttpResponse& head);
  bool is_there(const HttpResponse& head) const;
  Downloaded finish();
  bool stopped() const { return wanted_.stop != nullptr && wanted_.stop->load(); }

  const Download& wanted_;
  const DownloadProgress& progress_;
  HttpClient client_{};
  PartFile part_;
  std::string server_sum_{};
  std::uint64_t total_ = 0, received_ = 0;
  bool begun_ = false, resumed_ = false, there_ = false, no_range_ = false;
  DownloadFailure failure_{};
};

/// Whether the existing file is what the server would send.
bool Fetch::is_there(const HttpResponse& head) const {
  const std::string sum = server_checksum(head);
  if (sum.empty() || !wanted_.sha256.empty() || !fs::is_regular_file(wanted_.path)) return false;
  if (total_ != 0 && fs::file_size(wanted_.path) != total_) return false;
  return has_checksum(wanted_.path, sum);
}

/// Called when the head of a response has arrived: decides whether its bytes continue or replace
/// ours.
bool Fetch::begin(const HttpResponse& head) {
  const ContentRange range = content_range(head.header("content-range"));
  const std::uint64_t length = number(head.header("content-length"));
  const bool continues = head.status == 206 && range.first == part_.size();
  total_ = continues ? range.total : length;
  server_sum_ = server_checksum(head);
  there_ = is_there(head);
  if (there_ || (head.status == 206 && !continues)) return false;
  if (continues)
    part_.at_the_end();
  else
    part_.start_over(strong_tag(head));
  resumed_ = resumed_ || (continues && part_.size() > 0);
  const auto folder = wanted_.path.has_parent_path() ? wanted_.path.parent_path() : fs::path(".");
  require_room(folder, length, fs::space(folder).available);
  return true;
}

bool Fetch::take(const HttpResponse& head, std::string_view bytes) {
  if (!begun_ && !begin(head)) return false;
  begun_ = true;
  part_.add(bytes);
  received_ += bytes.size();
  if (progress_) progress_(part_.size(), total_);
  return !stopped();
}

Fetch::Step Fetch::connect() {
  HttpRequest request = {.url = wanted_.url, .headers = wanted_.headers, .timeout_s = 60};
  request.stop = wanted_.stop;
  if (const std::string tag = part_.tag(); !tag.empty() && !no_range_) {
    request.headers.emplace_back("Range", fmt::format("bytes={}-", part_.size()));
    request.headers.emplace_back("If-Range", tag);
  }
  begun_ = there_ = false;
  std::exception_ptr error;  // must not pass through libcurl, which is C
  HttpFailure failure;
  const auto response = client_.receive(
      request,
      [&](const HttpResponse& head, std::string_view bytes) {
        try {
          return take(head, bytes);
        } catch (...) {
          error = std::current_exception();
          return false;
        }
      },
      failure);
  if (error) std::rethrow_exception(error);
  return ended(response, failure);
}

Fetch::Step Fetch::ended(const std::optional<HttpResponse>& response, const HttpFailure& failure) {
  if (there_) return Step::already_there;
  if (stopped()) {
    failure_ = {.message = "stopped; start again to continue", .stopped = true};
    return Step::failed;
  }
  if (!response) {
    failure_ = {.message = failure.message};
    return failure.certificate ? Step::failed : Step::again;
  }
  if (response->status == 416) {  // what we have is longer than the file
    no_range_ = true;
    failure_ = {.status = 416, .message = "the server has less than was fetched earlier"};
    return Step::again;
  }
  if (response->status != 200 && response->status != 206) {
    failure_ = {.status = response->status,
                .message = fmt::format("{}: the server answered with status {}",
                                       origin_of(wanted_.url), response->status)};
    const bool later = response->status >= 500 || response->status == 429;
    return later ? Step::again : Step::failed;
  }
  if (!begun_ && begin(*response)) begun_ = true;  // an empty file gives no piece
  if (there_) return Step::already_there;
  return begun_ ? Step::whole : Step::again;
}

Downloaded Fetch::finish() {
  const std::string sum = sha256_of_file(part_.path());
  const std::uint64_t size = part_.size();
  const bool required = wanted_.sha256.empty() || sum == wanted_.sha256;
  if (!required || (!server_sum_.empty() && !has_checksum(part_.path(), server_sum_))) {
    part_.forget();
    throw Error(Error::Kind::input, wanted_.path,
                fmt::format("the checksum is wrong: expected {}, but the SHA-256 is {}; the "
                            "download was deleted; try again, or check the revision",
                            required ? server_sum_ : wanted_.sha256, sum));
  }
  part_.become(wanted_.path);
  const char* names[] = {"", "git", "sha256"};
  const std::size_t by = !wanted_.sha256.empty() || server_sum_.size() == 64 ? 2
                         : server_sum_.size() == 40                          ? 1
                                                                             : 0;
  return {.size = size, .sha256 = sum, .resumed = resumed_, .checked_by = names[by]};
}

std::variant<Downloaded, DownloadFailure> Fetch::run() {
  double wait_s = wanted_.patience_s;
  for (unsigned vain = 0; vain < std::max(1U, wanted_.attempts);) {
    received_ = 0;
    const Step step = connect();
    if (step == Step::whole) return finish();
    if (step == Step::failed) break;
    if (step == Step::already_there) {
      part_.forget();
      return Downloaded{.size = fs::file_size(wanted_.path),
                        .sha256 = sha256_of_file(wanted_.path),
                        .already_there = true,
                        .checked_by = server_sum_.size() == 64 ? "sha256" : "git"};
    }
    if (received_ > 0) continue;  // there is progress, if slow
    if (++vain < wanted_.attempts)
      std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
    wait_s *= 2;
  }
  if (part_.size() == 0) part_.forget();
  return failure_;
}

}  // namespace

void require_room(const fs::path& folder, std::uint64_t needed, std::uint64_t available) {
  if (needed <= available) return;
  throw Error(Error::Kind::io, folder,
              fmt::format("has {:.1f} MB free, but {:.1f} MB are needed; make room or choose "
                          "another folder",
                          static_cast<double>(available) / 1e6, static_cast<double>(needed) / 1e6));
}

std::variant<Downloaded, DownloadFailure> download(const Download& wanted,
                                                   const DownloadProgress& progress) {
  if (!wanted.sha256.empty() && fs::is_regular_file(wanted.path) &&
      sha256_of_file(wanted.path) == wanted.sha256)
    return Downloaded{.size = fs::file_size(wanted.path),
                      .sha256 = wanted.sha256,
                      .already_there = true,
                      .checked_by = "sha256"};
  return Fetch(wanted, progress).run();
}

}  // namespace assay
