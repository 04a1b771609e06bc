// SPDX-License-Identifier: Apache-2.0
/// The one place where text meets a terminal. File names, ids and servers' words may hold anything:
/// what would move the cursor, retitle the window or turn the reading order around is shown as
/// \x1b or \u202e instead.
#pragma once

#include <locale>
#include <ostream>
#include <streambuf>
#include <string_view>

namespace assay::report {

/// What passes besides plain text and line ends.
struct Passes {
  bool colors = false;  ///< bold and its end, which are all we use
  bool tabs = false;
};

class TerminalBuffer : public std::streambuf {
 public:
  TerminalBuffer(std::ostream& stream, Passes passes, std::ostream* copy)
      : stream_(stream), passes_(passes), copy_(copy) {}

  /// Our own commands, as they are. The copy gets "\r" instead: the line starts anew.
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

/// Writes to `stream` what is harmless there. Nothing is held back, so its text and what is
/// written to `stream` directly come in order. `copy`, if there is one, gets the same text without
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

/// Empty the line, or the screen, and go to its start.
std::ostream& clear_line(std::ostream& stream);
std::ostream& clear_screen(std::ostream& stream);

}  // namespace assay::report
