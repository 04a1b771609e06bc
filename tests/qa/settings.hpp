// SPDX-License-Identifier: Apache-2.0
/// The command line of the test server, as names and values.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace assay::test_server {

/// "--name value" pairs, each name once; `--scenario FILE` adds those of a JSON object. A name
/// without a value has the value "true".
class Settings {
 public:
  Settings(int count, char** words);

  bool has(const std::string& name) const { return values_.contains(name); }
  std::string text(const std::string& name, const std::string& otherwise = "") const;
  double number(const std::string& name, double otherwise) const;
  /// Parts between commas.
  std::vector<std::string> list(const std::string& name) const;

 private:
  void add_file(const std::string& path);

  std::map<std::string, std::string> values_;
};

}  // namespace assay::test_server
