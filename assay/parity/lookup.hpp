// SPDX-License-Identifier: Apache-2.0
/// Rows that people name by their key.
#pragma once

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>

#include "assay/base/named.hpp"
#include "assay/error.hpp"

namespace assay::parity {

/// The row whose `key` was typed. Throws Error::usage with the nearest key and a list of all.
template <class Rows>
const std::ranges::range_value_t<Rows>& by_key(const Rows& rows, std::string_view typed,
                                               std::string_view what) {
  const auto key_of = [](const auto& row) { return std::string_view(row.key); };
  const auto found = std::ranges::find(rows, typed, key_of);
  if (found != std::ranges::end(rows)) return *found;
  throw unknown_name(what, typed, rows, key_of);
}

}  // namespace assay::parity
