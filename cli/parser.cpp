// SPDX-License-Identifier: Apache-2.0
#include "cli/parser.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <utility>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/report/text/printable.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

/// Options under their headings, and texts that fit a terminal.
class HelpPage : public CLI::Formatter {
 public:
  HelpPage() {
    column_width(34);
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const std::string page = CLI::Formatter::make_help(app, std::move(name), mode);
    return CLI::detail::find_and_replace(page, "\n\n\n", "\n\n");
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    constexpr std::size_t page_width = 100;
    const std::string margin(get_column_width(), ' ');
    std::string out, line = "  " + make_option_name(option, is_positional);
    if (!is_positional) line += make_option_opts(option);
    if (line.size() >= margin.size())
      out = std::exchange(line, margin) + "\n";
    else
      line.resize(margin.size(), ' ');
    std::istringstream words(make_option_desc(option));
    for (std::string word; words >> word; line += word) {
      const bool is_first = line.size() == margin.size();
      if (!is_first && line.size() + 1 + word.size() > page_width)
        out += std::exchange(line, margin) + "\n";
      else if (!is_first)
        line += ' ';
    }
    return out + line + "\n";
  }
};

void declare_common(CLI::App& app, Common& common) {
  Arguments arguments(app);
  arguments.heading(common_heading);
  arguments.flag("--json", common.json, "Print the result as JSON; everything else goes to stderr");
  arguments.option("--out FILE|DIR", common.out, "File or folder for the result");
  arguments.option("--jobs N", common.jobs,
                   "Number of cases processed at a time (default: all cores)");
  arguments.flag(
      "--quiet", common.quiet,
      "Print only errors and the result; with --out, only errors unless --json is given");
  arguments.flag("--verbose", common.verbose, "Report on every case");
  arguments.option("--log FILE", common.log,
                   "Also append all messages, with times, to FILE, even those that --quiet hides");
  arguments.flag("--no-color", common.no_color, "Print without colours");
  arguments.flag("--no-config", common.no_config,
                 "Ignore configuration files; 'assay config' shows what they set");
}

std::string examples_text(const Command& command) {
  if (command.examples.empty()) return "";
  std::string text = "Examples:\n";
  for (const Example& example : command.examples)
    text += "  " + std::string(example.command) + "\n      " + example.effect + "\n";
  return text;
}

constexpr const char* more_help =
    "'assay COMMAND --help' shows the options of a command, with examples.\n";

/// The messages of the parser's library, in our own words.
std::string explained(const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return text.substr(0, text.find(':')) +
           (text.find("Most") == text.npos ? ": needs a value" : ": is given more than once");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return "unexpected argument '" + text.substr(text.rfind(": ") + 2) + "'";
  return text;
}

/// The commands that were named, outermost first: "qa", then "run".
std::vector<const CLI::App*> named_commands(const CLI::App& app) {
  std::vector<const CLI::App*> out;
  for (const CLI::App* at = &app; !at->get_subcommands().empty(); out.push_back(at))
    at = at->get_subcommands().front();
  return out;
}

/// What `assay` alone prints: a line for each command, grouped by purpose.
std::string command_list() {
  std::string text;
  for (const CommandGroup& group : command_groups()) {
    text.append("\n").append(group.job).append(":\n");
    for (const Command* command : group.commands) {
      std::string line = std::string("  ") + command->name;
      line.resize(12, ' ');
      text += line + command->summary + "\n";
    }
  }
  return text;
}

/// The message about a word that should be a command of `app`.
std::string unknown_command(const CLI::App& app, std::span<const char* const> words) {
  if (words.empty()) return "give a command";
  const std::string typed = words.front();
  if (typed.starts_with('-')) return "there is no option '" + typed + "'";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
    for (const std::string& alias : command->get_aliases()) names.push_back(alias);
  }
  return "there is no command '" + typed + "'" + did_you_mean(typed, names);
}

/// The message about an unknown word, with the word that the user probably meant; the message of
/// the parser's library refers to its internals.
std::string unknown_word(const CLI::App& app, std::span<const char* const> words) {
  const std::vector<const CLI::App*> named = named_commands(app);
  const CLI::App& innermost = named.empty() ? app : *named.back();
  const auto rest = words.subspan(std::min(words.size(), named.size() + 1));
  if (innermost.get_require_subcommand_min() > 0) return unknown_command(innermost, rest);
  std::vector<std::string> options;
  for (const CLI::Option* option : innermost.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  for (const char* word : rest) {
    if (std::string_view(word) == "--") break;  // the words of another command follow
    const std::string typed = std::string(word).substr(0, std::string(word).find('='));
    if (typed.starts_with("--") && typed.size() > 2 && std::ranges::count(options, typed) == 0)
      return "there is no option '" + typed + "'" + did_you_mean(typed, options);
  }
  return "";
}

/// A message and the command that it is about: "" for the program itself, " qa" for a family.
struct Complaint {
  std::string of, sentence;
};

/// Finds a word in the place of a command that is not a command. The parser's library would go on
/// looking for one.
std::optional<Complaint> misnamed_command(const CLI::App& app, std::span<const char* const> words) {
  const CLI::App* at = &app;
  std::string path;
  for (std::size_t i = 1; i < words.size() && at->get_require_subcommand_min() > 0; ++i) {
    const std::string word = words[i];
    if (word.starts_with('-')) break;
    const auto all = at->get_subcommands([](const CLI::App*) { return true; });
    const auto named = std::ranges::find_if(
        all, [&](const CLI::App* command) { return command->check_name(word); });
    if (named == all.end()) return Complaint{path, unknown_command(*at, words.subspan(i))};
    at = *named;
    path += " " + at->get_name();
  }
  return std::nullopt;
}

/// Options of any command whose files are written.
constexpr std::array written_files = {"--out", "--csv"};

/// No command writes over a file that another of its arguments names. Commands check the files that
/// they find by themselves, such as the images in a folder.
void refuse_overwriting(const CLI::App& command) {
  std::vector<std::filesystem::path> written, read;
  for (const CLI::Option* option : command.get_options()) {
    const bool writes = std::ranges::any_of(
        written_files, [&](const char* name) { return option->check_name(name); });
    for (const std::string& value : option->results()) (writes ? written : read).push_back(value);
  }
  for (const std::filesystem::path& file : written) refuse_input(file, read);
}

}  // namespace

const char* const exit_statuses =
    "Exit status: 0 done; 1 the answer is no; 2 the command could not run (wrong usage or input);\n"
    "3 done, but some cases failed or were missing; 130 interrupted.";

std::string option_names(const CLI::Option& option) {
  std::string names =
      option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  const std::string value = option.get_type_name();
  return option.get_positional() || value.empty() ? names : names + " " + value;
}

Parser::Parser() {
  app_.require_subcommand(1);
  app_.formatter(std::make_shared<HelpPage>());
  app_.set_version_flag("-V,--version", version_line(),
                        "Show version, commit, compiler and instruction set");
  app_.set_help_flag("-h,--help", "Show this help");
  app_.footer(std::string(more_help) + exit_statuses);
  for (const CommandGroup& group : command_groups())
    for (const Command* command : group.commands) add(app_, *command)->group(group.job);
}

CLI::App* Parser::add(CLI::App& parent, const Command& command) {
  CLI::App* sub = parent.add_subcommand(command.name, command.summary);
  if (command.alias != nullptr) sub->alias(command.alias);
  if (!command.members.empty()) {
    sub->set_help_flag("-h,--help", "Show this help");
    sub->require_subcommand(1);
    sub->footer(examples_text(command) + "\n'assay " + command.name +
                " COMMAND --help' shows the options of a command, with examples.\n" +
                exit_statuses);
    for (const Command* member : command.members) add(*sub, *member)->group("Commands");
    return sub;
  }
  Arguments arguments(*sub);
  sub->final_callback([this, &command, action = command.declare(arguments)] {
    chosen_ = action;
    stops_in_order_ = command.stops_in_order;
  });
  declare_common(*sub, common_);
  sub->set_help_flag("-h,--help", "Show this help")->group(common_heading);  // after all others
  sub->footer(examples_text(command) + "\n" + exit_statuses);
  return sub;
}

Exit Parser::run(const Session& session) const {
  refuse_overwriting(*named_commands(app_).back());
  return chosen_(common_, session);
}

std::string Parser::chosen_name() const {
  return joined(named_commands(app_), " ", [](const CLI::App* app) { return app->get_name(); });
}

const CLI::App& Parser::command(const std::string& name) const {
  const CLI::App* app = &app_;
  for (const std::string_view word : parts_of(name, ' '))
    app = app->get_subcommand(std::string(word));
  return *app;
}

std::optional<int> Parser::parse(std::span<const char* const> words, std::ostream& out,
                                 std::ostream& err) {
  const auto complain = [&](const Complaint& complaint) {
    err << "assay" << complaint.of << ": " << report::printable(complaint.sentence) << "\n'assay"
        << complaint.of << " --help' lists the commands and options.\n";
    return could_not;
  };
  if (words.size() < 2) {
    out << app_.get_description() << '\n' << command_list() << '\n' << more_help;
    return done;
  }
  if (const auto complaint = misnamed_command(app_, words)) return complain(*complaint);
  try {
    app_.parse(static_cast<int>(words.size()), words.data());
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    out << app_.help();  // the help of the chosen command, if there is one
    return done;
  } catch (const CLI::CallForVersion& e) {
    out << e.what() << '\n';
    return done;
  } catch (const CLI::ParseError& e) {
    std::string command;
    for (const CLI::App* named : named_commands(app_)) command += " " + named->get_name();
    const std::string ours = unknown_word(app_, words);
    return complain({command, ours.empty() ? explained(e) : ours});
  }
}

}  // namespace assay::cli
