// SPDX-License-Identifier: Apache-2.0
#include "cli/words.hpp"

#include <algorithm>
#include <charconv>

#include "assay/base/error.hpp"

namespace assay::cli {
namespace {

/// Where the word ends that starts at `from`: nnU-Net calls a region "(1, 2)", and that is one
/// word.
std::size_t next_comma(const std::string& list, std::size_t from) {
  const std::size_t comma = std::min(list.find(',', from), list.size());
  const std::size_t open = list.find('(', from), close = list.find(')', from);
  const bool is_inside = open < comma && close != std::string::npos && comma < close;
  return is_inside ? std::min(list.find(',', close), list.size()) : comma;
}

}  // namespace

double number_in(const std::string& text, const std::string& option) {
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size())
    throw Error(Error::Kind::usage, option + ": '" + text + "' is not a number");
  return number;
}

std::vector<std::string> words_in(const std::string& list, const char* option) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size() && !list.empty();) {
    const std::size_t comma = next_comma(list, from);
    words.push_back(list.substr(from, comma - from));
    if (words.back().empty())
      throw Error(Error::Kind::usage, std::string(option) + " has an empty name");
    from = comma + 1;
  }
  return words;
}

compare::MetricNumbers metric_numbers(const std::string& text, const char* option) {
  compare::MetricNumbers numbers;
  for (const std::string& part : words_in(text, option)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      numbers.all = number_in(part, option);
    else
      numbers.each.emplace_back(part.substr(0, equals), number_in(part.substr(equals + 1), option));
  }
  return numbers;
}

void add_margins(const std::string& text, compare::CompareSettings& settings) {
  compare::MetricNumbers found = metric_numbers(text, "--margin");
  if (found.all) settings.margin = found.all;
  for (auto& each : found.each) settings.margins.push_back(std::move(each));
}

}  // namespace assay::cli
