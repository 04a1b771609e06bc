// SPDX-License-Identifier: Apache-2.0
/// The program: reads the command line, hands over to one command, and turns errors into sentences.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>

#include "assay/error.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace assay::cli {
namespace {

std::atomic<bool> stop_requested = false;  // the one thing a signal handler may touch

/// The first Ctrl-C asks for an orderly end; the second ends at once.
extern "C" void request_stop(int) {
  if (stop_requested.exchange(true)) _exit(interrupted);
}

/// A command that can stop in order and resume does so; any other ends as programs do.
void listen_for_signals() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int run(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an error that can be explained
  return run_program({argv, argv + argc}, {.out = std::cout,
                                           .err = std::cerr,
                                           .stop = stop_requested,
                                           .out_is_terminal = isatty(STDOUT_FILENO) != 0,
                                           .err_is_terminal = isatty(STDERR_FILENO) != 0,
                                           .listen_for_stop = listen_for_signals});
}

}  // namespace
}  // namespace assay::cli

int main(int argc, char** argv) try {
  return assay::cli::run(argc, argv);
} catch (const assay::Error& e) {
  std::cerr << "assay: " << e.what() << '\n';
  return assay::cli::could_not;
} catch (const std::filesystem::filesystem_error& e) {
  std::cerr << "assay: " << e.path1().string() << ": cannot be looked at; check the path ("
            << e.code().message() << ")\n";
  return assay::cli::could_not;
} catch (const std::bad_alloc&) {
  std::cerr << "assay: not enough memory\n";
  return assay::cli::could_not;
} catch (const std::exception& e) {
  std::cerr << "assay: this should not have happened; please report it (" << e.what() << ")\n";
  return assay::cli::could_not;
}
