// SPDX-License-Identifier: Apache-2.0
#include "assay/image/foreign_files.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view no_jpeg =
    "JPEG changes the values of pixels, so they are not the labels that were saved; save masks as "
    "PNG or TIFF";
constexpr std::string_view from_dicom =
    "convert to NIfTI first, for example with dcm2niix, or with dcmqi if they are DICOM SEG";

/// Bytes that such files have at a certain position.
struct Kind {
  std::size_t at;
  std::string_view bytes;
  ForeignKind kind;
};

using namespace std::string_view_literals;

constexpr std::array kinds = {
    Kind{0, "\xff\xd8\xff"sv, {"JPEG", no_jpeg}},
    Kind{128, "DICM"sv, {"DICOM", from_dicom}},
};

constexpr std::size_t enough_bytes = 132;
constexpr std::size_t enough_files = 10'000;  ///< a folder that holds more is described by these

std::optional<ForeignKind> kind_of_file(const fs::path& path) {
  try {
    return foreign_kind(InputFile(path).read_start(enough_bytes).bytes());
  } catch (const Error&) {  // a file that cannot be read has no kind
    return std::nullopt;
  }
}

/// How many files of one kind there are.
struct Found {
  ForeignKind kind;
  std::size_t files = 0;
};

std::vector<Found> found_in(const fs::path& folder) {
  std::vector<Found> found;
  std::size_t looked_at = 0;
  std::error_code trouble;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, options, trouble), end;
       !trouble && it != end && looked_at < enough_files; it.increment(trouble)) {
    if (!it->is_regular_file(trouble)) continue;
    ++looked_at;
    const auto kind = kind_of_file(it->path());
    if (!kind) continue;
    auto known = std::ranges::find(found, kind->name, [](const Found& f) { return f.kind.name; });
    if (known == found.end()) known = found.insert(found.end(), Found{*kind});
    ++known->files;
  }
  std::ranges::sort(found, std::ranges::greater{}, &Found::files);
  return found;
}

}  // namespace

std::optional<ForeignKind> foreign_kind(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  for (const Kind& kind : kinds)
    if (text.size() >= kind.at && text.substr(kind.at).starts_with(kind.bytes)) return kind.kind;
  return std::nullopt;
}

std::string foreign_content(const fs::path& folder) {
  const std::vector<Found> found = found_in(folder);
  if (found.empty()) return "";
  std::vector<std::string> parts;
  parts.reserve(found.size());
  for (const Found& each : found)
    parts.push_back(counted(each.files, std::string(each.kind.name) + " file"));
  return "holds " + joined(parts, " and ") + ", which assay does not read; " +
         std::string(found.front().kind.remedy);
}

}  // namespace assay
