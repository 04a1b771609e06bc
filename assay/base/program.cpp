// SPDX-License-Identifier: Apache-2.0
#include "assay/base/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "assay/base/spawn.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

using WaitClock = std::chrono::steady_clock;

/// The process stays unreaped, so that the number of its group is not reused.
bool has_ended(pid_t process) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process;
}

/// Takes what both pipes hold; waits a moment for the first bytes.
void read_both(Descriptor& out, Descriptor& err, ProgramEnd& end) {
  constexpr int moment_ms = 20;
  std::array<pollfd, 2> watched = {pollfd{out.number(), POLLIN, 0},
                                   pollfd{err.number(), POLLIN, 0}};
  ::poll(watched.data(), watched.size(), moment_ms);
  if (watched[0].revents != 0) read_some(out, end.output);
  if (watched[1].revents != 0) read_some(err, end.errors);
}

/// Reads what a program that has ended left in its pipe. Other processes of its group may hold it
/// open.
void read_rest(Descriptor& from, std::string& to) {
  for (std::size_t before = to.size() + 1; from.number() >= 0 && before != to.size();) {
    before = to.size();
    read_some(from, to);
  }
}

}  // namespace

ProgramEnd run_program(const CommandWords& words, double timeout_s) {
  const Descriptor nothing = open_descriptor("/dev/null", O_RDONLY);
  Pipe out = make_pipe(), err = make_pipe();
  const pid_t process = start_program(words, {nothing, out.writing, err.writing});
  out.writing.close();
  err.writing.close();
  for (const Descriptor* end : {&out.reading, &err.reading}) make_nonblocking(*end);
  ProgramEnd end;
  const auto time = std::chrono::duration<double>(timeout_s);
  const auto deadline = WaitClock::now() + std::chrono::duration_cast<WaitClock::duration>(time);
  while (!has_ended(process) && !end.timed_out) {
    read_both(out.reading, err.reading, end);
    end.timed_out = WaitClock::now() > deadline;
  }
  ::kill(-process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  read_rest(out.reading, end.output);
  read_rest(err.reading, end.errors);
  end.succeeded = !end.timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  end.ending = ending_of(status);
  return end;
}

std::filesystem::path find_program(std::string_view name, std::string_view search_path) {
  for (const std::string_view folder : parts_of(search_path, ':')) {
    std::filesystem::path file = std::filesystem::path(folder) / name;
    std::error_code unknown;
    if (std::filesystem::is_regular_file(file, unknown) && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

std::filesystem::path find_program(std::string_view name) {
  const char* const folders = std::getenv("PATH");
  return find_program(name, folders == nullptr ? "" : folders);
}

}  // namespace assay
