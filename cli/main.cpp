// SPDX-License-Identifier: Apache-2.0
/// The program: reads the command line, hands over to one command, and turns errors into sentences.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include "assay/error.hpp"
#include "assay/report/text/printable.hpp"
#include "cli/commands.hpp"
#include "cli/config_files.hpp"
#include "cli/program.hpp"
#include "cli/python_package.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

std::atomic<bool> stop_requested = false;  // the only state that the signal handler touches

/// The first Ctrl-C asks for an orderly end; the second ends at once.
extern "C" void request_stop(int) {
  if (stop_requested.exchange(true)) _exit(interrupted);
}

/// Called for commands that can stop in good order and resume; others keep the default handlers.
void listen_for_signals() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int run(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an error that can be explained
  if (const std::string sentence = overwritten_package(this_program()); !sentence.empty())
    tell("warning", {sentence}, std::cerr);
  const ConfigPlaces config = config_places();
  return run_program({argv, argv + argc}, {.out = std::cout,
                                           .err = std::cerr,
                                           .stop = stop_requested,
                                           .out_is_terminal = isatty(STDOUT_FILENO) != 0,
                                           .err_is_terminal = isatty(STDERR_FILENO) != 0,
                                           .listen_for_stop = listen_for_signals,
                                           .config = &config});
}

/// Text of unknown origin, made safe for a terminal; empty if there is no memory for it.
std::string shown(std::string_view text) noexcept try {
  return report::printable(text);
} catch (...) {
  return {};
}

/// Prints the exception that is being handled as a sentence. Allocates nothing if memory ran out.
void explain() try { throw; } catch (const Error& e) {
  std::cerr << "assay: " << shown(e.what()) << '\n';
} catch (const std::filesystem::filesystem_error& e) {
  std::cerr << "assay: " << shown(e.path1().native()) << ": cannot be looked at; check the path ("
            << std::strerror(e.code().value()) << ")\n";
} catch (const std::bad_alloc&) {
  std::cerr << "assay: not enough memory; close other programs, or use fewer --jobs\n";
} catch (const std::exception& e) {
  std::cerr << "assay: this should not have happened; please report it (" << shown(e.what())
            << ")\n";
} catch (...) {
  std::cerr << "assay: this should not have happened; please report it\n";
}

std::atomic<bool> is_explained = false;       // so that only one sentence is printed
thread_local bool is_explained_here = false;  // by this thread

/// Says what went wrong. If another thread is already doing so, waits for it to end the program.
template <class Explain>
void explain_once(Explain explain) {
  if (is_explained.exchange(true)) {
    while (!is_explained_here) ::pause();
    return;
  }
  is_explained_here = true;
  explain();
}

/// Called for an exception that cannot be caught: one that leaves a library's thread, or a
/// destructor that allocates memory, such as that of JSON values. Written files stay valid, as
/// after a kill.
[[noreturn]] void end_of_thread() {
  explain_once([] {
    if (std::current_exception())
      explain();
    else
      std::cerr << "assay: a library gave up, most likely for lack of memory; close other "
                   "programs, or use fewer --jobs\n";
  });
  _exit(could_not);
}

}  // namespace
}  // namespace assay::cli

int main(int argc, char** argv) try {
  std::set_terminate(assay::cli::end_of_thread);
  return assay::cli::run(argc, argv);
} catch (...) {
  assay::cli::explain_once(assay::cli::explain);
  return assay::cli::could_not;
}
