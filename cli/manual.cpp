// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/base/text.hpp"
#include "cli/commands.hpp"
#include "cli/parser.hpp"

namespace assay::cli {
namespace {

/// Text escaped for troff, so that nothing in it is an escape or a request, and so that minus signs
/// can be copied.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

std::string page_name(const std::string& command) {
  return "assay-" + replaced(command, " ", "-");
}

/// Has no date, so that the same program always prints the same page.
std::string title(const std::string& page, std::string_view summary) {
  return fmt::format(
      ".TH {} 1 \"\" \"assay {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      troff(ascii_uppered(page)), troff(version()), troff(page), troff(summary));
}

std::string paragraph(std::string_view bold, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", troff(bold), troff(text));
}

/// Arguments first, then the options under their headings.
std::string options_text(const CLI::App& app) {
  std::string arguments, options;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      arguments += paragraph(option_names(*option), option->get_description());
  for (const std::string& heading : app.get_groups()) {
    std::string rows;
    for (const CLI::Option* option : app.get_options())
      if (!option->get_positional() && option->get_group() == heading)
        rows += paragraph(option_names(*option), option->get_description());
    if (!rows.empty()) options += fmt::format(".SS {}\n{}", troff(heading), rows);
  }
  return (arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments) + ".SH OPTIONS\n" + options;
}

std::string exit_text() {
  const std::string text = replaced(exit_statuses, "\n", " ");
  return ".SH EXIT STATUS\n" + troff(text.substr(text.find(": ") + 2)) + "\n";
}

ManualPage command_page(const Parser& parser, const FullCommand& full) {
  const CLI::App& app = parser.command(full.name);
  std::string arguments;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) arguments += " [" + option->get_name(true) + "]";
  std::string text = title(page_name(full.name), full.command->summary) +
                     fmt::format(".B assay {}\n[options]{}\n", troff(full.name), troff(arguments));
  if (full.command->alias != nullptr)
    text += fmt::format(".SH DESCRIPTION\nAlso\n.BR \"assay {}\" .\n", full.command->alias);
  text += options_text(app);
  if (!full.command->examples.empty()) text += ".SH EXAMPLES\n";
  for (const Example& example : full.command->examples)
    text += paragraph(example.command, example.effect);
  return {page_name(full.name), text + exit_text() + ".SH SEE ALSO\n.BR assay (1)\n"};
}

ManualPage program_page() {
  std::string text = title("assay", "measure medical-imaging AI") +
                     ".B assay\n.I COMMAND\n[options]\n.SH DESCRIPTION\n"
                     "Scores segmentations, compares models, checks published results, and runs "
                     "agents on questions about whole\\-slide images.\n"
                     "Results go to standard output, messages to standard error.\n.SH COMMANDS\n";
  for (const CommandGroup& group : command_groups()) {
    text += fmt::format(".SS {}\n", troff(group.job));
    for (const FullCommand& full : full_commands())
      if (std::ranges::any_of(group.commands, [&](const Command* command) {
            return full.command == command ||
                   std::ranges::find(command->members, full.command) != command->members.end();
          }))
        text += fmt::format(".TP\n.BR {} (1)\n{}\n", troff(page_name(full.name)),
                            troff(full.command->summary));
  }
  return {"assay", text + exit_text()};
}

}  // namespace

std::vector<ManualPage> manual_pages() {
  const Parser parser;
  std::vector<ManualPage> pages = {program_page()};
  for (const FullCommand& full : full_commands()) pages.push_back(command_page(parser, full));
  return pages;
}

}  // namespace assay::cli
