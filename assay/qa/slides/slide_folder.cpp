// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_folder.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom.hpp"

namespace assay::qa {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> endings = {
    ".svs", ".tif", ".tiff", ".ndpi", ".mrxs", ".scn", ".vms", ".bif", ".svslide", ".dcm",
};

std::string ending_of(const std::string& path) {
  return ascii_lowered(fs::path(path).extension().string());
}

bool is_slide(const std::string& path) {
  return std::ranges::find(endings, ending_of(path)) != endings.end();
}

/// A path of the table as one below a folder; nothing when it would lead out of it.
std::optional<std::string> inner_path(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  if (path.empty() || normal.is_absolute() || *normal.begin() == "..") return std::nullopt;
  const std::string text = normal.generic_string();
  if (text == "." || text.ends_with('/')) return std::nullopt;
  return text;
}

/// A name that is one folder, not a way through several.
bool is_one_folder(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

/// Where slides of a benchmark may be, as prefixes of listed paths: the root, then "tcga/" for both
/// tcga and tcga_slidebench, then the benchmark's own name.
std::vector<std::string> bases_of(const std::string& benchmark) {
  std::vector<std::string> out = {""};
  for (const std::string& name : {benchmark.substr(0, benchmark.find('_')), benchmark})
    if (is_one_folder(name) && std::ranges::find(out, name + "/") == out.end())
      out.push_back(name + "/");
  return out;
}

using Files = std::vector<std::string>;

/// The listed files that start with `prefix` and have no further folder after it.
Files starting_with(const Files& files, const std::string& prefix) {
  Files out;
  for (auto at = std::ranges::lower_bound(files, prefix);
       at != files.end() && at->starts_with(prefix); ++at)
    if (at->find('/', prefix.size()) == at->npos) out.push_back(*at);
  return out;
}

template <class Keep>
Files kept(Files files, Keep keep) {
  std::erase_if(files, [&](const std::string& file) { return !keep(file); });
  return files;
}

/// What an item's slide may be called: "a/b.svs" has the stem "a/b" and the ending ".svs".
struct Wanted {
  std::string path, stem, ending, file_id;
};

Wanted wanted_of(const Item& item, const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return {.path = path,
          .stem = path.substr(0, path.size() - extension.size()),
          .ending = extension,
          .file_id = is_one_folder(item.file_id) ? item.file_id : ""};
}

// The rules, in order of trust. Each gives the candidates below one base.

Files itself(const Files& files, const std::string& base, const Wanted& wanted) {
  return std::ranges::binary_search(files, base + wanted.path) ? Files{base + wanted.path}
                                                               : Files{};
}

/// stem.*.ext: what the GDC client writes.
Files with_suffix(const Files& files, const std::string& base, const Wanted& wanted) {
  return kept(starting_with(files, base + wanted.stem + "."), [&](const std::string& file) {
    return file.ends_with(wanted.ending) && file.size() > base.size() + wanted.path.size();
  });
}

Files with_other_ending(const Files& files, const std::string& base, const Wanted& wanted) {
  const std::size_t stem = base.size() + wanted.stem.size();
  return kept(starting_with(files, base + wanted.stem + "."), [&](const std::string& file) {
    return is_slide(file) && stem + fs::path(file).extension().string().size() == file.size();
  });
}

Files in_folder_of_its_id(const Files& files, const std::string& base, const Wanted& wanted) {
  if (wanted.file_id.empty()) return {};
  const std::string folder = base + wanted.file_id + "/";
  for (const auto rule : {itself, with_suffix, with_other_ending})
    if (Files found = rule(files, folder, wanted); !found.empty()) return found;
  Files slides = kept(starting_with(files, folder), is_slide);
  return slides.size() == 1 ? slides : Files{};  // a folder of one slide, whatever its name
}

Files dicom_folder(const Files& files, const std::string& base, const Wanted& wanted) {
  return kept(starting_with(files, base + wanted.stem + "/"),
              [](const std::string& file) { return ending_of(file) == ".dcm"; });
}

using MatchRule = Files (*)(const Files&, const std::string&, const Wanted&);
constexpr std::array<MatchRule, 4> single_file_rules = {itself, in_folder_of_its_id, with_suffix,
                                                        with_other_ending};

SlideMatch problem(std::string sentence, bool ambiguous = false) {
  return {.path = {}, .problem = std::move(sentence), .ambiguous = ambiguous};
}

SlideMatch ambiguous(const std::string& wanted, const Files& candidates, std::string_view why) {
  constexpr std::size_t shown = 5;
  Files names(candidates.begin(),
              candidates.begin() + static_cast<std::ptrdiff_t>(std::min(shown, candidates.size())));
  const std::string more = candidates.size() > shown
                               ? " and " + std::to_string(candidates.size() - shown) + " more"
                               : "";
  return problem(wanted + ": is ambiguous, " + std::string(why) + ": " + joined(names) + more +
                     "; remove or rename all but the right one",
                 true);
}

/// The series is stated before the frames, which may be gigabytes.
constexpr std::size_t dicom_header_room = std::size_t{1} << 20;

/// Several files of one series are one slide; several series are several slides.
SlideMatch dicom_match(const fs::path& root, const std::string& wanted, const Files& files) {
  std::set<std::string> series;
  if (files.size() > 1)
    for (const std::string& file : files) {
      const Buffer start = InputFile(root / file).read_start(dicom_header_room);
      series.insert(dicom_series(start.bytes()).value_or("unreadable"));
    }
  if (series.size() > 1) return ambiguous(wanted, files, "its folder holds multiple DICOM series");
  return {.path = root / files.front(), .problem = ""};
}

/// The files below `root`; folders nested too deeply are a loop of links or none of ours.
Files listing(const fs::path& root) {
  constexpr int deepest = 8;
  Files out;
  std::error_code error;
  const auto options = fs::directory_options::follow_directory_symlink |
                       fs::directory_options::skip_permission_denied;
  const std::size_t prefix = (root / "").generic_string().size();
  for (auto at = fs::recursive_directory_iterator(root, options, error);
       !error && at != fs::end(at); at.increment(error)) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    std::error_code ignored;  // a broken link is not a file
    if (at->is_regular_file(ignored)) out.push_back(at->path().generic_string().substr(prefix));
  }
  if (error == std::errc::interrupted) return listing(root);
  if (error)
    throw Error(Error::Kind::io, root.string() + ": the folder of slides cannot be read (" +
                                     error.message() + "); check the path and its permissions");
  std::ranges::sort(out);
  return out;
}

}  // namespace

SlideFolder::SlideFolder(const fs::path& root) : root_(root), files_(listing(root)) {}

SlideMatch SlideFolder::find(const Item& item) const try {
  const auto path = inner_path(item.image_path);
  if (!path)
    return problem("'" + item.image_path +
                   "': is not the path of a file below --wsi-root; correct "
                   "image_path in the table");
  const Wanted wanted = wanted_of(item, *path);
  const std::vector<std::string> bases = bases_of(item.benchmark);
  for (const MatchRule rule : single_file_rules)
    for (const std::string& base : bases) {
      const Files found = rule(files_, base, wanted);
      if (found.size() > 1) return ambiguous(*path, found, "several files match");
      if (found.size() == 1) return {.path = root_ / found.front(), .problem = ""};
    }
  for (const std::string& base : bases)
    if (const Files found = dicom_folder(files_, base, wanted); !found.empty())
      return dicom_match(root_, *path, found);
  Files places(bases.begin() + 1, bases.end());
  if (!wanted.file_id.empty()) places.push_back(wanted.file_id + "/");
  return problem(*path + ": is not below " + root_.string() +
                 (places.empty() ? "" : ", " + joined(places)) +
                 ", nor under its name with another slide ending");
} catch (const Error& e) {
  return problem(e.what());
}

}  // namespace assay::qa
