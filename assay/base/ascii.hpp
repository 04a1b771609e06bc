// SPDX-License-Identifier: Apache-2.0
/// Letters and digits of ASCII, whatever the locale of the program that uses the library. In an
/// 8-bit locale, std::isalnum also accepts letters above 127.
#pragma once

namespace assay {

constexpr bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_ascii_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_ascii_letter(char c) {
  return is_ascii_upper(c) || (c >= 'a' && c <= 'z');
}

constexpr bool is_ascii_word(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c);
}

constexpr char ascii_lower(char c) {
  return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace assay
