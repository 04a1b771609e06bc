// SPDX-License-Identifier: Apache-2.0
/// Options as a command declares them. The parser's heavy header stays in one file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace assay::cli {

/// Declares options onto a parser; the targets are filled when the command line is read.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  void positional(const std::string& name, std::string& target, const std::string& help);
  void positional(const std::string& name, std::vector<std::string>& target,
                  const std::string& help);

  void flag(const std::string& name, bool& target, const std::string& help);
  void option(const std::string& name, std::string& target, const std::string& help);
  void option(const std::string& name, std::vector<std::string>& target, const std::string& help);
  void option(const std::string& name, unsigned& target, const std::string& help);
  void option(const std::string& name, double& target, const std::string& help);
  void option(const std::string& name, std::optional<double>& target, const std::string& help);
  void option(const std::string& name, std::optional<long long>& target, const std::string& help);

  /// An option that means something without its value, too; `given` says that it was typed.
  void option_or_flag(const std::string& name, bool& given, std::string& target,
                      const std::string& help);

  /// One of a list of words.
  void choice(const std::string& name, std::string& target, const std::vector<std::string>& words,
              const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace assay::cli
