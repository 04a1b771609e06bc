// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "assay/base/text.hpp"
#include "cli/commands.hpp"
#include "cli/parser.hpp"

namespace assay::cli {
namespace {

/// A word that completion offers, and what it means.
struct Word {
  std::string text;
  std::string meaning{};
  bool takes_value = false;
};

/// What can be typed after a name: "" for the program, "qa" for a family, "qa run" for a command.
/// The program and a family are followed by names of commands, a command by its options.
struct Place {
  std::string name;
  bool is_command = false;
  std::vector<Word> words{};
};

std::vector<Word> options_of(const CLI::App& command) {
  std::vector<Word> words;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      words.push_back({"--" + name, option->get_description(), option->get_expected_max() > 0});
  return words;
}

/// Every place, with "qa run" before "qa", because the scripts take the first that fits.
std::vector<Place> places() {
  const Parser parser;
  std::vector<Place> out;
  Place program;
  for (const CommandGroup& group : command_groups())
    for (const Command* command : group.commands) {
      Place family = {.name = command->name};
      for (const Command* member : command->members) {
        const std::string name = family.name + " " + member->name;
        out.push_back({name, true, options_of(parser.command(name))});
        family.words.push_back({member->name, member->summary});
      }
      const bool runs = command->members.empty();
      if (runs) family = {family.name, true, options_of(parser.command(family.name))};
      for (const char* name : {command->name, command->alias})
        if (name != nullptr) {
          program.words.push_back({name, command->summary});
          out.push_back({name, runs, family.words});
        }
    }
  out.push_back(std::move(program));
  return out;
}

/// In single quotes, as sh, zsh and fish read them.
std::string quoted(std::string_view text, std::string_view quote) {
  return "'" + replaced(std::string(text), "'", quote) + "'";
}

}  // namespace

std::string bash_completion() {
  std::string cases;
  for (const Place& place : places()) {
    std::string words;
    for (const Word& word : place.words) words += (words.empty() ? "" : " ") + word.text;
    cases += fmt::format("    '{}{}'*) {}=\"{}\" ;;\n", place.name, place.name.empty() ? "" : " ",
                         place.is_command ? "words" : "names", words);
  }
  return fmt::format(
      "# bash completion for assay: source <(assay docs completion-bash)\n"
      "_assay() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\" names=\"\" typed=\"\"\n"
      "  (( COMP_CWORD > 1 )) && typed=\"${{COMP_WORDS[*]:1:COMP_CWORD-1}} \"\n"
      "  case \"$typed\" in\n{}  esac\n"
      "  if [[ -n $names || $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$names $words\" -- \"$word\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}}\n"
      "complete -o filenames -F _assay assay\n",
      cases);
}

std::string zsh_completion() {
  std::string cases;
  for (const Place& place : places()) {
    cases += fmt::format("    '{}{}'*) {}=(", place.name, place.name.empty() ? "" : " ",
                         place.is_command ? "options" : "commands");
    for (const Word& word : place.words)
      cases += "\n      " + quoted(word.text + ":" + word.meaning, R"('\'')");
    cases += ") ;;\n";
  }
  return fmt::format(
      "#compdef assay\n"
      "# zsh completion for assay: assay docs completion-zsh > ~/.zfunc/_assay, with ~/.zfunc in "
      "fpath\n"
      "_assay() {{\n"
      "  local typed=\"\"\n"
      "  local -a options commands\n"
      "  (( CURRENT > 2 )) && typed=\"${{(j: :)words[2,CURRENT-1]}} \"\n"
      "  case \"$typed\" in\n{}  esac\n"
      "  if (( $#commands )); then\n    _describe command commands\n"
      "  elif [[ $PREFIX == -* ]]; then\n    _describe option options\n"
      "  else\n    _files\n  fi\n}}\n"
      "_assay \"$@\"\n",
      cases);
}

std::string fish_completion() {
  std::string out =
      "# fish completion for assay: assay docs completion-fish | source\n"
      "function __assay_typed --description 'Whether the words after assay begin with these'\n"
      "  set -l words (commandline -opc)\n"
      "  set -e words[1]\n"
      "  string match -q -- \"$argv *\" \"$words \"\n"
      "end\n"
      "function __assay_nothing_typed\n  test (count (commandline -opc)) -eq 1\nend\n";
  for (const Place& place : places()) {
    const std::size_t depth = parts_of(place.name, ' ').size();
    std::string when = place.name.empty() ? "__assay_nothing_typed" : "__assay_typed " + place.name;
    if (!place.is_command && !place.name.empty())
      when += fmt::format("; and test (count (commandline -opc)) -eq {}", depth + 1);
    for (const Word& word : place.words)
      out += fmt::format("complete -c assay -n '{}' {} -d {}\n", when,
                         place.is_command
                             ? "-l " + word.text.substr(2) + (word.takes_value ? " -r" : "")
                             : "-f -a " + word.text,
                         quoted(replaced(word.meaning, "\\", "\\\\"), R"(\')"));
  }
  return out;
}

}  // namespace assay::cli
