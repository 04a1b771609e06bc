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

/// Appends lines of text to a file. Each line is written by one call, so that several processes can
/// share a file. "\r" drops the unfinished line, because a progress bar is redrawn many times.
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
  /// Opens or creates the file and writes the command to it. Throws Error about a file that cannot
  /// be opened, or that is not a log.
  Log(const std::filesystem::path& path, const CommandWords& command);

  /// Whether a line could not be written.
  bool has_failed() const { return buffer_.has_failed(); }

 private:
  LogBuffer buffer_;
};

/// Accepts any text and discards it.
class SilentBuffer : public std::streambuf {
 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize size) override { return size; }
};

}  // namespace assay::cli
