// SPDX-License-Identifier: Apache-2.0
/// A program that answers lines with lines, kept running between them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "assay/base/command_line.hpp"

namespace assay {

class ChildProcess {
 public:
  /// A program and its arguments, started without a shell by the first question. Its standard error
  /// is kept (the last part) for messages, and all of it is added to `error_file` when one is
  /// named. Throws Error::io when that cannot be opened.
  explicit ChildProcess(CommandWords command, const std::filesystem::path& error_file = {});
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  enum class Fault {
    none,
    timed_out,
    ended,     ///< the program ended before it answered
    too_long,  ///< a line above 64 MiB
    unasked,   ///< it wrote more than was asked, so answers can no longer be told apart
  };

  struct Answer {
    std::string line{};  ///< without its line break
    Fault fault = Fault::none;
    std::string ending{};  ///< of a fault: "ended with status 1 instead of answering"
    std::string detail{};  ///< a sentence with that and the end of standard error
  };

  /// Sends one line and waits for one. After a fault the program is killed with its whole process
  /// group; the next call restarts it. Throws Error::io, which names the program, when it cannot be
  /// started.
  Answer ask(std::string_view line, double timeout_s);

  /// The last part of what the program wrote to standard error.
  std::string standard_error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
