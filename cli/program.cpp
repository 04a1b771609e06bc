// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <ostream>

#include "assay/error.hpp"
#include "cli/parser.hpp"

namespace assay::cli {

int run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  std::vector<const char*> words;
  words.reserve(arguments.size());
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  Parser parser;
  if (const auto status = parser.parse(words, surroundings.out, surroundings.err)) return *status;
  if (parser.stops_in_order() && surroundings.listen_for_stop != nullptr)
    surroundings.listen_for_stop();
  const Exit status = parser.run({.out = surroundings.out,
                                  .err = surroundings.err,
                                  .command = arguments,
                                  .stop = surroundings.stop,
                                  .out_is_terminal = surroundings.out_is_terminal,
                                  .err_is_terminal = surroundings.err_is_terminal});
  surroundings.out.flush();
  if (!surroundings.out)
    throw Error(Error::Kind::io, "the output cannot be written; is the disk full?");
  return status;
}

}  // namespace assay::cli
