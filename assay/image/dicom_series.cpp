// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom_series.hpp"

#include <algorithm>
#include <map>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom.hpp"
#include "assay/image/dicom_objects.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Bytes from the start that name the series, unless what precedes it is unusually long.
constexpr std::size_t uid_within = 1 << 16;

bool is_image_file(const fs::path& path) {
  const auto class_uid = class_of_file(path);
  return class_uid && is_image_class(*class_uid);
}

std::string series_uid_of(const fs::path& path) try {
  if (auto quickly = dicom_series(InputFile(path).read_start(uid_within).bytes())) return *quickly;
  return read_dicom_summary(path).series_uid;
} catch (const Error&) {  // reading the file will say what is wrong with it
  return "";
}

/// The files directly in a folder. None if it cannot be read.
std::vector<fs::path> files_in_folder(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code trouble;
  for (fs::directory_iterator it(folder, trouble), end; !trouble && it != end;
       it.increment(trouble))
    if (!it->path().filename().string().starts_with('.')) out.push_back(it->path());
  std::ranges::sort(out);
  return out;
}

/// The series whose files are directly in a folder.
std::vector<DicomSeries> list_series(const fs::path& folder) {
  return series_among(files_in_folder(folder));
}

/// "1.2.3 (CT, number 4, 'Chest 1.0 B31f', 312 files)".
std::string described(const DicomSeries& series) {
  std::vector<std::string> parts;
  try {
    const DicomSummary about = read_dicom_summary(series.files.front());
    if (!about.modality.empty()) parts.push_back(about.modality);
    if (!about.series_number.empty()) parts.push_back("number " + about.series_number);
    if (!about.series_description.empty()) parts.push_back("'" + about.series_description + "'");
  } catch (const Error&) {
    parts.emplace_back("cannot be read");
  }
  parts.push_back(counted(series.files.size(), "file"));
  return (series.uid.empty() ? "without SeriesInstanceUID" : series.uid) + " (" + joined(parts) +
         ")";
}

bool is_named(const DicomSeries& series, const std::string& name) try {
  if (series.uid == name) return true;
  const DicomSummary about = read_dicom_summary(series.files.front());
  return about.series_number == name || about.series_description == name;
} catch (const Error&) {
  return false;
}

std::vector<DicomSeries> series_named(const fs::path& folder, const std::string& name) {
  std::vector<DicomSeries> out = list_series(folder);
  std::erase_if(out, [&](const DicomSeries& each) { return !is_named(each, name); });
  return out;
}

std::string listed(const std::vector<DicomSeries>& all) {
  constexpr std::size_t most = 12;
  std::vector<std::string> out;
  for (const DicomSeries& each : all)
    if (out.size() < most) out.push_back(described(each));
  if (all.size() > most) out.emplace_back("…");
  return joined(out, "; ");
}

bool is_folder(const fs::path& path) {
  std::error_code trouble;
  return fs::is_directory(path, trouble);
}

/// "scans" also for "scans/".
fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

template <class Read>
auto read_series_at(const fs::path& path, Read read) {
  const DicomSeries series = find_series_at(path);
  try {
    return read(series.files);
  } catch (const Error& e) {
    throw Error(e.kind(), e.file(), "series " + series.uid + ": " + e.sentence());
  }
}

}  // namespace

std::vector<DicomSeries> series_among(const std::vector<fs::path>& files) {
  std::map<std::string, std::vector<fs::path>> found;
  for (const fs::path& path : files)
    if (is_image_file(path)) found[series_uid_of(path)].push_back(path);
  std::vector<DicomSeries> out;
  for (auto& [uid, of_series] : found) {
    std::ranges::sort(of_series);
    out.push_back({uid, std::move(of_series)});
  }
  return out;
}

bool is_series(const fs::path& path) {
  if (is_folder(path)) return std::ranges::any_of(files_in_folder(path), is_image_file);
  std::error_code trouble;
  const fs::path folder = path.parent_path();
  return !fs::exists(path, trouble) && is_folder(folder) &&
         !series_named(folder, path.filename().string()).empty();
}

DicomSeries find_series_at(const fs::path& path) {
  const bool has_name = !is_folder(path);
  std::vector<DicomSeries> found =
      has_name ? series_named(path.parent_path(), path.filename().string()) : list_series(path);
  if (found.empty()) throw Error(Error::Kind::input, path, "holds no series of DICOM images");
  if (found.size() == 1) return std::move(found.front());
  const fs::path folder = has_name ? path.parent_path() : without_slash(path);
  throw Error(Error::Kind::input, path,
              (has_name ? "names " : "holds ") + std::to_string(found.size()) +
                  " series: " + listed(found) + "; name one by its UID" +
                  (has_name ? "" : ", number or description") + ", such as " +
                  (folder.filename() / found.front().uid).string());
}

Image read_series(const fs::path& path, Buffer scratch) {
  return read_series_at(path, [&](const std::vector<fs::path>& files) {
    return read_slices(files, std::move(scratch));
  });
}

std::string series_sha256(const fs::path& path) {
  std::vector<std::string> hashes;
  for (const fs::path& file : find_series_at(path).files) hashes.push_back(sha256_of_file(file));
  std::ranges::sort(hashes);
  return sha256(joined(hashes, ""));
}

ImageHeader read_series_header(const fs::path& path) {
  return read_series_at(path, read_slices_header);
}

}  // namespace assay
