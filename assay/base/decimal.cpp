// SPDX-License-Identifier: Apache-2.0
#include "assay/base/decimal.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <system_error>

namespace assay {
namespace {

/// The power of ten that a number is written with. One that does not fit into 64 bits is replaced
/// by a very large one of the same sign, which decides just as well.
std::int64_t written_exponent(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  constexpr std::int64_t far = std::int64_t{1} << 60;
  std::int64_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec == std::errc{}) return std::clamp(exponent, -far, far);
  return text.starts_with('-') ? -far : far;
}

/// Whether a number that a double cannot hold is too large rather than too small.
bool is_too_large(std::string_view number) {
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, mark);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  const std::int64_t exponent =
      mark == number.size() ? 0 : written_exponent(number.substr(mark + 1));
  return point - first + exponent > 0;
}

}  // namespace

std::from_chars_result read_decimal(std::string_view text, double& value) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc::result_out_of_range) return read;
  const std::string_view number(text.data(), static_cast<std::size_t>(read.ptr - text.data()));
  const double size = is_too_large(number) ? std::numeric_limits<double>::infinity() : 0.0;
  value = number.starts_with('-') ? -size : size;
  return {read.ptr, std::errc{}};
}

}  // namespace assay
