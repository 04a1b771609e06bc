// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

std::string crc32_of(std::string_view text) {
  std::array<char, 16> hex{};
  std::snprintf(hex.data(), hex.size(), "%08x", libdeflate_crc32(0, text.data(), text.size()));
  return hex.data();
}

/// The line holds the record as it was hashed, so reading needs no canonical form.
std::string line_of(std::string_view record) {
  return R"({"crc32": ")" + crc32_of(record) + R"(", "record": )" + std::string(record) + "}\n";
}

constexpr std::string_view before_crc = journal_line_start;
constexpr std::string_view before_record = R"(", "record": )";
constexpr std::size_t crc_digits = 8;
constexpr std::size_t record_at = before_crc.size() + crc_digits + before_record.size();

std::string header_text(const JournalHeader& header) {
  return to_text(Json{{"kind", "header"},
                      {"schema", "assay.journal/1"},
                      {"settings_sha256", header.settings_sha256},
                      {"inputs_sha256", header.inputs_sha256},
                      {"version", header.version}},
                 {.indent = 0});
}

JournalHeader parse_header(std::string_view record, const std::string& where) {
  if (auto header = journal_header(record)) return std::move(*header);
  throw Error(Error::Kind::input, where, "line 1 is not a journal's header");
}

/// A file that was torn in its first line begins as a journal does, or with zeros, which a disk may
/// leave. Anything else is somebody's file, which must not be overwritten.
void refuse_other_files(std::string_view text, const std::string& name) {
  const std::string_view start = text.substr(0, before_crc.size());
  if (before_crc.starts_with(start) || start.front() == '\0') return;
  throw Error(Error::Kind::input, name + ": is not a journal; move it away");
}

/// What the reader of a message can do about a damaged line.
using DamageRemedy = std::string (*)(const std::string& name);

std::string salvage_or_start_over(const std::string& name) {
  return "'assay qa salvage " + name +
         "' keeps every intact record, and without --resume the run starts over";
}

std::string salvage_run(const std::string& name) {
  const std::filesystem::path path(name);
  const bool is_run = path.filename() == "run.journal" && path.has_parent_path();
  return "'assay qa salvage " + (is_run ? path.parent_path().string() : name) +
         "' keeps every intact record";
}

std::optional<JournalContent> scan_text(std::string_view text, const std::string& name,
                                        const std::function<void(std::string_view)>& each,
                                        DamageRemedy remedy) {
  std::optional<JournalContent> content;
  std::size_t at = 0;
  for (std::size_t line_number = 1; at < text.size(); ++line_number) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;  // torn: its line break was never written
    const auto record = journal_record(text.substr(at, end - at));
    const bool last = end + 1 == text.size();
    if (!record && last) break;  // torn: pages of one write may reach the disk out of order
    if (!record)
      throw Error(Error::Kind::input, name,
                  "line " + std::to_string(line_number) + " is damaged; " + remedy(name));
    if (line_number == 1)
      content = {.header = parse_header(*record, name), .records = {}, .bytes = 0};
    else
      each(*record);
    at = end + 1;
    content->bytes = at;
  }
  if (!content && !text.empty()) refuse_other_files(text, name);
  return content;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error) {
  throw Error(Error::Kind::io, path, what + " (" + std::strerror(error) + ")");
}

}  // namespace

std::optional<std::string_view> journal_record(std::string_view line) {
  if (line.size() < record_at + 1 || !line.starts_with(before_crc) || !line.ends_with('}') ||
      line.substr(before_crc.size() + crc_digits, before_record.size()) != before_record)
    return std::nullopt;
  const std::string_view record = line.substr(record_at, line.size() - record_at - 1);
  if (line.substr(before_crc.size(), crc_digits) != crc32_of(record)) return std::nullopt;
  return record;
}

std::optional<JournalHeader> journal_header(std::string_view record) try {
  const Json json = parse_json(record, "journal");
  if (json.at("kind") != "header") return std::nullopt;
  return JournalHeader{.settings_sha256 = json.at("settings_sha256"),
                       .inputs_sha256 = json.at("inputs_sha256"),
                       .version = json.at("version")};
} catch (const std::exception&) {
  return std::nullopt;
}

std::string journal_text(const JournalHeader& header, std::span<const std::string_view> records) {
  std::string out = line_of(header_text(header));
  for (const std::string_view record : records) out += line_of(record);
  return out;
}

bool is_journal_locked(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  // "2: FLOCK  ADVISORY  WRITE 4711 fd:01:1234567 0 EOF"; the device is not always that of stat.
  const std::string inode = ":" + std::to_string(status.st_ino) + " ";
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);)
    if (line.find(" FLOCK ") != line.npos && line.find("->") == line.npos &&
        line.find(inode) != line.npos)
      return true;
  return false;
}

std::optional<JournalContent> scan_journal(const std::filesystem::path& path,
                                           const std::function<void(std::string_view)>& each) {
  if (!std::filesystem::exists(path) || std::filesystem::file_size(path) == 0) return std::nullopt;
  const MappedFile file(path);
  return scan_text(text_of(file.bytes()), path.string(), each, salvage_run);
}

std::optional<JournalContent> read_journal(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return parse_journal(read_text(path), path.string());
}

std::optional<JournalContent> parse_journal(std::string_view text, const std::string& name) {
  std::vector<std::string> records;
  auto content = scan_text(
      text, name, [&](std::string_view record) { records.emplace_back(record); },
      salvage_or_start_over);
  if (content) content->records = std::move(records);
  return content;
}

Journal::Journal(const std::filesystem::path& path) : path_(path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) fail(path, "the journal cannot be written; choose another --out", errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(std::exchange(file_, -1));
    if (error == EWOULDBLOCK)
      throw Error(Error::Kind::io, path,
                  "another assay process is writing this "
                  "journal; wait for it, or choose another --out");
    fail(path, "the journal cannot be locked", error);
  }
}

Journal Journal::create(const std::filesystem::path& path, const JournalHeader& header) {
  Journal journal(path);
  try {
    journal.start(header);
  } catch (const Error&) {
    ::unlink(path.c_str());  // it holds nothing yet
    throw;
  }
  return journal;
}

Journal Journal::resume(const std::filesystem::path& path, const JournalContent& content) {
  Journal journal(path);
  journal.go_on(content);
  return journal;
}

Journal Journal::locked(const std::filesystem::path& path) {
  return Journal(path);
}

void Journal::start(const JournalHeader& header, const std::vector<std::string>& records) {
  if (::ftruncate(file_, 0) != 0) fail(path_, "the journal cannot be emptied", errno);
  std::vector<std::string> all = {header_text(header)};
  all.insert(all.end(), records.begin(), records.end());
  commit(all);
}

void Journal::go_on(const JournalContent& content) {
  if (::ftruncate(file_, static_cast<off_t>(content.bytes)) != 0)
    fail(path_, "the journal cannot be repaired", errno);
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

void Journal::append(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text += line_of(record);
  write(text);
}

void Journal::commit(const std::vector<std::string>& records) {
  append(records);
  if (::fdatasync(file_) != 0) fail(path_, "the journal cannot be made durable", errno);
}

void Journal::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "the journal cannot be written; is the disk full?", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace assay
