// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_lists.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::qa {
namespace {

struct Archive {
  std::string_view benchmarks;  ///< how their names begin
  std::string_view file, name, command;
  std::string_view column;  ///< of the id
  std::string_view head;    ///< first line of the list, where the archive's tool wants one
};

constexpr std::array archives = {
    Archive{"tcga", "gdc_manifest.txt", "Genomic Data Commons (TCGA)",
            "gdc-client download -m gdc_manifest.txt -d WSI_ROOT/tcga", "file_id", "id\n"},
    Archive{"gtex", "gtex_ids.txt", "GTEx histology images",
            "fetch each id from the GTEx histology viewer into WSI_ROOT/gtex", "image_path", ""},
    Archive{"panda", "panda_ids.txt", "PANDA challenge (Kaggle)",
            "kaggle competitions download -c prostate-cancer-grade-assessment -f "
            "train_images/ID.tiff, into WSI_ROOT/panda",
            "image_path", ""},
};

std::size_t required(const Csv& table, std::string_view column, const std::string& name) {
  if (const auto found = table.column(column)) return *found;
  throw Error(Error::Kind::input, name,
              "has no column '" + std::string(column) + "'; is it the table of questions?");
}

bool is_valid(const std::vector<std::string>& row, std::optional<std::size_t> column) {
  if (!column) return true;
  std::string text = row[*column];
  std::erase_if(text, [](char c) {
    return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos;
  });
  return text.empty() || ascii_lowered(text) == "true";
}

std::string id_of(const std::string& field, const Archive& archive) {
  return archive.column == "file_id" ? field : std::filesystem::path(field).stem().string();
}

SlideList list_of(const Csv& table, const Archive& archive, const std::string& name) {
  SlideList list = {.file = archive.file, .archive = archive.name, .command = archive.command};
  const std::size_t benchmark = required(table, "benchmark_name", name);
  const std::size_t column = required(table, archive.column, name);
  const auto valid = table.column("is_valid");
  std::unordered_set<std::string> seen;
  for (const auto& row : table.rows) {
    if (!row[benchmark].starts_with(archive.benchmarks) || !is_valid(row, valid)) continue;
    std::string id = id_of(row[column], archive);
    if (!id.empty() && seen.insert(id).second) list.ids.push_back(std::move(id));
  }
  list.text = archive.head;
  for (const std::string& id : list.ids) list.text.append(id).append("\n");
  return list;
}

}  // namespace

std::vector<SlideList> slide_lists(const std::filesystem::path& table) {
  const std::string name = table.string();
  const Csv csv = parse_csv(read_text(table), name);
  std::vector<SlideList> lists;
  for (const Archive& archive : archives) {
    SlideList list = list_of(csv, archive, name);
    if (!list.ids.empty()) lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace assay::qa
