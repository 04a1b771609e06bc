// SPDX-License-Identifier: Apache-2.0
#include "assay/results/runs.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/results/cross_validation.hpp"

namespace assay::results {
namespace {

namespace fs = std::filesystem;

/// Higher numbers are a mistake and would give a huge table of missing runs.
constexpr std::size_t highest = 999;

/// The file that a training leaves in its fold's folder: ours and the original's, or nnU-Net's.
constexpr std::string_view run_files[] = {"results.json", "validation/summary.json"};

struct FoldFolder {
  FoldName name;
  fs::path path;
  std::string shown;  ///< relative to the parent of the folder that was given
};

using Key = std::pair<std::size_t, std::size_t>;  // outer fold, restart
Key key_of(const FoldName& name) {
  return {name.outer_fold, name.restart.value_or(0)};
}

std::string said(const Key& key) {
  return "outer fold " + std::to_string(key.first) + ", restart " + std::to_string(key.second);
}

/// Reads the number at the front of the text and removes it.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || number > highest) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Resolves paths such as "runs/" and ".", so that they have a last name.
fs::path named_path(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

std::vector<FoldFolder> folders_in(const fs::path& root) try {
  if (!fs::exists(root))
    throw Error(Error::Kind::io, root.string() +
                                     ": no such folder; give the folder that holds "
                                     "fold_0_restart_0, or fold_0, and so on");
  if (!fs::is_directory(root))
    throw Error(Error::Kind::usage,
                root.string() + ": is a file; give the folder that holds the folds");
  const std::string own = named_path(root).filename().string();
  if (const auto name = fold_name(own)) return {{*name, root, own}};
  std::vector<FoldFolder> found;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string child = entry.path().filename().string();
    if (const auto name = fold_name(child); name && entry.is_directory())
      found.push_back({*name, entry.path(), (fs::path(own) / child).generic_string()});
  }
  if (found.empty())
    throw Error(Error::Kind::input,
                root.string() + ": contains no folder named fold_0_restart_0 or fold_0");
  std::ranges::sort(found, {}, &FoldFolder::shown);
  return found;
} catch (const fs::filesystem_error&) {
  throw Error(Error::Kind::io,
              root.string() + ": the folder cannot be read; check its permissions");
}

/// Leaves out a model that was trained on every case, because it has seen its validation cases.
std::vector<FoldFolder> without_all(std::vector<FoldFolder> folders,
                                    std::vector<std::string>& warnings) {
  const std::string reason =
      ": was trained on every case, so its validation does not test it; give fold_0, fold_1, ...";
  const auto all = std::ranges::find_if(folders, [](const FoldFolder& f) { return f.name.all; });
  if (all == folders.end()) return folders;
  const fs::path path = all->path;
  std::erase_if(folders, [](const FoldFolder& f) { return f.name.all; });
  if (folders.empty()) throw Error(Error::Kind::input, path.string() + reason);
  warnings.push_back(path.string() + ": left out, since it was trained on every case");
  return folders;
}

std::map<Key, FoldFolder> by_run(const std::vector<FoldFolder>& folders) {
  std::map<Key, FoldFolder> out;
  for (const FoldFolder& folder : folders) {
    const auto [place, is_new] = out.emplace(key_of(folder.name), folder);
    if (!is_new)
      throw Error(Error::Kind::input, said(place->first) +
                                          " is given twice: " + place->second.path.string() +
                                          " and " + folder.path.string());
  }
  return out;
}

/// The run's file in its folder, if there is one.
std::optional<std::string> file_in(const FoldFolder& folder) {
  std::vector<std::string> found;
  for (const std::string_view file : run_files) {
    std::error_code closed;
    if (fs::exists(folder.path / file, closed)) found.emplace_back(file);
    if (closed) return std::string(file);  // opening it will report what is wrong
  }
  if (found.size() > 1)
    throw Error(Error::Kind::input, folder.path.string() + ": holds both " + found.front() +
                                        " and " + found.back() + "; move one away");
  return found.empty() ? std::nullopt : std::optional(found.front());
}

/// Outer folds from 0 to the highest, with as many restarts as the fold that has the most.
std::vector<Key> expected_runs(const std::map<Key, FoldFolder>& folders) {
  std::size_t restarts = 0;
  for (const auto& [key, folder] : folders) restarts = std::max(restarts, key.second);
  std::vector<Key> out;
  for (std::size_t fold = 0; fold <= folders.rbegin()->first.first; ++fold)
    for (std::size_t restart = 0; restart <= restarts; ++restart) out.emplace_back(fold, restart);
  return out;
}

class Collector {
 public:
  explicit Collector(RunFolders& out) : out_(out) {}

  void missing(const Key& key, const std::string& file, const std::string& reason) {
    out_.ledger.missing.push_back({key.first, key.second, file, reason});
  }

  void read(const Key& key, const FoldFolder& folder, const std::string& file) {
    const std::string shown = folder.shown + "/" + file;
    out_.files.push_back(folder.path / file);
    try {
      const std::string text = read_text(folder.path / file);
      compare::FoldRun run = parse_run(text, (folder.path / file).string(), folder.name);
      run.file = shown;
      out_.runs.push_back(std::move(run));
      listing_.append(shown).append("\n").append(sha256(text)).append("\n");
    } catch (const Error& e) {
      out_.ledger.unreadable.push_back({key.first, key.second, shown, e.what()});
    }
  }

  void finish() {
    out_.ledger.read = out_.runs.size();
    out_.inputs_sha256 = sha256(listing_);
  }

 private:
  RunFolders& out_;
  std::string listing_;
};

}  // namespace

std::optional<FoldName> fold_name(std::string_view folder) {
  if (!take(folder, "fold_")) return std::nullopt;
  if (folder == "all") return FoldName{.all = true};
  FoldName name;
  const auto fold = take_number(folder);
  if (!fold) return std::nullopt;
  name.outer_fold = *fold;
  if (take(folder, "_restart_")) {
    name.restart = take_number(folder);
    if (!name.restart) return std::nullopt;
  }
  return folder.empty() ? std::optional(name) : std::nullopt;
}

RunFolders read_runs(const std::vector<fs::path>& folders) {
  RunFolders out;
  std::vector<FoldFolder> found;
  for (const fs::path& root : folders)
    for (FoldFolder& folder : folders_in(root)) found.push_back(std::move(folder));
  const auto runs = by_run(without_all(std::move(found), out.warnings));
  const fs::path first = named_path(folders.front());
  const bool is_fold = fold_name(first.filename().string()).has_value();
  out.name = (is_fold ? first.parent_path() : first).filename().string();
  Collector collector(out);
  const std::vector<Key> expected = expected_runs(runs);
  for (const Key& key : expected) {
    const auto folder = runs.find(key);
    if (folder == runs.end()) {
      collector.missing(key, "", "there is no folder for it");
      continue;
    }
    const auto file = file_in(folder->second);
    if (file)
      collector.read(key, folder->second, *file);
    else
      collector.missing(key, folder->second.shown,
                        "its folder holds neither results.json nor validation/summary.json");
  }
  collector.finish();
  out.ledger.expected = expected.size();
  return out;
}

}  // namespace assay::results
