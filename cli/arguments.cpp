// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::cli {
namespace {

/// "--labels LIST|all": the value's name follows the option's, so that help shows it.
struct Declared {
  std::string names, value;
};

Declared split(const std::string& name) {
  const std::size_t blank = name.find(' ');
  if (blank == std::string::npos) return {name, ""};
  return {name.substr(0, blank), name.substr(blank + 1)};
}

template <class Number>
Number number_in(const std::string& text, const char* expected, Number least, Number most) {
  Number number{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = end.ec == std::errc{} && end.ptr == text.data() + text.size();
  if (is_number && !(number < least || number > most)) return number;
  throw Error(Error::Kind::usage, "'" + text + "' is not " + expected);
}

/// Where the word that starts at `from` ends.
std::size_t next_comma(const std::string& list, std::size_t from) {
  const std::size_t comma = std::min(list.find(',', from), list.size());
  const std::size_t open = list.find('(', from), close = list.find(')', from);
  const bool is_inside = open < comma && close != std::string::npos && comma < close;
  return is_inside ? std::min(list.find(',', close), list.size()) : comma;
}

}  // namespace

std::string Kind<std::string>::value(const std::string& text) {
  if (text.empty()) throw Error(Error::Kind::usage, "needs a value");
  return text;
}

double Kind<double>::value(const std::string& text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return number_in(text, "a number", -infinity, infinity);
}

std::string Kind<double>::shown(double number) {
  std::string text(32, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return number == 0 ? "" : text;
}

std::int64_t whole_number(const std::string& text, std::int64_t most) {
  return number_in<std::int64_t>(text, "a whole number", -most, most);
}

std::uint64_t count(const std::string& text, std::uint64_t most) {
  return number_in<std::uint64_t>(text, "a whole number of 0 or more", 0, most);
}

std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = next_comma(list, from);
    words.push_back(list.substr(from, comma - from));
    if (words.back().empty()) throw Error(Error::Kind::usage, "an entry of the list is empty");
    from = comma + 1;
  }
  return words;
}

std::string with_default(const std::string& help, std::string_view value) {
  return value.empty() ? help : help + " (default: " + std::string(value) + ")";
}

void Arguments::positional(const std::string& name, std::string& target, const std::string& help) {
  app_.add_option(name, target, help)->type_name("");
}

void Arguments::positional(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) {
  app_.add_option(name, target, help)->type_name("");
}

void Arguments::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help)->group(heading_);
}

void Arguments::add(const std::string& name, const std::string& help,
                    std::function<void(const std::string& text)> take, bool repeatable) {
  const Declared declared = split(name);
  const std::string first = declared.names.substr(0, declared.names.find(','));
  const CLI::callback_t callback = [first, take = std::move(take)](const CLI::results_t& typed) {
    try {
      for (const std::string& text : typed) take(text);
    } catch (const Error& error) {  // the parser adds the command and where to find help
      throw CLI::ValidationError(first, error.what());
    }
    return true;
  };
  CLI::Option* option = app_.add_option(declared.names, callback, help);
  option->type_name(declared.value)->group(heading_);
  if (repeatable) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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
      ->type_name(declared.value)
      ->group(heading_);
}

void Arguments::add_choice(const std::string& name, const std::vector<std::string>& words,
                           const std::string& help, std::function<void(std::size_t place)> take) {
  const std::string listed = joined(words, "|");
  add(name + " " + listed, help, [words, listed, take = std::move(take)](const std::string& text) {
    const auto word = std::ranges::find(words, text);
    if (word == words.end())
      throw Error(Error::Kind::usage,
                  "'" + text + "' is not one of " + listed + did_you_mean(text, words));
    take(static_cast<std::size_t>(word - words.begin()));
  });
}

void Arguments::choice(const std::string& name, std::string& target,
                       const std::vector<std::string>& words, const std::string& help) {
  add_choice(name, words, with_default(help, target),
             [&target, words](std::size_t place) { target = words[place]; });
}

}  // namespace assay::cli
