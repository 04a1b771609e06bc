// SPDX-License-Identifier: Apache-2.0
/// Base64 (RFC 4648, with padding): how images are sent inside JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

constexpr std::size_t base64_size(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/// Writes base64_size(bytes.size()) characters and returns the position after them.
char* write_base64(std::string_view bytes, char* to);

std::string base64(std::string_view bytes);

}  // namespace assay
