// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

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

template <class Target>
void add(CLI::App& app, const std::string& name, Target& target, const std::string& help) {
  const Declared declared = split(name);
  CLI::Option* option = app.add_option(declared.names, target, help);
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

void Arguments::choice(const std::string& name, std::string& target,
                       const std::vector<std::string>& words, const std::string& help) {
  std::string listed;
  for (const std::string& word : words) listed += (listed.empty() ? "" : "|") + word;
  CLI::IsMember one_of(words);
  one_of.description("");  // the type says it already
  app_.add_option(name, target, help)->check(one_of)->type_name(listed);
}

}  // namespace assay::cli
