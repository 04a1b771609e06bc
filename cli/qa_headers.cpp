// SPDX-License-Identifier: Apache-2.0
#include "cli/qa_headers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "assay/base/ascii.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::cli {
namespace {

constexpr std::string_view option = "--header";
constexpr std::array<std::string_view, 5> credentials = {
    "api-key", "authorization", "x-api-key", "x-goog-api-key", "ocp-apim-subscription-key"};
constexpr std::array<std::string_view, 3> harmless = {"anthropic-beta", "anthropic-version",
                                                      "openai-beta"};

bool is_among(const std::string& name, const auto& names) {
  return std::ranges::find(names, ascii_lowered(name)) != std::end(names);
}

/// RFC 9110's token.
bool is_header_name(std::string_view text) {
  constexpr std::string_view signs = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_ascii_word(c) || signs.find(c) != signs.npos;
  });
}

/// SUCH_A_WORD: nobody's value, so a misspelt name is not sent in place of a key.
bool looks_like_a_variable(std::string_view text) {
  return text.find('_') != text.npos && is_ascii_letter(text[0]) &&
         std::ranges::all_of(
             text, [](char c) { return is_ascii_upper(c) || is_ascii_digit(c) || c == '_'; });
}

std::pair<std::string, std::string> taken_apart(const std::string& typed) {
  const std::size_t equals = typed.find('=');
  std::string name = typed.substr(0, equals);
  if (equals == std::string::npos || !is_header_name(name))
    throw Error(Error::Kind::usage,
                "--header takes NAME=VALUE, such as --header api-key=AZURE_API_KEY, where the "
                "value may be the name of an environment variable");
  return {std::move(name), typed.substr(equals + 1)};
}

std::string value_of(const std::string& name, const std::string& typed) {
  const char* variable = typed.empty() ? nullptr : std::getenv(typed.c_str());
  if (variable == nullptr && looks_like_a_variable(typed))
    throw Error(Error::Kind::usage, "--header " + name + ": the environment variable " + typed +
                                        " is not set; put the value there");
  std::string value = variable == nullptr ? typed : variable;
  if (std::ranges::any_of(value, [](unsigned char c) { return std::iscntrl(c) != 0; }))
    throw Error(Error::Kind::usage, "--header " + name +
                                        ": the value has a line break or another control "
                                        "character; remove it");
  return value;
}

std::string without_value(const std::string& typed) {
  const std::size_t equals = typed.find('=');
  const std::string name = typed.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : typed.substr(equals + 1);
  const bool open = value.empty() || std::getenv(value.c_str()) != nullptr;
  return open || is_among(name, harmless) ? typed : name + "=[hidden]";
}

}  // namespace

Headers request_headers(const std::vector<std::string>& typed) {
  Headers out;
  for (const std::string& each : typed) {
    const auto [name, value] = taken_apart(each);
    out.emplace_back(name, value_of(name, value));
  }
  return out;
}

bool has_credential(const Headers& headers) {
  return std::ranges::any_of(headers, [](const auto& header) {
    return is_among(header.first, credentials) && !header.second.empty();
  });
}

std::vector<std::string> without_header_values(std::vector<std::string> command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string prefix = std::string(option) + "=";
    if (command[i].starts_with(prefix))
      command[i] = prefix + without_value(command[i].substr(prefix.size()));
    else if (command[i] == option && i + 1 < command.size())
      command[i + 1] = without_value(command[i + 1]);
  }
  return command;
}

}  // namespace assay::cli
