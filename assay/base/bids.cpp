// SPDX-License-Identifier: Apache-2.0
#include "assay/base/bids.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace assay {
namespace {

/// The order in which entities are tried; those that BIDS does not define come last.
constexpr std::array<std::string_view, 28> known_keys = {
    "sub",   "ses",       "run",   "sample", "task", "acq", "ce",    "trc",  "stain", "rec",
    "dir",   "mod",       "echo",  "flip",   "inv",  "mt",  "part",  "proc", "hemi",  "space",
    "split", "recording", "chunk", "seg",    "res",  "den", "label", "desc"};

using Groups = std::map<std::string, std::vector<const Entities*>>;

Groups files_by_id(std::span<const Entities> files, std::span<const std::string> keys) {
  Groups out;
  for (const Entities& file : files) out[entity_id(file, keys)].push_back(&file);
  return out;
}

/// Whether two files that share an id so far differ in this entity.
bool tells_some_apart(const Groups& groups, const std::string& key) {
  const auto stated = [&](const Entities* file) {
    const auto found = file->find(key);
    return found == file->end() ? std::string() : found->second;
  };
  return std::ranges::any_of(groups, [&](const auto& group) {
    const auto& files = group.second;
    return std::ranges::any_of(
        files, [&](const Entities* file) { return stated(file) != stated(files.front()); });
  });
}

}  // namespace

Entities entities(std::string_view stem) {
  Entities out;
  std::size_t start = 0;
  while (start <= stem.size()) {
    const std::size_t end = std::min(stem.find_first_of("_/", start), stem.size());
    const std::string_view part = stem.substr(start, end - start);
    if (const std::size_t dash = part.find('-'); dash != part.npos)
      out[std::string(part.substr(0, dash))] = part.substr(dash + 1);
    start = end + 1;
  }
  return out;
}

std::string entity_id(const Entities& of_case, std::span<const std::string> keys) {
  std::string id;
  for (const std::string& key : keys)
    if (const auto found = of_case.find(key); found != of_case.end())
      id.append(id.empty() ? "" : "_").append(key).append("-").append(found->second);
  return id;
}

std::vector<std::string> stated_entities(std::span<const std::string> names) {
  std::set<std::string> stated;
  for (const std::string& name : names)
    for (const auto& [key, value] : entities(name)) stated.insert(key);
  std::vector<std::string> out;
  for (const std::string_view key : known_keys)
    if (const auto found = stated.find(std::string(key)); found != stated.end())
      out.push_back(std::move(stated.extract(found).value()));
  out.insert(out.end(), stated.begin(), stated.end());
  return out;
}

bool is_in_subject_folder(std::string_view stem) {
  const std::size_t name = stem.rfind('/');
  return name != stem.npos && (stem.starts_with("sub-") || stem.find("/sub-") < name);
}

std::optional<std::vector<std::string>> telling_entities(std::span<const std::string> stems) {
  if (stems.empty() || !std::ranges::all_of(stems, is_in_subject_folder)) return std::nullopt;
  std::vector<Entities> files;
  for (const std::string& stem : stems) files.push_back(entities(stem));
  std::vector<std::string> keys;
  for (const std::string& key : stated_entities(stems)) {
    const Groups groups = files_by_id(files, keys);
    if (!keys.empty() && groups.size() == files.size()) return keys;
    if (keys.empty() || tells_some_apart(groups, key)) keys.push_back(key);
  }
  return files_by_id(files, keys).size() == files.size() ? std::optional(keys) : std::nullopt;
}

}  // namespace assay
