// SPDX-License-Identifier: Apache-2.0
/// Options as commands declare them. The parser's heavy header is included in one file only.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "assay/base/named.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

/// One kind of value: how it is read from text (`value` throws Error::usage that says what is
/// wrong), and how help shows a default ("" for 0, nothing and the empty text, which are not
/// shown).
template <class Value>
struct Kind;

template <>
struct Kind<std::string> {
  static std::string value(const std::string& text);
  static std::string shown(const std::string& text) { return text; }
};

template <>
struct Kind<double> {
  static double value(const std::string& text);
  static std::string shown(double number);
};

/// These throw Error::usage for any other text, and for a larger number.
std::int64_t whole_number(const std::string& text, std::int64_t most);
std::uint64_t count(const std::string& text, std::uint64_t most);

template <std::signed_integral Whole>
struct Kind<Whole> {
  static Whole value(const std::string& text) {
    return static_cast<Whole>(whole_number(text, std::numeric_limits<Whole>::max()));
  }
  static std::string shown(Whole number) { return number == 0 ? "" : std::to_string(number); }
};

template <std::unsigned_integral Whole>
struct Kind<Whole> {
  static Whole value(const std::string& text) {
    return static_cast<Whole>(count(text, std::numeric_limits<Whole>::max()));
  }
  static std::string shown(Whole number) { return number == 0 ? "" : std::to_string(number); }
};

template <class Value>
struct Kind<std::optional<Value>> {
  static std::optional<Value> value(const std::string& text) { return Kind<Value>::value(text); }
  static std::string shown(const std::optional<Value>& value) {
    return value ? Kind<Value>::shown(*value) : "";
  }
};

/// The words of "a,b,c". nnU-Net calls a region "(1, 2)", which is one word. Throws Error::usage
/// for an empty word.
std::vector<std::string> words_in(const std::string& list);

template <class Value>
struct Kind<std::vector<Value>> {
  static std::vector<Value> value(const std::string& text) {
    std::vector<Value> out;
    for (const std::string& word : words_in(text)) out.push_back(Kind<Value>::value(word));
    return out;
  }
  static std::string shown(const std::vector<Value>& values) {
    std::string out;
    for (const Value& value : values) out += (out.empty() ? "" : ",") + Kind<Value>::shown(value);
    return out;
  }
};

/// "Seed of the bootstrap (default: 42)"; the help unchanged if there is no default.
std::string with_default(const std::string& help, std::string_view value);

/// The names in a table, such as those of `Named` rows.
template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  names.reserve(std::size(table));
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

/// A table of values that the library names one by one.
template <class Value>
std::vector<Named<Value>> named(std::initializer_list<Value> values) {
  std::vector<Named<Value>> table;
  for (const Value value : values) table.push_back({name(value), value});
  return table;
}

/// Declares options to a parser; the targets are filled when the command line is read. The value of
/// a target when it is declared is the default that help prints. A name such as "--seed N" says
/// what help calls the value.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  /// Help lists what is declared next under this heading; a heading can be used again.
  void heading(std::string title) { heading_ = std::move(title); }

  void positional(const std::string& name, std::string& target, const std::string& help);
  void positional(const std::string& name, std::vector<std::string>& target,
                  const std::string& help);

  void flag(const std::string& name, bool& target, const std::string& help);

  template <class Target>
  void option(const std::string& name, Target& target, const std::string& help) {
    add(name, with_default(help, Kind<Target>::shown(target)),
        [&target](const std::string& text) { target = Kind<Target>::value(text); });
  }

  /// An option that can be given several times.
  template <class Value>
  void repeatable(const std::string& name, std::vector<Value>& target, const std::string& help) {
    add(
        name, help,
        [&target](const std::string& text) { target.push_back(Kind<Value>::value(text)); }, true);
  }

  /// An option whose value may be left out; `given` says that the option was typed.
  void option_or_flag(const std::string& name, bool& given, std::string& target,
                      const std::string& help);

  /// One of a list of words.
  void choice(const std::string& name, std::string& target, const std::vector<std::string>& words,
              const std::string& help);

  /// One of the names in a table. The target gets its value; an optional target has no default.
  template <class Target, class Table>
  requires(!std::same_as<Target, std::string>) void choice(const std::string& name, Target& target,
                                                           const Table& table,
                                                           const std::string& help) {
    std::string word;
    for (const auto& row : table)
      if (word.empty() && target == row.value) word = row.name;
    add_choice(name, names_in(table), with_default(help, word),
               [&target, rows = std::vector(table.begin(), table.end())](std::size_t place) {
                 target = rows[place].value;
               });
  }

 private:
  void add(const std::string& name, const std::string& help,
           std::function<void(const std::string& text)> take, bool repeatable = false);
  void add_choice(const std::string& name, const std::vector<std::string>& words,
                  const std::string& help, std::function<void(std::size_t place)> take);

  CLI::App& app_;
  std::string heading_ = "Options";
};

}  // namespace assay::cli
