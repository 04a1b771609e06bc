// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
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

constexpr std::string_view before_crc = R"({"crc32": ")";
constexpr std::string_view before_record = R"(", "record": )";
constexpr std::size_t crc_digits = 8;
constexpr std::size_t record_at = before_crc.size() + crc_digits + before_record.size();

/// The record of a sound line (without its line break).
std::optional<std::string_view> record_of(std::string_view line) {
  if (line.size() < record_at + 1 || !line.starts_with(before_crc) || !line.ends_with('}') ||
      line.substr(before_crc.size() + crc_digits, before_record.size()) != before_record)
    return std::nullopt;
  const std::string_view record = line.substr(record_at, line.size() - record_at - 1);
  if (line.substr(before_crc.size(), crc_digits) != crc32_of(record)) return std::nullopt;
  return record;
}

std::string header_text(const JournalHeader& header) {
  return to_text(Json{{"kind", "header"},
                      {"schema", "assay.journal/1"},
                      {"settings_sha256", header.settings_sha256},
                      {"inputs_sha256", header.inputs_sha256},
                      {"version", header.version}},
                 {.indent = 0});
}

JournalHeader parse_header(std::string_view record, const std::string& where) try {
  const Json json = parse_json(record, where);
  if (json.at("kind") != "header") throw Error(Error::Kind::input, "another kind");
  return {.settings_sha256 = json.at("settings_sha256"),
          .inputs_sha256 = json.at("inputs_sha256"),
          .version = json.at("version")};
} catch (const std::exception&) {
  throw Error(Error::Kind::input, where, "line 1 is not a journal's header");
}

std::optional<JournalContent> scan_text(std::string_view text, const std::string& name,
                                        const std::function<void(std::string_view)>& each) {
  std::optional<JournalContent> content;
  std::size_t at = 0;
  for (std::size_t line_number = 1; at < text.size(); ++line_number) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;  // torn: its line break was never written
    const auto record = record_of(text.substr(at, end - at));
    const bool last = end + 1 == text.size();
    if (!record && last) break;  // torn: pages of one write may reach the disk out of order
    if (!record)
      throw Error(Error::Kind::input, name,
                  "line " + std::to_string(line_number) +
                      " is damaged; restore the file, or delete it to start "
                      "over");
    if (line_number == 1)
      content = {.header = parse_header(*record, name), .records = {}, .bytes = 0};
    else
      each(*record);
    at = end + 1;
    content->bytes = at;
  }
  return content;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error) {
  throw Error(Error::Kind::io, path, what + " (" + std::strerror(error) + ")");
}

}  // namespace

std::optional<JournalContent> scan_journal(const std::filesystem::path& path,
                                           const std::function<void(std::string_view)>& each) {
  if (!std::filesystem::exists(path) || std::filesystem::file_size(path) == 0) return std::nullopt;
  const MappedFile file(path);
  return scan_text(text_of(file.bytes()), path.string(), each);
}

std::optional<JournalContent> read_journal(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return parse_journal(read_text(path), path.string());
}

std::optional<JournalContent> parse_journal(std::string_view text, const std::string& name) {
  std::vector<std::string> records;
  auto content =
      scan_text(text, name, [&](std::string_view record) { records.emplace_back(record); });
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

void Journal::commit(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text += line_of(record);
  write(text);
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
