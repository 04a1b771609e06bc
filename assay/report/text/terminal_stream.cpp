// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/terminal_stream.hpp"

#include <algorithm>

#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::ostream& send(std::ostream& stream, std::string_view sequence) {
  auto* buffer = dynamic_cast<TerminalBuffer*>(stream.rdbuf());
  if (buffer == nullptr) return stream << sequence;
  buffer->command(sequence);
  return stream;
}

}  // namespace

/// How many bytes at the front are let through unchanged.
std::size_t TerminalBuffer::passing(std::string_view text) const {
  if (text.starts_with('\n') || (passes_.tabs && text.starts_with('\t'))) return 1;
  for (const std::string_view color : {bold_on, bold_off})
    if (passes_.colors && text.starts_with(color)) return color.size();
  return 0;
}

void TerminalBuffer::put(std::string_view text) {
  while (!text.empty()) {
    std::size_t size = passing(text);
    std::string shown(text.substr(0, size));
    if (size == 0) {
      size = std::min(text.find_first_of("\n\t\x1b", 1), text.size());
      shown = printable(text.substr(0, size));
    }
    stream_ << shown;
    if (copy_ != nullptr && !shown.starts_with('\x1b')) *copy_ << shown;
    text.remove_prefix(size);
  }
}

TerminalBuffer::int_type TerminalBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  put({&byte, 1});
  return stream_ ? c : traits_type::eof();
}

std::streamsize TerminalBuffer::xsputn(const char* text, std::streamsize size) {
  put({text, static_cast<std::size_t>(size)});
  return stream_ ? size : 0;
}

int TerminalBuffer::sync() {
  return stream_.flush() ? 0 : -1;
}

std::ostream& clear_line(std::ostream& stream) {
  return send(stream, "\r\x1b[K");
}

std::ostream& clear_screen(std::ostream& stream) {
  return send(stream, "\x1b[H\x1b[J");
}

}  // namespace assay::report
