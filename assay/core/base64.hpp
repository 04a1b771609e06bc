// SPDX-License-Identifier: Apache-2.0
/// Bytes as text that goes anywhere (RFC 4648).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

inline std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? static_cast<std::uint8_t>(group[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= group.size() ? letters[bits >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

}  // namespace assay
