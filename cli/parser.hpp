// SPDX-License-Identifier: Apache-2.0
/// Reads the command line by one table of commands.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>

#include "cli/commands.hpp"

namespace assay::cli {

/// The heading of the options that every command has.
inline constexpr const char* common_heading = "Common options";

/// What --help says about exit statuses.
extern const char* const exit_statuses;

/// How an option is typed: "--labels LIST|all".
std::string option_names(const CLI::Option& option);

class Parser {
 public:
  Parser();

  /// Reads the command line. Returns an exit status if there is nothing left to do: help or version
  /// was shown, or the usage was wrong and has been explained on `err`.
  std::optional<int> parse(std::span<const char* const> words, std::ostream& out,
                           std::ostream& err);

  /// Whether the chosen command looks for Ctrl-C itself.
  bool stops_in_order() const { return stops_in_order_; }

  /// The values of the options that every command has.
  const Common& common() const { return common_; }

  /// All words of the chosen command's name: "qa run".
  std::string chosen_name() const;

  /// Every command, for callers that look up names from other sources.
  const CLI::App& program() const { return app_; }

  /// Runs the chosen command. Throws Error::usage if it would write over a file that one of its own
  /// arguments names.
  Exit run(const Session& session) const;

  /// A command and its options, for documentation and completion; its name may be "qa run".
  const CLI::App& command(const std::string& name) const;

 private:
  CLI::App* add(CLI::App& parent, const Command& command);

  CLI::App app_{"assay measures medical-imaging AI, honestly and fast.", "assay"};
  Common common_;
  Action chosen_;
  bool stops_in_order_ = false;
};

}  // namespace assay::cli
