// SPDX-License-Identifier: Apache-2.0
/// usage OUTPUT COMMAND...: runs a command with its stdout in a file and prints what it used, as
/// JSON. A tool of its own because Linux counts the memory of whoever starts a program towards the
/// program's peak, and a Python interpreter is larger than what is to be measured.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <span>

namespace {

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
}

[[noreturn]] void become(const char* output, char** command) {
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0) execvp(command[0], command);
  _exit(127);
}

}  // namespace

int main(int count, char** values) {
  const std::span<char*> arguments(values, static_cast<std::size_t>(count));
  if (count < 3) {
    std::cerr << "usage: usage OUTPUT COMMAND...\n";
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) become(arguments[1], values + 2);
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) {
    std::cerr << "usage: cannot start " << arguments[2] << '\n';
    return 2;
  }
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  std::cout << R"({"status": )" << (WIFEXITED(status) ? WEXITSTATUS(status) : 128)
            << R"(, "wall_ms": )" << wall.count() << R"(, "cpu_ms": )"
            << milliseconds(used.ru_utime) + milliseconds(used.ru_stime) << R"(, "peak_bytes": )"
            << used.ru_maxrss * 1024 << "}\n";
}
