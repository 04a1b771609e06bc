// SPDX-License-Identifier: Apache-2.0
#include "cli/words.hpp"

#include <algorithm>
#include <charconv>

#include "assay/core/error.hpp"

namespace assay::cli {
namespace {

double number_in(const std::string& text, const std::string& option) {
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size())
    throw Error(Error::Kind::usage, option + ": '" + text + "' is not a number");
  return number;
}

}  // namespace

std::vector<std::string> words_in(const std::string& list, const char* option) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size() && !list.empty();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    words.push_back(list.substr(from, comma - from));
    if (words.back().empty())
      throw Error(Error::Kind::usage, std::string(option) + " has an empty name");
    from = comma + 1;
  }
  return words;
}

void add_margins(const std::string& text, CompareSettings& settings) {
  for (const std::string& part : words_in(text, "--margin")) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      settings.margin = number_in(part, "--margin");
    else
      settings.margins.emplace_back(part.substr(0, equals),
                                    number_in(part.substr(equals + 1), "--margin"));
  }
}

}  // namespace assay::cli
