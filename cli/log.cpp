// SPDX-License-Identifier: Apache-2.0
#include "cli/log.hpp"

#include <chrono>

#include "assay/base/ascii.hpp"
#include "assay/base/durable.hpp"
#include "assay/base/file_error.hpp"
#include "assay/error.hpp"
#include "assay/report/text/printable.hpp"
#include "cli/provenance.hpp"
#include "cli/qa_agent.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Text is never appended to a file that is not a log, such as an image that was named by mistake.
Descriptor open_log(const fs::path& path) {
  make_folder(folder_of(path));
  Descriptor file = open_descriptor(path, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY, 0666);
  if (!file.is_open()) throw file_error(path, errno);
  std::error_code unknown;
  char first = '2';
  const auto size = uninterrupted([&] { return ::pread(file.number(), &first, 1, 0); });
  if (!fs::is_regular_file(path, unknown) || size < 0 || !is_ascii_digit(first))
    throw Error(
        Error::Kind::usage, path.string(),
        "is not a log file of assay (its lines do not start with a time); choose another file "
        "for --log");
  return file;
}

}  // namespace

LogBuffer::int_type LogBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  if (byte == '\n')
    end_line();
  else if (byte == '\r')
    line_.clear();
  else
    line_ += byte;
  return c;
}

void LogBuffer::end_line() {
  const std::string text = iso_time(std::chrono::system_clock::now()) + " " + line_ + "\n";
  line_.clear();
  const auto written =
      uninterrupted([&] { return ::write(file_.number(), text.data(), text.size()); });
  has_failed_ = has_failed_ || written != static_cast<ssize_t>(text.size());
}

Log::Log(const fs::path& path, const CommandWords& command)
    : std::ostream(nullptr), buffer_(open_log(path)) {
  rdbuf(&buffer_);
  imbue(std::locale::classic());
  *this << report::printable(command_text(without_header_values(command))) << '\n';
}

}  // namespace assay::cli
