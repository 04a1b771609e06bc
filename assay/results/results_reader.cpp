// SPDX-License-Identifier: Apache-2.0
/// Recognises the layouts of results files by their content.
#include <algorithm>
#include <array>
#include <cctype>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/image/image.hpp"
#include "assay/results/result_layouts.hpp"
#include "assay/results/results.hpp"

namespace assay::results {

std::string_view last_part(std::string_view path) {
  const std::size_t cut = path.find_last_of("/\\");
  return cut == path.npos ? path : path.substr(cut + 1);
}

std::string case_id(std::string_view image_name) {
  constexpr std::array<std::string_view, 14> further = {
      ".seg.nrrd", ".nrrd", ".npy", ".npz", ".png", ".tif", ".tiff",
      ".jpg",      ".jpeg", ".bmp", ".dcm", ".mgz", ".mgh", ".nhdr"};
  const std::string_view id = without_image_ending(image_name);
  if (id.size() == image_name.size())
    for (const std::string_view ending : further)
      if (id.size() > ending.size() && id.ends_with(ending))
        return std::string(id.substr(0, id.size() - ending.size()));
  return std::string(id);
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 40;
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;  // not within a letter of several bytes
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

namespace {
using Kind = JsonReader::Kind;

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
  throw Error(Error::Kind::input, std::string(name) + ": " + what + "; " + std::string(accepted));
}

std::vector<compare::ResultTable> read_by_schema(const JsonObject& file) {
  const std::string schema = file.at("schema").text("schema");
  if (schema == "assay.folds/1") return read_folds(file);
  if (schema != "assay.segmentation/1")
    refuse(file.name(), "holds '" + excerpt(schema) + "', which is not a table of cases");
  return read_segmentation(file);
}

/// A member by which a layout is recognised, and its reader.
struct Layout {
  std::string_view member;
  Kind kind;
  std::vector<compare::ResultTable> (*read)(const JsonObject& file);
};

constexpr Layout layouts[] = {
    {"schema", Kind::text, read_by_schema},     {"metric_per_case", Kind::list, read_nnunet_2},
    {"results", Kind::object, read_nnunet_1},   {"dice", Kind::object, read_evaluation},
    {"per_subject_dice", Kind::list, read_run},
};

std::vector<compare::ResultTable> read_json(std::string_view text, const std::string& name) {
  const JsonObject file(text, name);
  for (const Layout& layout : layouts)
    if (file.has(layout.member, layout.kind)) return layout.read(file);
  refuse(name, "is JSON, but not a results file");
}

/// First bytes that tell what a file is instead of text with results.
struct Opening {
  std::string_view bytes, what;
};

constexpr Opening openings[] = {
    {"\x1F\x8B", "is compressed; unpack it with gunzip first"},
    {"PK\x03\x04", "is a zip archive or a spreadsheet; save the sheet as CSV"},
    {"\xD0\xCF\x11\xE0", "is a spreadsheet; save the sheet as CSV"},
    {"\xFF\xFE", "is text in UTF-16; save it as UTF-8"},
    {"\xFE\xFF", "is text in UTF-16; save it as UTF-8"},
    {"<", "is HTML or XML, not a results file"},
    {"[", "is a JSON list, not a results file"},
};

std::string_view trimmed_front(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start == text.npos ? std::string_view() : text.substr(start);
}

std::vector<compare::ResultTable> read_any(std::string_view text, const std::string& name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string_view start = trimmed_front(text);
  if (start.empty()) refuse(name, "is empty");
  for (const Opening& opening : openings)
    if (start.starts_with(opening.bytes)) refuse(name, std::string(opening.what));
  if (start.front() == '{') return read_json(text, name);
  if (text.find('\0') != text.npos) refuse(name, "is not text");
  return read_table(text, name);
}

/// Text that a message quotes from a file must not control the terminal.
std::string without_control_characters(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '?');
  return text;
}

}  // namespace

std::vector<compare::ResultTable> read_results(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    refuse(path.string(), "is a folder, not a results file");
  return parse_results(read_text(path), path.string());
}

std::vector<compare::ResultTable> parse_results(std::string_view text, const std::string& name) {
  try {
    return read_any(text, name);
  } catch (const Error& e) {
    throw Error(e.kind(), without_control_characters(e.what()));
  }
}

}  // namespace assay::results
