// SPDX-License-Identifier: Apache-2.0
/// Options that people type by name: one table gives the spelling, the lookup and the refusal.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/named.hpp"

namespace assay {

/// The first name of a value; further rows with the same value are aliases.
template <class Value>
std::string_view name_in(std::span<const Named<Value>> table, Value value) {
  const auto row = std::ranges::find(table, value, &Named<Value>::value);
  return row == table.end() ? std::string_view() : row->name;
}

/// The error for an unknown name, listing the known ones.
template <class Rows, class Name>
Error unknown_name(std::string_view what, std::string_view typed, const Rows& rows, Name name) {
  return {Error::Kind::usage, "unknown " + std::string(what) + " '" + std::string(typed) + "'" +
                                  did_you_mean(typed, rows, name) +
                                  " (known: " + joined(rows, ", ", name) + ")"};
}

/// The value of a name. Throws Error for an unknown one.
template <class Value>
Value value_in(std::span<const Named<Value>> table, std::string_view typed, std::string_view what) {
  const auto row = std::ranges::find(table, typed, &Named<Value>::name);
  if (row != table.end()) return row->value;
  throw unknown_name(what, typed, table, &Named<Value>::name);
}

}  // namespace assay
