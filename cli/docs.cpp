// SPDX-License-Identifier: Apache-2.0
/// assay docs: the pages and scripts that the program knows best itself.
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string_view>

#include "assay/core/error.hpp"
#include "assay/core/nearest.hpp"
#include "assay/io/file.hpp"
#include "assay/report/metric_reference.hpp"
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

std::string bash_completion() {
  const Parser parser;
  std::string names, cases;
  for (const Command* command : commands()) {
    std::string spellings = command->name;
    if (command->alias != nullptr) spellings.append("|").append(command->alias);
    names.append(" ").append(command->name);
    if (command->alias != nullptr) names.append(" ").append(command->alias);
    std::string options;
    for (const CLI::Option* option : parser.app().get_subcommand(command->name)->get_options())
      for (const std::string& name : option->get_lnames()) options += " --" + name;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", spellings, options.substr(1));
  }
  return fmt::format(
      "# bash completion for assay: source <(assay docs completion-bash)\n"
      "_assay() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}    *) words=\"{}\" ;;\n  esac\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then words=\"{}\"; fi\n"
      "  if [[ $COMP_CWORD -eq 1 || $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}}\n"
      "complete -o filenames -F _assay assay\n",
      cases, names.substr(1), names.substr(1));
}

std::string reference() {
  const Parser parser;
  std::string out =
      "# Command line\n\nMade by `assay docs cli`; do not edit.\n\n"
      "Results go to standard output, talk to standard error. Exit status: 0 done; 1 the answer is "
      "no; 2 could not (wrong usage or input; nothing written); 3 done, but some cases failed or "
      "were missing; 130 interrupted.\n";
  for (const Command* command : commands()) {
    const std::string alias =
        command->alias == nullptr ? "" : fmt::format(" Also `assay {}`.", command->alias);
    out += fmt::format("\n## `assay {}`\n\n{}.{}\n\n| option | |\n|---|---|\n", command->name,
                       command->summary, alias);
    for (const CLI::Option* option : parser.app().get_subcommand(command->name)->get_options())
      out += fmt::format("| `{}` | {} |\n", escaped(option_names(*option)),
                         escaped(option->get_description()));
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
    {"metrics", metric_reference},
    {"completion-bash", bash_completion},
};

Action declare(Arguments& arguments) {
  const auto page = std::make_shared<std::string>();
  arguments.positional("PAGE", *page, "cli, metrics, or completion-bash");
  return [page](const Common& common, const Session& session) {
    for (const Page& p : pages)
      if (p.name == *page) {
        if (common.out.empty())
          session.out << p.text();
        else
          write_atomically(common.out, p.text());
        return done;
      }
    throw Error(Error::Kind::usage,
                fmt::format("there is no page '{}'{} (cli, metrics, completion-bash)", *page,
                            did_you_mean(*page, pages, &Page::name)));
  };
}

constexpr Example examples[] = {
    {"assay docs cli > docs/cli.md", "writes the reference of all commands"},
    {"source <(assay docs completion-bash)", "completes commands and options in bash"},
};

}  // namespace

const Command docs_command = {"docs", "Print the reference pages and shell completion", declare,
                              examples};

}  // namespace assay::cli
