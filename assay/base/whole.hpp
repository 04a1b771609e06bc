// SPDX-License-Identifier: Apache-2.0
/// Whole numbers of JSON, checked. The JSON library converts any number to any integer, which is
/// undefined behaviour for 1e300 and silently wrong for 2^32 + 1.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>

#include "assay/base/json.hpp"
#include "assay/error.hpp"

namespace assay {

/// Converts to whatever integer is needed: `.tp = Whole(list.at(0))`. Throws Error::input if the
/// value is not a whole number, is out of that type's range, or is above 2^53.
class Whole {
 public:
  explicit Whole(const Json& value) : value_(value) {}

  template <std::integral Integer>
  operator Integer() const {  // NOLINT(google-explicit-constructor): that is its purpose
    if (value_.is_number_unsigned()) return within<Integer>(value_.get<std::uint64_t>());
    if (value_.is_number_integer()) return within<Integer>(value_.get<std::int64_t>());
    if (!value_.is_number_float()) fail();
    const auto number = value_.get<double>();
    if (!(std::abs(number) <= static_cast<double>(most)) || std::trunc(number) != number) fail();
    return within<Integer>(static_cast<std::int64_t>(number));
  }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 53;  // exact in a double, and sums fit

  template <class Integer, class Given>
  static Integer within(Given given) {
    if (!std::in_range<Integer>(given) || std::cmp_greater(given, most) ||
        std::cmp_less(given, -most))
      fail();
    return static_cast<Integer>(given);
  }
  [[noreturn]] static void fail() {
    throw Error(Error::Kind::input, "a count is not a whole number within its range");
  }

  const Json& value_;
};

}  // namespace assay
