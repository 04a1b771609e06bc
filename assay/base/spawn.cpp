// SPDX-License-Identifier: Apache-2.0
#include "assay/base/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

#include "assay/error.hpp"

extern char** environ;  // NOLINT: posix_spawn wants it, and unistd.h does not declare it

namespace assay {
namespace {

constexpr std::size_t read_size = std::size_t{64} << 10;

class SpawnSettings {
 public:
  explicit SpawnSettings(const Streams& streams) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, streams.in.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, streams.out.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, streams.err.number(), STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none{}, all{};
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  /// 0, or why it could not be started.
  int start(CommandWords words, pid_t& process) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return posix_spawnp(&process, arguments.front(), &actions_, &attributes_, arguments.data(),
                        environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string reason_of(const std::string& program, int error) {
  const bool is_path = program.find('/') != program.npos;
  if (error == ENOENT && !is_path) return "it is not in any folder of PATH";
  if (error == ENOENT)
    return "there is no such file, or the interpreter in its first line does not exist";
  if (error == EACCES) return "it is not executable (chmod +x)";
  if (error == ENOEXEC) return "it is not a program; a script begins with a line such as #!/bin/sh";
  return std::generic_category().message(error);
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(Error::Kind::io,
                "no pipe to the program: too many files are open; raise the limit (ulimit -n)");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void make_nonblocking(const Descriptor& end) {
  ::fcntl(end.number(), F_SETFL, ::fcntl(end.number(), F_GETFL) | O_NONBLOCK);
}

bool read_some(Descriptor& from, std::string& to) {
  std::array<char, read_size> piece;
  const auto got = ::read(from.number(), piece.data(), piece.size());
  if (got > 0) to.append(piece.data(), static_cast<std::size_t>(got));
  if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return true;
  from.close();
  return false;
}

pid_t start_program(const CommandWords& words, const Streams& streams) {
  pid_t process = 0;
  const int error = SpawnSettings(streams).start(words, process);
  if (error != 0)
    throw Error(Error::Kind::io, "the program '" + words.front() +
                                     "' cannot be started: " + reason_of(words.front(), error));
  return process;
}

std::string ending_of(int wait_status) {
  if (WIFEXITED(wait_status))
    return "ended with status " + std::to_string(WEXITSTATUS(wait_status));
  return "was ended by signal " + std::to_string(WTERMSIG(wait_status));
}

}  // namespace assay
