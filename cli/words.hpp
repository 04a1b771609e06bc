// SPDX-License-Identifier: Apache-2.0
/// Lists and margins as people type them, for commands that share these options.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/compare/comparison.hpp"
#include "assay/compare/power.hpp"

namespace assay::cli {

/// "a,b,c"; throws Error::usage, naming the option, on an empty name.
std::vector<std::string> words_in(const std::string& list, const char* option);

/// The names in a table, for `Arguments::choice`.
template <class Value>
std::vector<std::string> words_of(std::span<const Named<Value>> table) {
  std::vector<std::string> words;
  for (const auto& row : table) words.emplace_back(row.name);
  return words;
}

/// "0.8"; throws Error::usage, naming the option, on anything else.
double number_in(const std::string& text, const std::string& option);

/// "0.01" for every metric, or "dice=0.01,avd=0.05".
compare::MetricNumbers metric_numbers(const std::string& text, const char* option);
void add_margins(const std::string& text, compare::CompareSettings& settings);

}  // namespace assay::cli
