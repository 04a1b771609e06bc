// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "assay/base/nearest.hpp"

namespace assay::cli {
namespace {

/// "--labels L,..": the value's name follows the option's, so that help shows it.
struct Declared {
  std::string names, value;
};

Declared split(const std::string& name) {
  const std::size_t blank = name.find(' ');
  if (blank == std::string::npos) return {name, ""};
  return {name.substr(0, blank), name.substr(blank + 1)};
}

using Check = std::function<std::string(std::string&)>;  // what is wrong with a value, or ""

/// Says it in our words before the parser's library does in its own.
template <class Number>
std::string refuse_other_than(const std::string& text, const char* expected) {
  Number number{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec == std::errc{} && end.ptr == text.data() + text.size()) return "";
  return "'" + text + "' is not " + expected;
}

template <class Target>
Check check_of() {
  if constexpr (std::is_same_v<Target, std::string>)
    return [](const std::string& text) { return text.empty() ? "needs a value" : ""; };
  else if constexpr (std::is_same_v<Target, unsigned>)
    return [](const std::string& text) {
      return refuse_other_than<unsigned>(text, "a whole number from 0 on");
    };
  else if constexpr (std::is_same_v<Target, std::optional<long long>>)
    return [](const std::string& text) {
      return refuse_other_than<long long>(text, "a whole number");
    };
  else
    return [](const std::string& text) { return refuse_other_than<double>(text, "a number"); };
}

template <class Target>
void add(CLI::App& app, const std::string& name, Target& target, const std::string& help) {
  const Declared declared = split(name);
  CLI::Option* option = app.add_option(declared.names, target, help);
  option->check(CLI::Validator(check_of<Target>(), "", ""));
  if (!declared.value.empty()) option->type_name(declared.value);
}

}  // namespace

void Arguments::positional(const std::string& name, std::string& target, const std::string& help) {
  app_.add_option(name, target, help)->type_name("");
}

void Arguments::positional(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) {
  app_.add_option(name, target, help)->type_name("");
}

void Arguments::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help);
}

void Arguments::option(const std::string& name, std::string& target, const std::string& help) {
  add(app_, name, target, help);
}

void Arguments::option(const std::string& name, std::vector<std::string>& target,
                       const std::string& help) {
  const Declared declared = split(name);
  app_.add_option(declared.names, target, help)
      ->type_name(declared.value)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Arguments::option(const std::string& name, unsigned& target, const std::string& help) {
  add(app_, name, target, help);
}

void Arguments::option(const std::string& name, double& target, const std::string& help) {
  add(app_, name, target, help);
}

void Arguments::option(const std::string& name, std::optional<double>& target,
                       const std::string& help) {
  add(app_, name, target, help);
}

void Arguments::option(const std::string& name, std::optional<long long>& target,
                       const std::string& help) {
  add(app_, name, target, help);
}

void Arguments::option_or_flag(const std::string& name, bool& given, std::string& target,
                               const std::string& help) {
  const Declared declared = split(name);
  const auto take = [&given, &target](const CLI::results_t& typed) {
    given = true;
    target = typed.empty() ? "" : typed.back();
    return true;
  };
  app_.add_option(declared.names, CLI::callback_t(take), help)
      ->expected(0, 1)
      ->type_name(declared.value);
}

void Arguments::choice(const std::string& name, std::string& target,
                       const std::vector<std::string>& words, const std::string& help) {
  std::string listed;
  for (const std::string& word : words) listed += (listed.empty() ? "" : "|") + word;
  const Check one_of = [words, listed](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return "'" + text + "' is none of " + listed + did_you_mean(text, words);
  };
  app_.add_option(name, target, help)->check(CLI::Validator(one_of, "", ""))->type_name(listed);
}

}  // namespace assay::cli
