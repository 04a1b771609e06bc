// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/truth.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"

namespace assay::qa {
namespace {

[[noreturn]] void refuse_truth(const std::string& what) {
  throw Error(Error::Kind::input, "Invalid truth label: " + what);
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end.ec != std::errc{} || end.ptr != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

std::u32string folded(std::string_view text) {
  return lowered(characters(stripped(text)).points);
}

/// The position of an option from 1, by the first of two readings that finds one.
std::optional<std::int64_t> option_label(std::string_view answer,
                                         std::span<const std::string> options) {
  const auto position = [&](auto equal) -> std::optional<std::int64_t> {
    const auto found = std::ranges::find_if(options, equal);
    if (found == options.end()) return std::nullopt;
    return found - options.begin() + 1;
  };
  const auto exact = position([&](const std::string& o) { return o == answer; });
  if (exact) return exact;
  return position([&](const std::string& o) { return folded(o) == folded(answer); });
}

std::string range_text(std::string_view benchmark, const LabelRange& range) {
  return (is_panda(benchmark) ? "an ISUP grade is " : "it must be ") + std::to_string(range.first) +
         " to " + std::to_string(range.last);
}

}  // namespace

bool is_panda(std::string_view benchmark) {
  return ascii_lowered(benchmark) == "panda";
}

LabelRange label_range(std::string_view benchmark, std::size_t options) {
  if (is_panda(benchmark)) return {0, 5};
  if (options != 0) return {1, static_cast<std::int64_t>(options)};
  const Task* task = find_task(benchmark);
  return {1, task == nullptr ? 0 : static_cast<std::int64_t>(task->classes)};
}

std::int64_t truth_label(std::string_view answer, std::string_view benchmark,
                         std::span<const std::string> options) {
  const std::string_view text = stripped(answer);
  if (text.empty())
    refuse_truth("Empty truth label; the column 'answer' needs a number or an option");
  const std::string quoted = "'" + std::string(text.substr(0, 60)) + "'";
  auto label = integer(text);
  if (!label) label = option_label(text, options);
  if (!label)
    refuse_truth("Could not parse truth label " + quoted +
                 (options.empty() ? "; without options it must be a whole number"
                                  : "; it is neither a number nor one of the options"));
  const LabelRange range = label_range(benchmark, options.size());
  if (!range.contains(*label))
    refuse_truth(
        quoted + " is out of range; " +
        (range.bounded() ? range_text(benchmark, range) : std::string("it must not be negative")));
  return *label;
}

}  // namespace assay::qa
