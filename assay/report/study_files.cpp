// SPDX-License-Identifier: Apache-2.0
#include "assay/report/study_files.hpp"

#include <algorithm>
#include <array>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/results.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/runs.hpp"

namespace assay::report {
namespace {

struct Source {
  const std::string& path;
  const std::string& text;
};

void read_tables(const Source& source, StudyFile& out) {
  out.models = results::parse_results(source.text, source.path);
  for (compare::ResultTable& table : out.models) table.source = source.path;
}

void read_questions(const Source& source, StudyFile& out) {
  for (qa::SavedQa& saved : qa::parse_qa_results(source.text, source.path)) {
    qa::QaScores scores = qa::qa_scores(saved.result);
    out.qa.push_back({source.path, std::move(saved.result), std::move(scores)});
  }
}

void read_parity(const Source& source, StudyFile& out) {
  out.parity.push_back(results::parse_parity(source.text, source.path));
}

/// The runs of a saved cross-validation, paired again.
void read_folds(const Source& source, StudyFile& out) {
  read_tables(source, out);
  const Json file = parse_json(source.text, source.path);
  std::vector<compare::FoldRun> runs;
  for (const Json& fold : file.at("folds"))
    for (const Json& run : fold.at("runs")) {
      const results::FoldName place = {run.at("outer_fold").get<std::size_t>(),
                                       run.at("restart").get<std::size_t>()};
      runs.push_back(results::parse_run(run.dump(), source.path, place));
    }
  const compare::Restarts restarts =
      compare::restarts_named(file.at("summary").at("restart_aggregation").get<std::string>());
  out.folds.push_back({file.at("model_name").get<std::string>(), source.path,
                       compare::cross_validated(std::move(runs), restarts)});
}

std::string number_in(const Json& value) {
  return value.is_number() ? compare::plain_number(value.get<double>()) : "–";
}

std::vector<std::string> pair_row(const std::string& metric, const Json& pair) {
  const Json& interval = pair.at("ci95");
  const bool has_interval = interval.is_array() && interval.size() == 2;
  return {pair.at("model_name").get<std::string>(),
          metric,
          std::to_string(pair.at("n").get<std::size_t>()),
          number_in(pair.at("difference")),
          has_interval ? number_in(interval[0]) + " to " + number_in(interval[1]) : "–",
          pair.at("corrected_p_value").is_number()
              ? compare::plain_pvalue(pair.at("corrected_p_value").get<double>())
              : "–",
          pair.at("verdict").get<std::string>()};
}

void read_comparison(const Source& source, StudyFile& out) {
  const Json file = parse_json(source.text, source.path);
  const auto baseline = file.at("baseline").get<std::string>();
  Finding finding = {.title = "Compared with " + baseline, .source = source.path};
  finding.table.header = {"Model",         "Metric",      "n",      "Difference",
                          "95 % interval", "Corrected p", "Verdict"};
  for (const auto& [metric, pairs] : file.at("metrics").items())
    for (const Json& pair : pairs) {
      finding.table.rows.push_back(pair_row(metric, pair));
      if (const auto found = pair.find("sentence"); found != pair.end())
        finding.sentences.push_back(found->get<std::string>());
    }
  out.findings.push_back(std::move(finding));
}

/// A kind of file, the member by which it is recognised, and its reader.
struct FileKind {
  std::string_view schema, words;
  void (*read)(const Source& source, StudyFile& out);
};

constexpr FileKind file_kinds[] = {
    {results::comparison_schema, "comparison", read_comparison},
    {results::parity_schema, "parity", read_parity},
    {results::folds_schema, "cross-validation", read_folds},
    {qa::qa_schema, "question answering", read_questions},
};
constexpr FileKind table_files = {"", "results", read_tables};
constexpr FileKind questions = {"", "question answering", read_questions};

constexpr std::string_view members[] = {"schema", "settings", "config", "provenance",
                                        "benchmark_name"};

bool holds(const std::vector<std::string>& found, std::string_view schema) {
  return found[0] == to_text(Json(schema));
}

const FileKind& kind_of(const std::vector<std::string>& found) {
  for (const FileKind& kind : file_kinds)
    if (holds(found, kind.schema)) return kind;
  return found[4].empty() ? table_files : questions;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_text(value, {.indent = 0});
}

/// JSON as it is shown to people.
std::string pretty(const std::string& text, const std::string& path) {
  return text.empty() ? "" : to_text(parse_json(text, path));
}

ResultSettings settings_in(const std::vector<std::string>& found, const std::string& path) {
  ResultSettings out = {.is_scored_here = holds(found, results::segmentation_schema)};
  const Json settings = found[1].empty() ? Json() : parse_json(found[1], path);
  const Json provenance = found[3].empty() ? Json() : parse_json(found[3], path);
  if (settings.is_object())
    for (const auto& [key, value] : settings.items())
      out.settings.emplace_back(key, text_of(value));
  if (settings.is_object() && settings.contains("convention"))
    out.convention = text_of(settings["convention"]);
  if (provenance.is_object() && provenance.contains("assay"))
    out.version = text_of(provenance["assay"]);
  return out;
}

}  // namespace

StudyFile read_study_file(const std::string& path) {
  const std::string text = read_text(path);
  const Source source = {path, text};
  // Text that is not JSON at all is a table, or will be refused as one, with a better sentence.
  std::vector<std::string> found(std::size(members));
  try {
    found = results::member_texts(text, path, members);
  } catch (const Error&) {
    found.assign(std::size(members), "");
  }
  const FileKind& kind = kind_of(found);
  StudyFile out;
  try {
    kind.read(source, out);
  } catch (const nlohmann::json::exception&) {
    throw Error(Error::Kind::input, path + ": lacks members that every " + std::string(kind.words) +
                                        " file has; write it again with this version of assay");
  }
  const std::string& settings = found[1].empty() ? found[2] : found[1];
  out.document = {path, std::string(kind.words), pretty(settings, path), pretty(found[3], path)};
  out.settings = settings_in(found, path);
  return out;
}

}  // namespace assay::report
