// SPDX-License-Identifier: Apache-2.0
/// assay docs: documentation pages and scripts that are generated from the program itself.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/report/text/metric_reference.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/parser.hpp"

namespace assay::cli {
namespace docs_file {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
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
  out += option_table(parser.command(full_commands().front().name), common_heading);
  for (const auto& [name, command] : full_commands()) {
    const std::string alias =
        command->alias == nullptr ? "" : fmt::format(" Also `assay {}`.", command->alias);
    out += fmt::format("\n## `assay {}`\n\n{}.{}\n", name, command->summary, alias);
    const CLI::App& app = parser.command(name);
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

std::string manual() {
  return manual_pages().front().text;
}

struct Page {
  std::string_view name;
  std::string (*text)();
};

constexpr Page printed_pages[] = {
    {"cli", reference},
    {"metrics", report::metric_reference},
    {"man", manual},
    {"completion-bash", bash_completion},
    {"completion-zsh", zsh_completion},
    {"completion-fish", fish_completion},
};

/// Writes what belongs below PREFIX/share: every manual page, and completion scripts where shells
/// look for them.
void write_share(const std::filesystem::path& prefix) {
  const std::filesystem::path share = prefix / "share";
  for (const ManualPage& page : manual_pages())
    write_atomically(share / "man/man1" / (page.name + ".1"), page.text);
  write_atomically(share / "bash-completion/completions/assay", bash_completion());
  write_atomically(share / "zsh/site-functions/_assay", zsh_completion());
  write_atomically(share / "fish/vendor_completions.d/assay.fish", fish_completion());
}

struct Options {
  std::string page;
};

constexpr std::string_view share_page = "share";

void declare_options(Arguments& a, Options& o) {
  a.positional("PAGE", o.page,
               "One of " + joined(names_in(printed_pages)) +
                   "; or share, which writes all manual pages and completions below --out");
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.page == share_page) {
    if (common.out.empty())
      throw Error(Error::Kind::usage,
                  "give a folder with --out: assay docs share --out /usr/local");
    write_share(common.out);
    return done;
  }
  if (o.page.empty())
    throw Error(Error::Kind::usage, fmt::format("give a page: assay docs cli ({}, {})",
                                                joined(names_in(printed_pages)), share_page));
  const Page* const page = std::ranges::find(printed_pages, o.page, &Page::name);
  if (page == std::end(printed_pages))
    throw Error(Error::Kind::usage, fmt::format("there is no page '{}'{} (there are {})", o.page,
                                                did_you_mean(o.page, printed_pages, &Page::name),
                                                joined(names_in(printed_pages))));
  if (common.out.empty())
    session.data << page->text();
  else
    write_atomically(common.out, page->text());
  return done;
}

constexpr Example examples[] = {
    {"assay docs cli > docs/cli.md", "the reference of all commands"},
    {"source <(assay docs completion-bash)", "completion of commands and options in bash"},
    {"assay docs share --out ~/.local", "manual pages and completions where man and shells look"},
};

}  // namespace
}  // namespace docs_file

const Command docs_command = {"docs", "Print reference pages, manual pages and shell completion",
                              command<docs_file::declare_options, docs_file::run>,
                              docs_file::examples};

}  // namespace assay::cli
