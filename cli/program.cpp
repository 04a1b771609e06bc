// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <ostream>

#include "assay/error.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/terminal_stream.hpp"
#include "cli/log.hpp"
#include "cli/parsed_line.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

/// Runs the command of a line. `log`, if there is one, gets all messages.
Exit run_line(const ParsedLine& line, const Surroundings& surroundings, std::ostream* log) {
  const Parser& parser = *line.parser;
  const report::Passes passes = {.colors = surroundings.err_is_terminal};
  SilentBuffer silence;
  std::ostream silent(&silence);
  report::TerminalStream out(surroundings.out, {.colors = surroundings.out_is_terminal});
  report::TerminalStream err(surroundings.err, passes, log);
  report::TerminalStream unheard(silent, passes, log);
  report::TerminalStream shown_data(surroundings.out, {.tabs = true});
  std::ostream& data = surroundings.out_is_terminal ? shown_data : surroundings.out;
  const Exit status =
      parser.run({.out = parser.common().json ? data : out,
                  .data = data,
                  .err = err,
                  .notes = parser.common().quiet ? unheard : err,
                  .command = line.words,
                  .stop = surroundings.stop,
                  .out_is_terminal = surroundings.out_is_terminal,
                  .err_is_terminal = surroundings.err_is_terminal,
                  .config = parser.common().no_config ? nullptr : surroundings.config,
                  .own_metrics = surroundings.own_metrics});
  surroundings.out.flush();
  if (!surroundings.out)
    throw Error(Error::Kind::io, "the output cannot be written; is the disk full?");
  return status;
}

/// The same with a log, which also records how the command ended.
Exit run_logged(const ParsedLine& line, const Surroundings& surroundings) {
  const std::string& path = line.parser->common().log;
  Log log(path, line.words);
  try {
    const Exit status = run_line(line, surroundings, &log);
    log << "exit status " << static_cast<int>(status) << '\n';
    if (log.has_failed())
      tell("warning", {path + ": some messages could not be written; is the disk full?"},
           surroundings.err);
    return status;
  } catch (const std::exception& e) {
    log << "assay: " << report::printable(e.what()) << '\n';
    throw;
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  report::TerminalStream out(surroundings.out, {.colors = surroundings.out_is_terminal});
  report::TerminalStream err(surroundings.err, {.colors = surroundings.err_is_terminal});
  const ParsedLine line = parse_line(arguments, surroundings.config, out, err);
  if (line.status) return *line.status;
  if (line.parser->stops_in_order() && surroundings.listen_for_stop != nullptr)
    surroundings.listen_for_stop();
  return line.parser->common().log.empty() ? run_line(line, surroundings, nullptr)
                                           : run_logged(line, surroundings);
}

}  // namespace assay::cli
