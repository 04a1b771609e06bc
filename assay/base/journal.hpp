// SPDX-License-Identifier: Apache-2.0
/// The append-only file from which long work can be resumed: one line per record, each with a
/// checksum. docs/formats/journal.md describes it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/descriptor.hpp"

namespace assay {

/// What a journal is for; a run resumes only a journal whose header is its own.
struct JournalHeader {
  std::string settings_sha256, inputs_sha256, version;

  bool operator==(const JournalHeader&) const = default;
};

/// What a journal holds.
struct JournalContent {
  JournalHeader header;
  std::vector<std::string> records;  ///< one line of JSON each, in the order written
  std::size_t bytes = 0;             ///< length of the sound part; anything after it is a torn line
};

/// Walks through a journal without keeping it: calls `each` with every record after the header, in
/// the order written; a view lasts until `each` returns. Nothing when the file is absent or holds
/// no whole line yet; otherwise the content without its records. Damage as in read_journal.
std::optional<JournalContent> scan_journal(const std::filesystem::path& path,
                                           const std::function<void(std::string_view)>& each);

/// Reads a journal; nothing when the file is absent or holds no whole line yet. A torn last line is
/// left out: it was never committed. Any other damage throws Error::input with the line and what
/// helps, and so does a file that is not a journal.
std::optional<JournalContent> read_journal(const std::filesystem::path& path);

/// The same for text that is in memory already; `name` is used in messages.
std::optional<JournalContent> parse_journal(std::string_view text, const std::string& name);

/// The parts of the format, for code that reads or writes such files in its own way: the line of a
/// record, the record of a sound line (without its line break), the header in a record, and the
/// text of a whole journal.
std::string journal_line(std::string_view record);
std::optional<std::string_view> journal_record(std::string_view line);
std::optional<JournalHeader> journal_header(std::string_view record);
std::string journal_text(const JournalHeader& header, std::span<const std::string_view> records);

/// The beginning of every line of a journal. It cannot occur inside a record, where quotes are
/// escaped.
inline constexpr std::string_view journal_line_start = R"({"crc32": ")";

/// Whether a process of this machine holds the lock of a journal. The lock is not touched.
bool is_journal_locked(const std::filesystem::path& path);

/// The single writer of a journal.
class Journal {
 public:
  /// Starts an empty journal. Throws Error::io when the file cannot be made, when another process
  /// holds it, or when it is a link or a file of another kind, which would be lost.
  static Journal create(const std::filesystem::path& path, const JournalHeader& header);

  /// Opens a journal that was read, drops its torn end, and appends to it.
  static Journal resume(const std::filesystem::path& path, const JournalContent& content);

  /// Only takes the lock; the file is made if it is absent. A journal of work that costs money is
  /// read under the lock: scan_journal, then `start` or `go_on`. Throws Error::io also where the
  /// file system refuses locks.
  static Journal locked(const std::filesystem::path& path);

  /// Whether other processes are kept out; false where the file system refuses locks.
  bool is_locked() const { return is_locked_; }

  /// Empties the file and writes the header, and the first records together with it. Throws
  /// Error::input when the file holds anything but a journal.
  void start(const JournalHeader& header, const std::vector<std::string>& records = {});

  /// Drops the torn end; what is written next follows the sound part.
  void go_on(const JournalContent& content);

  /// Writes records and returns when they are on disk (fdatasync): one call, one commit.
  void commit(const std::vector<std::string>& records);

  /// Writes records that other processes can read at once, without waiting for the disk.
  void append(const std::vector<std::string>& records);

 private:
  explicit Journal(const std::filesystem::path& path);
  bool lock() const;
  void write(std::string_view text);

  std::filesystem::path path_;
  Descriptor file_;
  bool is_locked_ = false;
};

}  // namespace assay
