// SPDX-License-Identifier: Apache-2.0
/// The file of --log: every message, with the time, one line each.
#pragma once

#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string>

#include "assay/base/command_line.hpp"
#include "assay/base/descriptor.hpp"

namespace assay::cli {

/// Lines of text to the end of a file. A line is written whole, by one call, so several processes
/// can share a file. "\r" drops what there is of a line: a bar of progress is drawn again and
/// again.
class LogBuffer : public std::streambuf {
 public:
  explicit LogBuffer(Descriptor file) : file_(std::move(file)) {}

  bool has_failed() const { return has_failed_; }

 protected:
  int_type overflow(int_type c) override;

 private:
  void end_line();

  Descriptor file_;
  std::string line_;
  bool has_failed_ = false;
};

class Log : public std::ostream {
 public:
  /// Opens the file, or makes it, and notes the command. Throws Error about a file that cannot be
  /// opened, or that is not a log.
  Log(const std::filesystem::path& path, const CommandWords& command);

  /// Whether a line could not be written.
  bool has_failed() const { return buffer_.has_failed(); }

 private:
  LogBuffer buffer_;
};

/// Takes any text and keeps none of it.
class SilentBuffer : public std::streambuf {
 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize size) override { return size; }
};

}  // namespace assay::cli
