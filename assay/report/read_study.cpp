// SPDX-License-Identifier: Apache-2.0
#include "assay/report/read_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/journal.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/models.hpp"
#include "assay/error.hpp"
#include "assay/executor.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/qa.hpp"
#include "assay/qa/run/unfinished_run.hpp"
#include "assay/report/label_views.hpp"
#include "assay/results.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::report {
namespace {

/// What one file contributes to a study; most members are empty.
struct StudyFile {
  SourceDocument document;
  ResultSettings settings{};
  std::vector<compare::ResultTable> models{};
  std::vector<results::LabelCurves> curves{};  ///< of the only model
  std::vector<parity::ParityReport> parity{};
  std::vector<FoldsStudyPart> folds{};
  std::vector<QaStudyPart> qa{};
  std::vector<Finding> findings{};
};

struct Source {
  const std::string &path, &text;
};

void read_tables(const Source& source, StudyFile& out) {
  out.models = results::parse_results(source.text, source.path);
  for (compare::ResultTable& table : out.models) table.source = source.path;
  if (out.models.size() == 1 && first_sign(without_mark(source.text)) == '{')
    out.curves = results::label_curves(JsonObject(without_mark(source.text), source.path));
}

void read_questions(const Source& source, StudyFile& out) {
  for (qa::SavedQa& saved : qa::parse_qa_results(source.text, source.path)) {
    qa::QaScores scores = qa::qa_scores(saved.result);
    out.qa.push_back({source.path, std::move(saved.result), std::move(scores)});
  }
}

/// The journal of a run that goes on, or was killed.
void read_run(const Source& source, StudyFile& out) {
  for (qa::SavedQa& saved : qa::read_unfinished_run(source.path)) {
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
  results::SavedFolds saved = results::parse_folds(source.text, source.path);
  out.folds.push_back({std::move(saved.name), source.path,
                       compare::cross_validated(std::move(saved.runs), saved.restarts)});
}

void read_comparison(const Source& source, StudyFile& out) {
  const results::SavedComparison saved = results::parse_comparison(source.text, source.path);
  const auto number = [](std::optional<double> x) { return x ? compare::plain_number(*x) : "–"; };
  Finding finding = {.title = "Compared with " + saved.baseline, .source = source.path};
  finding.table.header = {"Model",         "Metric",      "n",      "Difference",
                          "95 % interval", "Corrected p", "Verdict"};
  for (const results::SavedPair& pair : saved.pairs) {
    finding.table.rows.push_back(
        {pair.model_name, pair.metric, std::to_string(pair.n), number(pair.difference),
         pair.ci95 ? number(pair.ci95->first) + " to " + number(pair.ci95->second) : "–",
         pair.corrected_p_value ? compare::plain_pvalue(*pair.corrected_p_value) : "–",
         pair.verdict});
    if (pair.sentence) finding.sentences.push_back(*pair.sentence);
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
constexpr FileKind unfinished_runs = {"", "question answering", read_run};
constexpr FileKind questions = {"", "question answering", read_questions};

/// What any kind of file may say about itself, as it is written there; "" where it does not.
struct Members {
  std::string schema;
  std::string_view settings, config, provenance, benchmark;
};

Members members_in(std::string_view text, const std::string& path) try {
  text = without_mark(text);
  if (first_sign(text) != '{') return {};
  const JsonObject file(text, path);
  const bool has_schema = file.has("schema", JsonReader::Kind::text);
  return {.schema = has_schema ? file.at("schema").text("schema") : "",
          .settings = file.text_of("settings"),
          .config = file.text_of("config"),
          .provenance = file.text_of("provenance"),
          .benchmark = file.text_of("benchmark_name")};
} catch (const Error&) {
  return {};  // not JSON: a table, or refused as one, with a better sentence
}

const FileKind& kind_of(const Members& found) {
  for (const FileKind& kind : file_kinds)
    if (found.schema == kind.schema) return kind;
  return found.benchmark.empty() ? table_files : questions;
}

/// JSON as it is shown to people.
std::string pretty(std::string_view text, const std::string& path) {
  return text.empty() ? "" : to_text(parse_json(text, path));
}

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_text(value, {.indent = 0});
}

ResultSettings settings_in(const Members& found, const std::string& path) {
  ResultSettings out = {.is_scored_here = found.schema == results::segmentation_schema};
  const auto parsed = [&](std::string_view text) {
    Json object = text.empty() ? Json::object() : parse_json(text, path);
    return object.is_object() ? object : Json::object();
  };
  const Json settings = parsed(found.settings), provenance = parsed(found.provenance);
  for (const auto& [key, value] : settings.items()) out.settings.emplace_back(key, shown(value));
  if (settings.contains("convention")) out.convention = shown(settings["convention"]);
  if (provenance.contains("assay")) out.version = shown(provenance["assay"]);
  return out;
}

/// The kind is recognised by the content of the file, never by its name.
StudyFile read_study_file(const std::string& path) {
  const std::string text = read_text(path);
  const bool is_journal = text.starts_with(journal_line_start);
  const Members found = is_journal ? Members{} : members_in(text, path);
  const FileKind& kind = is_journal ? unfinished_runs : kind_of(found);
  StudyFile out;
  kind.read({path, text}, out);
  out.document = {path, std::string(kind.words),
                  pretty(found.settings.empty() ? found.config : found.settings, path),
                  pretty(found.provenance, path)};
  out.settings = settings_in(found, path);
  return out;
}

/// A file that counts twice would make everything look surer than it is.
void refuse_repetition(const std::vector<std::string>& files) {
  std::set<std::filesystem::path> seen;
  for (const std::string& file : files) {
    std::error_code unknown;
    const auto whole = std::filesystem::weakly_canonical(file, unknown);
    if (!unknown && !seen.insert(whole).second)
      throw Error(Error::Kind::usage, file + " is given twice; name each results file once");
  }
}

/// Reads all files; the first that cannot be read decides the error.
std::vector<StudyFile> read_all(const StudyRequest& request) {
  std::vector<StudyFile> out(request.files.size());
  std::vector<std::optional<Error>> errors(request.files.size());
  run_tasks(request.compare.executor, request.files.size(), [&](std::size_t i) {
    try {
      out[i] = read_study_file(request.files[i]);
    } catch (const Error& error) {
      errors[i] = error;
    }
  });
  for (const auto& error : errors)
    if (error) throw Error(*error);
  return out;
}

template <class Item>
void move_to(std::vector<Item>& to, std::vector<Item>& from) {
  std::ranges::move(from, std::back_inserter(to));
}

StudyReading joined_files(std::vector<StudyFile> files) {
  StudyReading out;
  for (StudyFile& file : files) {
    out.study.settings.insert(out.study.settings.end(), file.models.size(), file.settings);
    out.study.curves.insert(out.study.curves.end(), file.models.size(), file.curves);
    move_to(out.study.models, file.models);
    move_to(out.study.parity, file.parity);
    move_to(out.study.folds, file.folds);
    for (const QaStudyPart& part : file.qa)
      if (const auto& unfinished = part.result.unfinished)
        out.notes.push_back(fmt::format(
            "{}: the run is unfinished, {} of {} of {} are done", part.source, unfinished->done,
            counted(unfinished->expected, "question"), part.result.benchmark_name));
    move_to(out.study.qa, file.qa);
    move_to(out.findings, file.findings);
    out.documents.push_back(std::move(file.document));
  }
  return out;
}

/// Files without ids: cases of one model are not those of another, unless the caller says so.
void name_cases(Study& study, bool by_position) {
  for (compare::ResultTable& table : study.models) {
    if (!table.ids.empty() || table.cases == 0) continue;
    for (std::size_t i = 1; i <= table.cases; ++i)
      table.ids.push_back((by_position ? "" : table.model_name + " ") + compare::position_id(i));
  }
}

/// Lesions name the cases of their file as the tables do now.
void rename_cases(Study& study) {
  for (std::size_t m = 0; m < study.curves.size(); ++m) {
    const compare::ResultTable& table = study.models[m];
    if (table.file_ids.empty()) continue;
    for (results::LabelCurves& label : study.curves[m])
      for (results::SizedLesion& lesion : label.lesions)
        if (const auto found = std::ranges::find(table.file_ids, lesion.id);
            found != table.file_ids.end())
          lesion.id = table.ids[static_cast<std::size_t>(found - table.file_ids.begin())];
  }
}

/// Every case that any file lists, scored or not.
std::vector<std::string> all_ids(const std::vector<compare::ResultTable>& models) {
  std::vector<std::string> out;
  for (const compare::ResultTable& table : models) {
    out.insert(out.end(), table.ids.begin(), table.ids.end());
    for (const compare::UnscoredCase& one : table.unscored) out.push_back(one.id);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// How many cases every model has.
std::size_t shared_cases(const std::vector<compare::ResultTable>& models) {
  std::set<std::string_view> shared(models.front().ids.begin(), models.front().ids.end());
  for (const compare::ResultTable& table : models) {
    const std::set<std::string_view> here(table.ids.begin(), table.ids.end());
    std::erase_if(shared, [&](std::string_view id) { return !here.contains(id); });
  }
  return shared.size();
}

/// The comparison that the files allow. What was asked for by name and cannot be done is an error;
/// what cannot be done by itself is a note.
void add_comparison(StudyReading& reading, const StudyRequest& request) {
  compare::CompareSettings settings = request.compare;
  settings.matching.intersect = true;
  Study& study = reading.study;
  if (settings.baseline.empty() && study.models.size() > 2) {
    settings.baseline = study.models.front().model_name;
    reading.notes.push_back("no --baseline was given: the models are compared with the first, " +
                            settings.baseline);
  }
  if (!settings.matching.by_position && shared_cases(study.models) == 0) {
    reading.notes.emplace_back(
        "the models have no case in common: they are shown side by side and not compared");
    return;
  }
  const bool was_asked = !request.compare.baseline.empty() || !settings.choice.asked.empty() ||
                         !settings.choice.labels.empty() || settings.margin ||
                         !settings.margins.empty();
  try {
    compare_models(study, settings);
  } catch (const Error& error) {
    if (was_asked) throw;
    reading.notes.push_back(std::string("the models are not compared: ") + error.what());
    return;
  }
  reading.notes.insert(reading.notes.end(), study.comparison->notes.begin(),
                       study.comparison->notes.end());
  if (const std::size_t left = study.comparison->matching.left_out.size(); left != 0)
    reading.notes.push_back(
        "compared on the " + counted(study.comparison->matching.ids.size(), "case") +
        " that all models have; " + counted(left, "score") + " missing elsewhere, see the ledger");
}

std::string column_name(const compare::ComparedMetric& metric) {
  return metric.name + " of " + metric.label;
}

/// A page of more columns than can be compared would take minutes, and nobody would read it.
void require_few_columns(const compare::ResultTable& table) {
  if (table.averages.size() > compare::most_compared)
    throw Error(Error::Kind::usage, table.source,
                fmt::format("has {} columns; a report shows at most {}, so choose some with "
                            "--metric",
                            table.averages.size(), compare::most_compared));
}

/// One model alone: what was asked for is shown, or refused by name.
void choose_columns(Study& study, const compare::MetricChoice& choice) {
  for (compare::ResultTable& table : study.models) {
    if (!choice.labels.empty()) use_label(table, choice.first_label());
    std::vector<std::string> notes;
    if (choice.asked.empty()) {
      require_few_columns(table);
      continue;
    }
    study.metrics.clear();
    for (const compare::ComparedMetric& metric :
         compare::metrics_to_compare({&table, 1}, {choice.asked, {}, {}}, notes))
      study.metrics.push_back(metric.name);
  }
}

/// Margins of a metric hold for it in every label.
void spread_margins(compare::CompareSettings& settings,
                    const std::vector<compare::ComparedMetric>& chosen) {
  std::vector<std::pair<std::string, double>> out;
  for (const auto& margin : settings.margins) {
    const std::size_t before = out.size();
    for (const compare::ComparedMetric& metric : chosen)
      if (metrics::names_metric(margin.first, metric.name))
        out.emplace_back(column_name(metric), margin.second);
    if (out.size() == before) out.push_back(margin);  // refused by its own name
  }
  settings.margins = std::move(out);
}

/// The same metrics with the names of their labels, as far as each names one label only.
std::vector<compare::ComparedMetric> with_label_names(std::vector<compare::ComparedMetric> chosen,
                                                      const compare::ResultTable& table) {
  for (compare::ComparedMetric& metric : chosen) {
    const std::string& name = compare::label_of(table, metric.label).name;
    if (!name.empty() && std::ranges::count(table.labels, name, &compare::LabelTable::name) == 1)
      metric.label = name;
  }
  return chosen;
}

/// Several labels: each metric of each label becomes a column of its own, such as "dice of WT", and
/// these are what the study is about.
void spread_labels(std::vector<compare::ResultTable>& models, compare::CompareSettings& settings,
                   std::vector<std::string>& notes) {
  if (models.empty() || !settings.choice.has_several_labels()) return;
  const auto chosen = compare::metrics_to_compare(models, settings.choice, notes);
  const auto named = with_label_names(chosen, models.front());
  for (compare::ResultTable& table : models) {
    std::vector<compare::MetricColumn> columns;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      columns.push_back(
          *compare::column_of(compare::columns_of(table, chosen[i].label), chosen[i].name));
      columns.back().name = column_name(named[i]);
      columns.back().is_extra = false;
    }
    table.averages = std::move(columns);
    table.averaged.clear();
    table.derived.clear();
  }
  spread_margins(settings, named);
  settings.choice = {};
  for (const compare::ComparedMetric& metric : named)
    settings.choice.asked.push_back(column_name(metric));
}

void require_comparison(const Study& study, const compare::CompareSettings& settings) {
  if (!study.comparison && (settings.margin || !settings.margins.empty()))
    throw Error(Error::Kind::usage,
                "--margin: nothing is compared; give results of two models on the same cases");
}

std::string title_of(const Study& study) {
  constexpr std::size_t most_names = 4;
  std::vector<std::string> names;
  for (const compare::ResultTable& table : study.models) names.push_back(table.model_name);
  for (const QaStudyPart& part : study.qa)
    names.push_back(part.result.benchmark_name + " by " + part.result.model_name);
  for (const parity::ParityReport& report : study.parity)
    names.push_back("parity with " + report.paper.name);
  if (names.empty()) return "Comparison";
  if (names.size() > most_names) return counted(names.size(), "result") + " with " + names.front();
  return joined(names, ", ");
}

}  // namespace

StudyReading read_study(const StudyRequest& request) {
  StudyRequest own = request;  // labels are spread in it, and folders
  own.files.clear();
  for (const std::filesystem::path& file : qa::qa_files(request.files))
    own.files.push_back(file.string());
  if (own.files.empty())
    throw Error(Error::Kind::usage, "give at least one results file: assay report results.json");
  refuse_repetition(own.files);
  StudyReading out = joined_files(read_all(own));
  Study& study = out.study;
  if (study.models.size() > 1)
    study.models = compare::named_apart(std::move(study.models), out.notes);
  name_cases(study, own.compare.matching.by_position);
  compare::use_entity_ids(study.models);
  rename_cases(study);
  if (!own.groups.empty())
    for (std::string& note : results::add_groups(study.models, own.groups))
      out.notes.push_back(std::move(note));
  if (const std::string& baseline = own.compare.baseline; !baseline.empty())
    compare::baseline_among(study.models, baseline);
  if (own.compare.choice.labels.empty()) {
    std::vector<std::string> notes;  // the comparison gives them, if there is one
    compare::require_same_averages(study.models, notes);
  }
  spread_labels(study.models, own.compare, out.notes);
  study.ids = all_ids(study.models);
  if (study.models.size() > 1) add_comparison(out, own);
  if (!study.comparison) choose_columns(study, own.compare.choice);
  require_comparison(study, own.compare);
  study.title = own.title.empty() ? title_of(study) : own.title;
  return out;
}

}  // namespace assay::report
