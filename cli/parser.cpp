// SPDX-License-Identifier: Apache-2.0
#include "cli/parser.hpp"

#include <algorithm>
#include <ostream>

#include "assay/core/nearest.hpp"

namespace assay::cli {
namespace {

void declare_common(CLI::App& app, Common& common) {
  Arguments arguments(app);
  arguments.flag("--json", common.json, "Print the result as JSON; all else goes to stderr");
  arguments.option("--out FILE|DIR", common.out, "Where to write the result");
  arguments.option("--jobs N", common.jobs, "Cases at a time (default: all cores)");
  arguments.flag("--quiet", common.quiet, "Say only what went wrong");
  arguments.flag("--verbose", common.verbose, "Say what happens to each case");
  arguments.flag("--no-color", common.no_color, "No colours on the terminal");
}

std::string examples_text(const Command& command) {
  if (command.examples.empty()) return "";
  std::string text = "Examples:\n";
  for (const Example& example : command.examples)
    text += "  " + std::string(example.command) + "\n      " + example.effect + "\n";
  return text;
}

constexpr const char* exit_statuses =
    "Exit status: 0 done; 1 the answer is no; 2 could not (wrong usage or input);\n"
    "3 done, but some cases failed or were missing; 130 interrupted.";

/// What the parser's library says, in words of our own.
std::string explained(const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return text.substr(0, text.find(':')) + ": needs a value";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return "nothing is known to do with '" + text.substr(text.rfind(": ") + 2) + "'";
  return text;
}

/// The word the user meant; the parser's library speaks of its insides.
std::string unknown_word(const CLI::App& app, std::span<const char* const> words) {
  const auto subcommands = app.get_subcommands();
  if (subcommands.empty()) {
    if (words.size() < 2) return "a command is needed";
    if (words[1][0] == '-') return "there is no option '" + std::string(words[1]) + "'";
    std::vector<std::string> names;
    for (const Command* command : commands()) {
      names.emplace_back(command->name);
      if (command->alias != nullptr) names.emplace_back(command->alias);
    }
    return "there is no command '" + std::string(words[1]) + "'" + did_you_mean(words[1], names);
  }
  const CLI::App& command = *subcommands.front();
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  for (const char* word : words.subspan(2)) {
    const std::string typed = std::string(word).substr(0, std::string(word).find('='));
    if (typed.starts_with("--") && typed.size() > 2 && std::ranges::count(options, typed) == 0)
      return "there is no option '" + typed + "'" + did_you_mean(typed, options);
  }
  return "";
}

}  // namespace

Parser::Parser() {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", std::string("assay ") + version() + " (" + commit() + ")");
  app_.set_help_flag("-h,--help", "Show this help");
  app_.footer("'assay COMMAND --help' shows options and examples of a command.\n" +
              std::string(exit_statuses));
  for (const Command* command : commands()) {
    CLI::App* sub = app_.add_subcommand(command->name, command->summary);
    if (command->alias != nullptr) sub->alias(command->alias);
    sub->set_help_flag("-h,--help", "Show this help");
    Arguments arguments(*sub);
    sub->final_callback([this, command, action = command->declare(arguments)] {
      chosen_ = action;
      stops_in_order_ = command->stops_in_order;
    });
    declare_common(*sub, common_);
    sub->footer(examples_text(*command) + "\n" + exit_statuses);
    sub->get_formatter()->column_width(34);
  }
}

std::optional<int> Parser::parse(std::span<const char* const> words, std::ostream& out,
                                 std::ostream& err) {
  try {
    app_.parse(static_cast<int>(words.size()), words.data());
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    out << app_.help();  // of the chosen command, if there is one
    return done;
  } catch (const CLI::CallForVersion& e) {
    out << e.what() << '\n';
    return done;
  } catch (const CLI::ParseError& e) {
    const auto chosen = app_.get_subcommands();
    const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
    const std::string ours = unknown_word(app_, words);
    err << "assay" << command << ": " << (ours.empty() ? explained(e) : ours) << "\n'assay"
        << command << " --help' shows what there is.\n";
    return could_not;
  }
}

}  // namespace assay::cli
