// SPDX-License-Identifier: Apache-2.0
/// The only place that writes to a terminal. File names, ids and text from servers may contain
/// anything. Whatever would move the cursor, retitle the window or reverse the reading order is
/// shown as \x1b or \u202e instead.
#pragma once

#include <locale>
#include <ostream>
#include <streambuf>
#include <string_view>

namespace assay::report {

/// What is let through besides plain text and line ends.
struct Passes {
  bool colors = false;  ///< only the codes for bold and for its end, since we use no others
  bool tabs = false;
};

class TerminalBuffer : public std::streambuf {
 public:
  TerminalBuffer(std::ostream& stream, Passes passes, std::ostream* copy)
      : stream_(stream), passes_(passes), copy_(copy) {}

  /// Writes our own control sequences unchanged. The copy gets "\r" instead, because the line
  /// starts again.
  void command(std::string_view sequence) {
    stream_ << sequence;
    if (copy_ != nullptr) *copy_ << '\r';
  }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  std::size_t passing(std::string_view text) const;
  void put(std::string_view text);

  std::ostream& stream_;
  Passes passes_;
  std::ostream* copy_;
};

/// Writes to `stream` and makes the text harmless there. Nothing is buffered, so it stays in order
/// with what is written to `stream` directly. `copy`, if there is one, gets the same text without
/// colours.
class TerminalStream : public std::ostream {
 public:
  TerminalStream(std::ostream& stream, Passes passes, std::ostream* copy = nullptr)
      : std::ostream(nullptr), buffer_(stream, passes, copy) {
    rdbuf(&buffer_);
    imbue(std::locale::classic());
    setf(stream.flags() & std::ios::unitbuf, std::ios::unitbuf);
  }

 private:
  TerminalBuffer buffer_;
};

/// These clear the line, or the screen, and go to its start.
std::ostream& clear_line(std::ostream& stream);
std::ostream& clear_screen(std::ostream& stream);

}  // namespace assay::report
