// SPDX-License-Identifier: Apache-2.0
#include "tests/qa/settings.hpp"

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "assay/base/file.hpp"

namespace assay::test_server {

Settings::Settings(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with("--")) throw std::runtime_error("no option: " + std::string(word));
    const bool bare = i + 1 == count || std::string_view(words[i + 1]).starts_with("--");
    values_[std::string(word.substr(2))] = bare ? "true" : words[++i];
  }
  if (has("scenario")) add_file(text("scenario"));
}

void Settings::add_file(const std::string& path) {
  const nlohmann::json file = nlohmann::json::parse(read_text(path));  // items() only refers to it
  for (const auto& [name, value] : file.items())
    values_.emplace(name, value.is_string() ? value.get<std::string>() : value.dump());
}

std::string Settings::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

double Settings::number(const std::string& name, double otherwise) const {
  return has(name) ? std::stod(text(name)) : otherwise;
}

std::vector<std::string> Settings::list(const std::string& name) const {
  std::vector<std::string> parts;
  std::istringstream stream(text(name));
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace assay::test_server
