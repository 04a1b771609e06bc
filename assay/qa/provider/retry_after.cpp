// SPDX-License-Identifier: Apache-2.0
/// How long a server asks us to wait: servers say it in five ways.
#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "assay/named.hpp"
#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
namespace {

/// In seconds.
constexpr Named<double> units[] = {{"ms", 0.001}, {"h", 3600}, {"m", 60}, {"s", 1}};

/// A number at the beginning, which is used up.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// "6m0s", "120ms", "1.5s"; what follows does not matter.
std::optional<double> duration(std::string_view text) {
  std::optional<double> total;
  while (const auto number = take_number(text)) {
    const auto unit = std::ranges::find_if(
        units, [&](const Named<double>& each) { return text.starts_with(each.name); });
    if (unit == std::end(units)) break;
    text.remove_prefix(unit->name.size());
    total = total.value_or(0) + *number * unit->value;
  }
  return total;
}

std::optional<double> whole_number(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

/// A moment, seen from the one at which the server answered: its clock, not ours.
std::optional<double> until(const std::string& moment, const std::string& now) {
  const std::time_t then = curl_getdate(moment.c_str(), nullptr);
  if (then < 0) return std::nullopt;
  const std::time_t answered = curl_getdate(now.c_str(), nullptr);
  const std::time_t from = answered >= 0 ? answered : std::time(nullptr);
  return std::max(0.0, std::difftime(then, from));
}

std::optional<double> standard_header(const HttpResponse& response) {
  if (auto milliseconds = whole_number(response.header("retry-after-ms")))
    return *milliseconds / 1000;
  const std::string text = response.header("retry-after");
  if (text.empty()) return std::nullopt;
  if (auto seconds = whole_number(text)) return seconds;
  return until(text, response.header("date"));
}

/// OpenAI's: for each limit what is left, and when it is full again.
std::optional<double> reset_header(const HttpResponse& response) {
  std::optional<double> longest;
  for (const std::string what : {"requests", "tokens"}) {
    if (response.header("x-ratelimit-remaining-" + what) != "0") continue;
    const auto reset = duration(response.header("x-ratelimit-reset-" + what));
    if (reset) longest = std::max(longest.value_or(0), *reset);
  }
  return longest;
}

std::optional<double> in_message(std::string_view message) {
  for (const std::string_view words : {"again in ", "retry in "})
    if (const std::size_t at = message.find(words); at != message.npos)
      if (auto seconds = duration(message.substr(at + words.size()))) return seconds;
  return std::nullopt;
}

}  // namespace

std::optional<double> retry_after(const HttpResponse& response, std::string_view message) {
  if (auto seconds = standard_header(response)) return seconds;
  if (auto seconds = reset_header(response)) return seconds;
  return in_message(message);
}

}  // namespace assay::qa
