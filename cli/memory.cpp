// SPDX-License-Identifier: Apache-2.0
#include "cli/memory.hpp"

#include <cmath>
#include <string_view>

#include "assay/base/decimal.hpp"
#include "assay/base/machine_memory.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::cli {
namespace {

/// What "k", "MB" or "gib" stand for; 0 for anything else.
double unit_of(std::string_view text) {
  std::string word = ascii_lowered(trimmed(text));
  if (word.ends_with('b')) word.pop_back();
  double base = 1000;
  if (word.size() == 2 && word[1] == 'i') {
    base = 1024;
    word.pop_back();
  }
  constexpr std::string_view letters = "kmgt";
  if (word.empty()) return 1;
  const std::size_t place = letters.find(word[0]);
  return word.size() == 1 && place != letters.npos ? std::pow(base, static_cast<double>(place) + 1)
                                                   : 0;
}

}  // namespace

Bytes Kind<Bytes>::value(const std::string& text) {
  constexpr double least = 1e6, most = 1e18;  // a forgotten unit, as in --max-memory 8, is an error
  double number = 0;
  const auto read = read_decimal(text, number);
  const double bytes = read.ec == std::errc{}
                           ? number * unit_of(std::string_view(text).substr(
                                          static_cast<std::size_t>(read.ptr - text.data())))
                           : 0;
  if (!(bytes >= least && bytes <= most))
    throw Error(Error::Kind::usage,
                "'" + text + "' is not a size of at least 1 MB; write, for example, 8G or 500M");
  return {static_cast<std::uint64_t>(bytes)};
}

std::optional<std::uint64_t> memory_limit(const std::optional<Bytes>& asked) {
  if (asked) return asked->count;
  const auto available = available_memory();
  if (!available) return std::nullopt;
  return *available / 5 * 4;
}

}  // namespace assay::cli
