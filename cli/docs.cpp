// SPDX-License-Identifier: Apache-2.0
/// assay docs: the pages and scripts that the program knows best itself.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/report/text/metric_reference.hpp"
#include "cli/commands.hpp"
#include "cli/parser.hpp"

namespace assay::cli {
namespace {

/// One line for the table of options: "--labels LIST|all".
std::string option_names(const CLI::Option& option) {
  std::string names =
      option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  const std::string value = option.get_type_name();
  return option.get_positional() || value.empty() ? names : names + " " + value;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

/// Every long option of a command, as completion offers them.
std::string option_words(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  return words.substr(1);
}

/// The rows of a completion's `case` for one command and its members.
std::string completion_cases(const Command& command, const CLI::App& app) {
  std::string patterns = fmt::format("'{} '*", command.name);
  if (command.alias != nullptr) patterns += fmt::format("|'{} '*", command.alias);
  if (command.members.empty())
    return fmt::format("    {}) words=\"{}\" ;;\n", patterns, option_words(app));
  std::string names, cases;
  for (const Command* member : command.members) {
    names.append(" ").append(member->name);
    cases += fmt::format("    '{} {} '*) words=\"{}\" ;;\n", command.name, member->name,
                         option_words(*app.get_subcommand(member->name)));
  }
  return cases + fmt::format("    '{} '*) names=\"{}\" ;;\n", command.name, names.substr(1));
}

std::string bash_completion() {
  const Parser parser;
  std::string names, cases;
  for (const CommandGroup& group : command_groups())
    for (const Command* command : group.commands) {
      names.append(" ").append(command->name);
      if (command->alias != nullptr) names.append(" ").append(command->alias);
      cases += completion_cases(*command, *parser.app().get_subcommand(command->name));
    }
  return fmt::format(
      "# bash completion for assay: source <(assay docs completion-bash)\n"
      "_assay() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\" names=\"\"\n"
      "  case \"${{COMP_WORDS[*]:1:COMP_CWORD-1}} \" in\n{}    ' ') names=\"{}\" ;;\n  esac\n"
      "  if [[ -n $names || $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$names $words\" -- \"$word\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}}\n"
      "complete -o filenames -F _assay assay\n",
      cases, names.substr(1));
}

const CLI::App& app_of(const Parser& parser, const std::string& name) {
  const CLI::App* app = &parser.app();
  for (const std::string_view word : parts_of(name, ' '))
    app = app->get_subcommand(std::string(word));
  return *app;
}

/// The options of a command under one heading; "" for its arguments.
std::string option_table(const CLI::App& app, const std::string& heading) {
  std::string out;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional() ? heading.empty() : option->get_group() == heading)
      out += fmt::format("| `{}` | {} |\n", escaped(option_names(*option)),
                         escaped(option->get_description()));
  const std::string title = heading.empty() ? "Arguments" : heading;
  return out.empty() ? "" : fmt::format("\n| {} | |\n|---|---|\n{}", title, out);
}

std::string reference() {
  const Parser parser;
  std::string out =
      "# Command line\n\nMade by `assay docs cli`; do not edit.\n\n"
      "Results go to standard output, messages to standard error. Exit status: 0 done; 1 the "
      "answer "
      "is no; 2 could not (wrong usage or input; nothing written); 3 done, but some cases failed "
      "or "
      "were missing; 130 interrupted.\n\nEvery command has the common options:\n";
  out += option_table(app_of(parser, full_commands().front().name), common_heading);
  for (const auto& [name, command] : full_commands()) {
    const std::string alias =
        command->alias == nullptr ? "" : fmt::format(" Also `assay {}`.", command->alias);
    out += fmt::format("\n## `assay {}`\n\n{}.{}\n", name, command->summary, alias);
    const CLI::App& app = app_of(parser, name);
    out += option_table(app, "");
    for (const std::string& heading : app.get_groups())
      if (heading != common_heading) out += option_table(app, heading);
    if (!command->examples.empty()) out += "\n";
    for (const Example& example : command->examples)
      out += fmt::format("    {}\n\n{}.\n\n", example.command, example.effect);
    while (out.ends_with("\n\n")) out.pop_back();
  }
  return out;
}

struct Page {
  std::string_view name;
  std::string (*text)();
};

constexpr Page pages[] = {
    {"cli", reference},
    {"metrics", report::metric_reference},
    {"completion-bash", bash_completion},
};

struct Options {
  std::string page;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("PAGE", o.page, "One of " + joined(names_in(pages)));
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const Page* const page = std::ranges::find(pages, o.page, &Page::name);
  if (page == std::end(pages))
    throw Error(Error::Kind::usage,
                fmt::format("there is no page '{}'{} (there are {})", o.page,
                            did_you_mean(o.page, pages, &Page::name), joined(names_in(pages))));
  if (common.out.empty())
    session.data << page->text();
  else
    write_atomically(common.out, page->text());
  return done;
}

constexpr Example examples[] = {
    {"assay docs cli > docs/cli.md", "the reference of all commands"},
    {"source <(assay docs completion-bash)", "completion of commands and options in bash"},
};

}  // namespace

const Command docs_command = {"docs", "Print the reference pages and shell completion",
                              command<declare_options, run>, examples};

}  // namespace assay::cli
