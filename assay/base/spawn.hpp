// SPDX-License-Identifier: Apache-2.0
/// The only place where programs are started: without a shell, in a process group of their own.
/// Included by .cpp files only.
#pragma once

#include <sys/types.h>

#include <string>

#include "assay/base/command_line.hpp"
#include "assay/base/descriptor.hpp"

namespace assay {

struct Pipe {
  Descriptor reading, writing;
};

/// Closed on exec: a program that another thread starts at this moment must not inherit it. Throws
/// Error::io.
Pipe make_pipe();

void make_nonblocking(const Descriptor& end);

/// Appends what is available; returns false and closes `from` at its end.
bool read_some(Descriptor& from, std::string& to);

/// What a program is given as its standard input, output and error.
struct Streams {
  const Descriptor &in, &out, &err;
};

/// Starts the program `words.front()`, searched in PATH unless it has a slash, with `words` as its
/// arguments. Signals have their defaults, even those that we ignore or block. Throws Error::io
/// that names the program.
pid_t start_program(const CommandWords& words, const Streams& streams);

/// "ended with status 1", "was ended by signal 9".
std::string ending_of(int wait_status);

}  // namespace assay
