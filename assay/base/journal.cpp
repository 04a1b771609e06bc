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

/// Disks write sectors of at least this size as a whole.
constexpr std::size_t sector = 512;

/// A file that was torn in its first line begins as a journal does, or with a sector of zeros,
/// which a disk may leave. Anything else is somebody's file, which must not be overwritten.
void refuse_other_files(std::string_view text, const std::string& name) {
  const std::size_t same = std::min(text.size(), before_crc.size());
  if (text.substr(0, same) == before_crc.substr(0, same) ||
      text.substr(0, sector).find_first_not_of('\0') == text.npos)
    return;
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

std::string start_of(int file, const std::filesystem::path& path) {
  std::string start(sector, '\0');
  const ssize_t got = uninterrupted([&] { return ::pread(file, start.data(), start.size(), 0); });
  if (got < 0) fail(path, "the journal cannot be read", errno);
  start.resize(static_cast<std::size_t>(got));
  return start;
}

/// Removes the file if starting it failed, unless another process has started a journal in it by
/// now.
void remove_empty(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored)) &&
      !is_journal_locked(path))
    std::filesystem::remove(path, ignored);
}

}  // namespace

/// A line holds the record as it was hashed, so reading needs no canonical form.
std::string journal_line(std::string_view record) {
  std::string out(before_crc);
  return out.append(crc32_of(record)).append(before_record).append(record).append("}\n");
}

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
  std::string out = journal_line(header_text(header));
  for (const std::string_view record : records) out += journal_line(record);
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
  return scan_text(read_text(path), path.string(), each, salvage_run);
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

/// A link is not followed: what it points to would be emptied. The name of a new file is durable
/// before any of its records is.
Journal::Journal(const std::filesystem::path& path) : path_(path) {
  constexpr int flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
  file_ = open_descriptor(path, flags, 0644);
  struct stat status {};
  if (!file_.is_open() && errno == ELOOP)
    throw Error(Error::Kind::io, path,
                "is a symbolic link, which a journal must not be; remove it, or choose another "
                "--out");
  if (!file_.is_open()) fail(path, "the journal cannot be written; choose another --out", errno);
  if (::fstat(file_.number(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Error(Error::Kind::io, path, "is not a regular file; choose another --out");
  is_locked_ = lock();
  sync_folder(folder_of(path));
}

/// Some network file systems have no locks. There a journal still works for a single writer.
bool Journal::lock() const {
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOTSUP || errno == ENOSYS) return false;
  if (errno == EWOULDBLOCK)
    throw Error(Error::Kind::io, path_,
                "another assay process is writing this "
                "journal; wait for it, or choose another --out");
  fail(path_, "the journal cannot be locked", errno);
}

Journal Journal::create(const std::filesystem::path& path, const JournalHeader& header) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(path, ignored);
  try {
    Journal journal(path);
    journal.start(header);
    return journal;
  } catch (const Error&) {
    if (is_new) remove_empty(path);
    throw;
  }
}

Journal Journal::resume(const std::filesystem::path& path, const JournalContent& content) {
  Journal journal(path);
  journal.go_on(content);
  return journal;
}

Journal Journal::locked(const std::filesystem::path& path) {
  Journal journal(path);
  if (!journal.is_locked())
    throw Error(Error::Kind::io, path,
                "this file system refuses locks, so a second process could write here too; choose "
                "a local folder");
  return journal;
}

void Journal::start(const JournalHeader& header, const std::vector<std::string>& records) {
  const std::string start = start_of(file_.number(), path_);
  if (!start.empty()) refuse_other_files(start, path_.string());
  if (uninterrupted([&] { return ::ftruncate(file_.number(), 0); }) != 0)
    fail(path_, "the journal cannot be emptied", errno);
  std::vector<std::string> all = {header_text(header)};
  all.insert(all.end(), records.begin(), records.end());
  commit(all);
}

void Journal::go_on(const JournalContent& content) {
  const auto end = static_cast<off_t>(content.bytes);
  if (uninterrupted([&] { return ::ftruncate(file_.number(), end); }) != 0)
    fail(path_, "the journal cannot be repaired", errno);
}

void Journal::append(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text += journal_line(record);
  write(text);
}

void Journal::commit(const std::vector<std::string>& records) {
  append(records);
  if (uninterrupted([&] { return ::fdatasync(file_.number()); }) != 0)
    fail(path_, "the journal cannot be made durable", errno);
}

void Journal::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written =
        uninterrupted([&] { return ::write(file_.number(), text.data(), text.size()); });
    if (written < 0) fail(path_, "the journal cannot be written; is the disk full?", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace assay
