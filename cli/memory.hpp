// SPDX-License-Identifier: Apache-2.0
/// The option --max-memory of every command that reads images.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/arguments.hpp"

namespace assay::cli {

struct Bytes {
  std::uint64_t count = 0;
};

/// "8G", "500M", "1.5 GB", or a number of bytes. Units are powers of 1000, or of 1024 with an i.
template <>
struct Kind<Bytes> {
  static Bytes value(const std::string& text);
  static std::string shown(const Bytes&) { return ""; }
};

inline constexpr const char* max_memory_help =
    "Memory for images, such as 8G; an image that needs more fails, and cases that do not fit "
    "together wait (default: 80 % of what the machine or container has free)";

/// The limit that was asked for, else that of the machine; nothing if the machine does not say.
std::optional<std::uint64_t> memory_limit(const std::optional<Bytes>& asked);

}  // namespace assay::cli
