// SPDX-License-Identifier: Apache-2.0
/// Reads single runs and the pooled subjects of `assay.folds/1`, so that restarts and
/// cross-validations can be compared.
#include <filesystem>

#include "assay/compare/result_builder.hpp"
#include "assay/results/result_layouts.hpp"

namespace assay::results {
namespace {

void read_case(JsonReader& in, compare::ResultBuilder& out, std::size_t whole) {
  const std::size_t here = out.add_case();
  bool has_id = false;
  in.object("a case", [&](std::string_view key) {
    if (key == "id") {
      out.name_case(here, in.text(key));
      has_id = true;
    } else if (key == "outer_fold") {
      const auto fold = in.number(key);
      if (!fold || !(*fold >= 0 && *fold < 1e6)) in.fail("an outer fold is a small whole number");
      out.group(here, key, std::to_string(static_cast<int>(*fold)));
    } else {
      out.put({here, whole, out.metric(key)}, in.number(key));
    }
  });
  if (!has_id) in.fail("the case that ends here has no 'id'");
}

/// "runs/fold_0_restart_1/results.json" -> "fold_0_restart_1"
std::string run_name(std::string_view path) {
  const std::filesystem::path file(path);
  const std::string folder = file.parent_path().filename().string();
  return folder.empty() ? file.stem().string() : folder;
}

}  // namespace

std::vector<compare::ResultTable> read_run(const JsonObject& file) {
  constexpr std::string_view prefix = "per_subject_";
  compare::ResultBuilder out(run_name(file.name()), std::string(file.name()));
  const std::size_t whole = out.label("");
  std::size_t cases = 0;
  bool first = true;  // the list that says how many subjects there are
  for (const std::string& key : file.keys()) {
    if (!key.starts_with(prefix) || !file.has(key, JsonReader::Kind::list)) continue;
    const std::size_t metric = out.metric(std::string_view(key).substr(prefix.size()));
    JsonReader in = file.at(key);
    std::size_t here = 0;
    in.list(key, [&] {
      if (first) cases = out.add_case() + 1;
      const auto value = in.number(key);
      if (here < cases) out.put({here, whole, metric}, value);
      ++here;
    });
    if (here != cases) in.fail("every 'per_subject_' list needs one value for each subject");
    first = false;
  }
  if (!file.has("subject_ids", JsonReader::Kind::list)) {
    out.forget_ids();
  } else {
    JsonReader in = file.at("subject_ids");
    std::size_t here = 0;
    in.list("subject_ids", [&] {
      if (here == cases) in.fail("there are more 'subject_ids' than values");
      out.name_case(here++, in.text("a subject's id"));
    });
    if (here != cases) in.fail("there are fewer 'subject_ids' than values");
  }
  std::vector<compare::ResultTable> tables;
  tables.push_back(std::move(out).table());
  return tables;
}

std::vector<compare::ResultTable> read_folds(const JsonObject& file) {
  compare::ResultBuilder out(file.at("model_name").text("model_name"), std::string(file.name()));
  const std::size_t whole = out.label("");
  JsonReader in = file.at("cases");
  in.list("cases", [&] { read_case(in, out, whole); });
  std::vector<compare::ResultTable> tables;
  tables.push_back(std::move(out).table());
  return tables;
}

}  // namespace assay::results
