// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/agent/prompt.hpp"

namespace assay::qa {
namespace {

constexpr std::string_view placeholder = "{options}";

/// Doubled braces as single ones. A prompt without them is not a format, and its braces stay.
std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool brace = text[i] == '{' || text[i] == '}';
    if (brace && i + 1 < text.size() && text[i + 1] == text[i]) ++i;
  }
  return out;
}

}  // namespace

std::string numbered_options(std::span<const std::string> options) {
  std::string out;
  for (std::size_t i = 0; i < options.size(); ++i)
    out += (i == 0 ? "" : "\n") + std::to_string(i + 1) + ". " + options[i];
  return out;
}

std::string injected_prompt(std::string_view prompt, std::span<const std::string> options) {
  if (options.empty()) return unescaped(prompt);
  const std::string list = numbered_options(options);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = prompt.find(placeholder); at != std::string_view::npos;
       at = prompt.find(placeholder, from)) {
    out += unescaped(prompt.substr(from, at - from)) + list;  // braces of options are their own
    from = at + placeholder.size();
  }
  out += unescaped(prompt.substr(from));
  if (from != 0) return out;
  return out + "\n\nSelect from the following options:\n" + list +
         "\n\nPlease respond with the option number (1-based index).";
}

}  // namespace assay::qa
