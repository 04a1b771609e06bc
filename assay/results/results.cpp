// SPDX-License-Identifier: Apache-2.0
/// Recognises the layouts of results files by their content.
#include "assay/results.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/own_threads.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/formats.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/group_table.hpp"
#include "assay/results/result_layouts.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::results {

std::string_view last_part(std::string_view path) {
  const std::size_t cut = path.find_last_of("/\\");
  return cut == path.npos ? path : path.substr(cut + 1);
}

std::string case_id(std::string_view image_name) {
  return std::string(without_any_image_ending(image_name));
}

namespace {
using Kind = JsonReader::Kind;

[[noreturn]] void refuse_file(std::string_view name, const std::string& what) {
  throw Error(Error::Kind::input, std::string(name) + ": " + what + "; " + std::string(accepted));
}

/// Ours, or the specification's EvaluationResult.
std::vector<compare::ResultTable> read_segmentation(const JsonObject& file) {
  std::vector<compare::ResultTable> tables;
  tables.push_back(table_of(parse_segmentation(file)));
  return tables;
}

std::vector<compare::ResultTable> read_by_schema(const JsonObject& file) {
  const std::string schema = file.at("schema").text("schema");
  if (schema == folds_schema) return read_folds(file);
  if (schema != segmentation_schema)
    refuse_file(file.name(), "holds '" + excerpt(schema) + "', which is not a table of cases");
  return read_segmentation(file);
}

/// The member by which a layout is recognised, and the reader of that layout.
struct Layout {
  std::string_view member;
  Kind kind;
  std::vector<compare::ResultTable> (*read)(const JsonObject& file);
};

constexpr Layout layouts[] = {
    {"schema", Kind::text, read_by_schema},     {"metric_per_case", Kind::list, read_nnunet_2},
    {"results", Kind::object, read_nnunet_1},   {"dice", Kind::object, read_segmentation},
    {"per_subject_dice", Kind::list, read_run},
};

std::vector<compare::ResultTable> read_json(std::string_view text, const std::string& name) {
  const JsonObject file(text, name);
  for (const Layout& layout : layouts)
    if (file.has(layout.member, layout.kind)) return layout.read(file);
  refuse_file(name, "is JSON, but not a results file");
}

/// First bytes that show that a file is something other than text with results.
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

std::vector<compare::ResultTable> read_any(std::string_view text, const std::string& name) {
  text = without_mark(text);
  const std::string_view start = trimmed(text);
  if (start.empty()) refuse_file(name, "is empty");
  for (const Opening& opening : openings)
    if (start.starts_with(opening.bytes)) refuse_file(name, std::string(opening.what));
  if (start.front() == '{') return read_json(text, name);
  if (text.find('\0') != text.npos) refuse_file(name, "is not text");
  return read_table(text, name);
}

/// Replaces control characters, so that text quoted from a file cannot control the terminal.
std::string without_control_characters(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '?');
  return text;
}

}  // namespace

std::vector<compare::ResultTable> read_results(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    refuse_file(path.string(), "is a folder, not a results file");
  return parse_results(read_text(path), path.string());
}

void write_results(const std::filesystem::path& path, const metrics::SegmentationResult& result,
                   const Provenance& provenance) {
  write_atomically(path,
                   [&](const TextSink& sink) { write_results_text(result, provenance, sink); });
}

std::vector<compare::ResultTable> parse_results(std::string_view text, const std::string& name) {
  try {
    return read_any(text, name);
  } catch (const Error& e) {
    throw Error(e.kind(), without_control_characters(e.file()),
                without_control_characters(e.sentence()));
  }
}

std::vector<compare::ResultTable> read_result_files(std::span<const std::string> paths,
                                                    unsigned jobs) {
  std::vector<std::vector<compare::ResultTable>> read(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  each_on_own_threads(paths.size(), jobs, [&](std::size_t i) {
    try {
      read[i] = read_results(paths[i]);
      for (compare::ResultTable& table : read[i]) table.source = paths[i];
    } catch (const Error& error) {
      errors[i] = error;
    }
  });
  for (const auto& error : errors)
    if (error) throw Error(*error);
  std::vector<compare::ResultTable> tables;
  for (auto& several : read)
    for (compare::ResultTable& table : several) tables.push_back(std::move(table));
  return tables;
}

std::vector<std::string> add_groups(std::vector<compare::ResultTable>& tables,
                                    const std::filesystem::path& path) {
  const GroupTable groups(path);
  std::set<std::string> ids;
  for (compare::ResultTable& table : tables) {
    ids.insert(table.ids.begin(), table.ids.end());
    for (std::size_t c = 0; c < groups.columns().size(); ++c) {
      const std::string& column = groups.columns()[c];
      std::erase_if(table.groups, [&](const auto& group) { return group.first == column; });
      auto& [name, values] = table.groups.emplace_back();
      name = column;
      for (const std::string& id : table.ids) {
        const auto* const row = groups.values_of(id);
        values.push_back(row == nullptr ? "" : (*row)[c]);
      }
      values.resize(table.cases);
    }
  }
  const auto without = groups.without_row(std::vector<std::string>(ids.begin(), ids.end()));
  if (without.empty()) return {};
  return {"--groups: " + groups.trouble(without, ids.size())};
}

}  // namespace assay::results
