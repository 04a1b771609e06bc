// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <ostream>

#include "assay/error.hpp"
#include "assay/report/text/terminal_stream.hpp"
#include "cli/parsed_line.hpp"

namespace assay::cli {

int run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  report::TerminalStream out(surroundings.out, {.colors = surroundings.out_is_terminal});
  report::TerminalStream err(surroundings.err, {.colors = surroundings.err_is_terminal});
  const ParsedLine line = parse_line(arguments, surroundings.config, out, err);
  if (line.status) return *line.status;
  const Parser& parser = *line.parser;
  if (parser.stops_in_order() && surroundings.listen_for_stop != nullptr)
    surroundings.listen_for_stop();
  report::TerminalStream shown_data(surroundings.out, {.tabs = true});
  std::ostream& data = surroundings.out_is_terminal ? shown_data : surroundings.out;
  const Exit status =
      parser.run({.out = parser.common().json ? data : out,
                  .data = data,
                  .err = err,
                  .command = line.words,
                  .stop = surroundings.stop,
                  .out_is_terminal = surroundings.out_is_terminal,
                  .err_is_terminal = surroundings.err_is_terminal,
                  .config = parser.common().no_config ? nullptr : surroundings.config});
  surroundings.out.flush();
  if (!surroundings.out)
    throw Error(Error::Kind::io, "the output cannot be written; is the disk full?");
  return status;
}

}  // namespace assay::cli
