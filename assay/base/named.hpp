// SPDX-License-Identifier: Apache-2.0
/// Options that people type by name: one table gives the spelling, the lookup and the refusal.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "assay/base/error.hpp"
#include "assay/base/nearest.hpp"

namespace assay {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

/// The first name of a value; further rows with the same value are aliases.
template <class Value>
std::string_view name_in(std::span<const Named<Value>> table, Value value) {
  const auto row = std::ranges::find(table, value, &Named<Value>::value);
  return row == table.end() ? std::string_view() : row->name;
}

/// The value of a name; an unknown one is an Error that says what `what` can be.
template <class Value>
Value value_in(std::span<const Named<Value>> table, std::string_view typed, std::string_view what) {
  const auto row = std::ranges::find(table, typed, &Named<Value>::name);
  if (row != table.end()) return row->value;
  std::string known;
  for (const auto& each : table) known += (known.empty() ? "" : ", ") + std::string(each.name);
  throw Error(Error::Kind::usage, "unknown " + std::string(what) + " '" + std::string(typed) + "'" +
                                      did_you_mean(typed, table, &Named<Value>::name) +
                                      " (known: " + known + ")");
}

}  // namespace assay
