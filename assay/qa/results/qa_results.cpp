// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/named.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/qa_results_authors.hpp"
#include "assay/qa/results/qa_scores.hpp"
#include "assay/results/provenance.hpp"

namespace assay::qa {
namespace {

Json span_json(const std::pair<std::size_t, std::size_t>& span) {
  return {span.first, span.second};
}

Json vote_json(const Attempt& vote) {
  return {{"run", vote.run},
          {"prediction", vote.answer.raw},
          {"label", or_null(vote.answer.label)},
          {"rule", vote.answer.rule},
          {"span", span_json(vote.answer.span)},
          {"outcome", name_in(outcomes(), vote.outcome)},
          {"cost_usd", or_null(vote.cost_usd)},
          {"total_tokens", or_null(vote.total_tokens)},
          {"calls", vote.calls},
          {"trajectory_file", vote.trajectory_file},
          {"error", or_null(vote.error)}};
}

Json item_json(const ItemResult& item) {
  Json votes = Json::array();
  for (const Attempt& vote : item.votes) votes.push_back(vote_json(vote));
  return {{"item_id", item.item_id},
          {"prediction", item.prediction},
          {"predicted_label", or_null(item.predicted_label)},
          {"truth_label", item.truth_label},
          {"correct", item.correct},
          {"cost_usd", or_null(item.cost_usd)},
          {"total_tokens", or_null(item.total_tokens)},
          {"trajectory_file", item.trajectory_file},
          {"error", or_null(item.error)},
          {"outcome", name_in(outcomes(), item.outcome)},
          {"rule", item.rule},
          {"span", span_json(item.span)},
          {"slide", item.slide},
          {"options", item.options},
          {"votes", votes}};
}

Json config_json(const QaResult& result) {
  Json out = Json::object();
  for (const auto& [name, value] : result.config) out[name] = parse_json(value, "setting " + name);
  return out;
}

Json unfinished_json(const UnfinishedRun& unfinished) {
  return {{"done", unfinished.done}, {"expected", unfinished.expected}};
}

/// Collects the members of the file's object.
class Members {
 public:
  void add(std::string_view key, const Json& value, int indent = 2) {
    std::string text = to_text(value, {.indent = indent});
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      text.insert(at + 1, "  ");
    add_text(key, text);
  }
  void add_text(std::string_view key, const std::string& text) {
    out_ += fmt::format("{}\n  \"{}\": ", out_.empty() ? "{" : ",", key) + text;
  }
  std::string take() && { return std::move(out_) + "\n}\n"; }

 private:
  std::string out_;
};

std::string items_text(const QaResult& result) {
  std::string out = "[";
  for (const ItemResult& item : result.results) {
    out += out.size() > 1 ? ",\n    " : "\n    ";
    out += to_text(item_json(item), {.indent = 0});
  }
  return out + (result.results.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string qa_results_text(const QaResult& result, const QaScores& scores,
                            const results::Provenance& provenance) {
  Members out;
  out.add("schema", qa_schema);
  out.add("run_id", result.run_id);
  out.add("benchmark_name", result.benchmark_name);
  out.add("model_name", result.model_name);
  out.add("config", config_json(result));
  out.add_text("results", items_text(result));
  const Json summary = scores_json(scores);
  for (const auto& [key, value] : summary.items()) out.add(key, value);
  out.add("timestamp", result.timestamp);
  if (result.unfinished) out.add("unfinished", unfinished_json(*result.unfinished));
  out.add("provenance", results::provenance_json(provenance));
  return std::move(out).take();
}

void write_qa_results(const std::filesystem::path& path, const QaResult& result,
                      const QaScores& scores, const results::Provenance& provenance) {
  write_atomically(path, qa_results_text(result, scores, provenance));
}

std::string qa_scores_text(const std::vector<ScoredQa>& runs,
                           const results::Provenance& provenance) {
  Json list = Json::array();
  for (const ScoredQa& run : runs) {
    Json one = {{"run_id", run.result.run_id},
                {"benchmark_name", run.result.benchmark_name},
                {"model_name", run.result.model_name}};
    if (run.result.unfinished) one["unfinished"] = unfinished_json(*run.result.unfinished);
    one.update(scores_json(run.scores));
    list.push_back(one);
  }
  return to_text({{"schema", "assay.qa-scores/1"},
                  {"benchmarks", list},
                  {"provenance", results::provenance_json(provenance)}}) +
         "\n";
}

std::string qa_csv(const std::vector<ScoredQa>& runs) {
  std::string out =
      "benchmark,item_id,slide,outcome,truth_label,predicted_label,correct,rule,cost_usd,"
      "total_tokens,prediction,error\n";
  const auto shown = [](const auto& value) { return value ? fmt::format("{}", *value) : ""; };
  for (const ScoredQa& run : runs)
    for (const ItemResult& item : run.result.results)
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n",
                         csv_field(run.result.benchmark_name), csv_field(item.item_id),
                         csv_field(item.slide), name_in(outcomes(), item.outcome), item.truth_label,
                         shown(item.predicted_label), item.correct, csv_field(item.rule),
                         shown(item.cost_usd), shown(item.total_tokens), csv_field(item.prediction),
                         csv_field(item.error));
  return out;
}

// Reads `assay.qa/1` and the specification's results file, front to back.

namespace {

std::optional<std::int64_t> integer(JsonReader& in, std::string_view what) {
  constexpr double limit = 9e15;
  const auto value = in.number(what);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value) || std::fabs(*value) > limit)
    in.fail("'" + std::string(what) + "' is not a whole number");
  return static_cast<std::int64_t>(*value);
}

std::size_t count(JsonReader& in, std::string_view what) {
  return static_cast<std::size_t>(std::max<std::int64_t>(integer(in, what).value_or(0), 0));
}

/// A text; none for null.
std::string text_or_null(JsonReader& in, std::string_view what) {
  if (in.kind() != JsonReader::Kind::null) return in.text(what);
  in.skip();
  return "";
}

std::pair<std::size_t, std::size_t> span(JsonReader& in) {
  std::vector<std::size_t> ends;
  in.list("span", [&] { ends.push_back(count(in, "span")); });
  if (ends.size() != 2 || ends[0] > ends[1]) in.fail("'span' is not a pair of positions");
  return {ends[0], ends[1]};
}

/// A span that ends after its text would make readers of the file fail.
void check_span(JsonReader& in, const ExtractedAnswer& answer) {
  if (answer.span.second > answer.raw.size())
    in.fail("'span' ends after the end of the prediction");
}

Outcome outcome(JsonReader& in) {
  const std::string typed = in.text("outcome");
  for (const auto& row : outcomes())
    if (row.name == typed) return row.value;
  in.fail("'outcome' is '" + typed.substr(0, 40) + "', which is not an outcome of the ledger");
}

std::vector<std::string> texts(JsonReader& in, std::string_view what) {
  std::vector<std::string> out;
  in.list(what, [&] { out.push_back(in.text(what)); });
  return out;
}

/// One member of an object, and where its value goes.
template <class Target>
struct Field {
  std::string_view key;
  void (*read)(JsonReader& in, Target& target);
};

template <class Target>
void read_members(JsonReader& in, std::span<const Field<Target>> fields, std::string_view what,
                  Target& target) {
  in.object(what, [&](std::string_view key) {
    const auto field = std::ranges::find(fields, key, &Field<Target>::key);
    if (field == fields.end()) return in.skip();
    field->read(in, target);
  });
}

constexpr Field<Attempt> attempt_fields[] = {
    {"run", [](JsonReader& in, Attempt& a) { a.run = static_cast<unsigned>(count(in, "run")); }},
    {"prediction",
     [](JsonReader& in, Attempt& a) { a.answer.raw = text_or_null(in, "prediction"); }},
    {"label", [](JsonReader& in, Attempt& a) { a.answer.label = integer(in, "label"); }},
    {"rule", [](JsonReader& in, Attempt& a) { a.answer.rule = text_or_null(in, "rule"); }},
    {"span", [](JsonReader& in, Attempt& a) { a.answer.span = span(in); }},
    {"outcome", [](JsonReader& in, Attempt& a) { a.outcome = outcome(in); }},
    {"cost_usd", [](JsonReader& in, Attempt& a) { a.cost_usd = in.number("cost_usd"); }},
    {"total_tokens",
     [](JsonReader& in, Attempt& a) { a.total_tokens = integer(in, "total_tokens"); }},
    {"calls",
     [](JsonReader& in, Attempt& a) { a.calls = static_cast<unsigned>(count(in, "calls")); }},
    {"trajectory_file",
     [](JsonReader& in, Attempt& a) { a.trajectory_file = text_or_null(in, "trajectory_file"); }},
    {"error", [](JsonReader& in, Attempt& a) { a.error = text_or_null(in, "error"); }},
};

/// An item as it is in a file, before its outcome is known.
struct SavedItem {
  ItemResult item{};
  bool has_id = false, has_truth = false, has_outcome = false;
};

std::vector<Attempt> votes(JsonReader& in) {
  std::vector<Attempt> out;
  in.list("votes", [&] {
    Attempt& attempt = out.emplace_back();
    read_members<Attempt>(in, attempt_fields, "votes", attempt);
    check_span(in, attempt.answer);
  });
  return out;
}

/// Ids may be numbers in files of others.
std::string id(JsonReader& in) {
  if (in.kind() == JsonReader::Kind::text) return in.text("item_id");
  const auto number = integer(in, "item_id");
  if (!number) in.fail("'item_id' is null");
  return std::to_string(*number);
}

std::int64_t truth(JsonReader& in) {
  const auto label = integer(in, "truth_label");
  if (!label) in.fail("'truth_label' is null");
  return *label;
}

constexpr Field<SavedItem> item_fields[] = {
    {"item_id",
     [](JsonReader& in, SavedItem& s) {
       s.item.item_id = id(in);
       s.has_id = true;
     }},
    {"prediction",
     [](JsonReader& in, SavedItem& s) { s.item.prediction = text_or_null(in, "prediction"); }},
    {"predicted_label",
     [](JsonReader& in, SavedItem& s) { s.item.predicted_label = integer(in, "predicted_label"); }},
    {"truth_label",
     [](JsonReader& in, SavedItem& s) {
       s.item.truth_label = truth(in);
       s.has_truth = true;
     }},
    {"cost_usd", [](JsonReader& in, SavedItem& s) { s.item.cost_usd = in.number("cost_usd"); }},
    {"total_tokens",
     [](JsonReader& in, SavedItem& s) { s.item.total_tokens = integer(in, "total_tokens"); }},
    {"trajectory_file",
     [](JsonReader& in, SavedItem& s) {
       s.item.trajectory_file = text_or_null(in, "trajectory_file");
     }},
    {"error", [](JsonReader& in, SavedItem& s) { s.item.error = text_or_null(in, "error"); }},
    {"outcome",
     [](JsonReader& in, SavedItem& s) {
       s.item.outcome = outcome(in);
       s.has_outcome = true;
     }},
    {"rule", [](JsonReader& in, SavedItem& s) { s.item.rule = text_or_null(in, "rule"); }},
    {"span", [](JsonReader& in, SavedItem& s) { s.item.span = span(in); }},
    {"slide", [](JsonReader& in, SavedItem& s) { s.item.slide = text_or_null(in, "slide"); }},
    {"options", [](JsonReader& in, SavedItem& s) { s.item.options = texts(in, "options"); }},
    {"votes", [](JsonReader& in, SavedItem& s) { s.item.votes = votes(in); }},
};

/// In the specification's file an error makes an item wrong, whatever its label.
Attempt only_attempt(const ItemResult& item) {
  Attempt out = {.outcome = item.predicted_label ? Outcome::scored : Outcome::unparsed};
  if (!item.error.empty()) out.outcome = Outcome::errored;
  out.answer = {item.predicted_label, item.prediction, "saved", {}};
  out.cost_usd = item.cost_usd;
  out.total_tokens = item.total_tokens;
  out.calls = 1;
  out.trajectory_file = item.trajectory_file;
  out.error = item.error;
  return out;
}

ItemResult read_item(JsonReader& in) {
  SavedItem saved;
  read_members<SavedItem>(in, item_fields, "results", saved);
  if (!saved.has_id || !saved.has_truth) in.fail("a result has no 'item_id' or no 'truth_label'");
  ItemResult& item = saved.item;
  if (!saved.has_outcome) {
    item.votes = {only_attempt(item)};
    vote_again(item);
  }
  if (item.outcome != Outcome::scored) item.predicted_label.reset();
  if (item.outcome == Outcome::scored && !item.predicted_label)
    in.fail("item '" + item.item_id.substr(0, 60) + "' is scored and has no label");
  if (item.span.second > item.prediction.size())
    in.fail("'span' ends after the end of the prediction");
  item.correct = item.predicted_label == item.truth_label;
  return std::move(item);
}

std::string member_text(const JsonObject& file, std::string_view key) {
  if (!file.has(key, JsonReader::Kind::text)) return "";
  return file.at(key).text(key);
}

stats::ClassificationMetric metric_of(const JsonObject& file, const std::string& benchmark) {
  std::string typed;
  if (file.has("metrics", JsonReader::Kind::object)) {
    JsonReader in = file.at("metrics");
    in.object("metrics", [&](std::string_view key) {
      if (key != "metric_type") return in.skip();
      typed = text_or_null(in, "metric_type");
    });
  }
  if (!typed.empty()) return value_in(stats::classification_metrics(), typed, "metric_type");
  const Task* task = find_task(benchmark);
  return task != nullptr ? task->metric : stats::ClassificationMetric::accuracy;
}

void read_config(const JsonObject& file, std::string_view text, QaResult& out) {
  if (!file.has("config", JsonReader::Kind::object)) return;
  JsonReader in = file.at("config");
  in.object("config", [&](std::string_view key) {
    std::string name(key);
    in.kind();  // positioned before the value itself
    const std::size_t begin = in.at();
    in.skip();
    out.config.emplace_back(std::move(name), std::string(text.substr(begin, in.at() - begin)));
  });
}

void require_unique(const QaResult& result, const std::string& name) {
  std::set<std::string_view> seen;
  for (const ItemResult& item : result.results)
    if (!seen.insert(item.item_id).second)
      throw Error(Error::Kind::input, name,
                  "item '" + item.item_id.substr(0, 60) + "' appears twice; ids must be unique");
}

SavedQa read_file(std::string_view text, const std::string& name) {
  const JsonObject file(text, name);
  SavedQa out = {.result = {}, .layout = QaLayout::specification, .file = name};
  if (file.has("schema")) {
    const std::string schema = file.at("schema").text("schema");
    if (schema != qa_schema)
      throw Error(Error::Kind::input, name,
                  "holds '" + schema.substr(0, 40) +
                      "', which is not a results file of question answering");
    out.layout = QaLayout::assay;
  }
  QaResult& result = out.result;
  result.run_id = member_text(file, "run_id");
  result.benchmark_name = member_text(file, "benchmark_name");
  result.model_name = member_text(file, "model_name");
  result.timestamp = member_text(file, "timestamp");
  if (file.has("unfinished", JsonReader::Kind::object)) {
    JsonReader in = file.at("unfinished");
    UnfinishedRun& unfinished = result.unfinished.emplace();
    in.object("unfinished", [&](std::string_view key) {
      (key == "done" ? unfinished.done : unfinished.expected) = count(in, key);
    });
  }
  if (result.run_id.empty()) result.run_id = std::filesystem::path(name).stem().string();
  result.metric = metric_of(file, result.benchmark_name);
  read_config(file, text, result);
  JsonReader in = file.at("results");
  in.list("results", [&] { result.results.push_back(read_item(in)); });
  require_unique(result, name);
  return out;
}

/// JSON Lines: a whole object in the first line, and no "results" in it.
bool is_runner_log(std::string_view text) {
  const std::string_view first = trimmed_end(text.substr(0, text.find('\n')));
  return first.starts_with('{') && first.ends_with('}') &&
         first.find("\"results\"") == std::string_view::npos;
}

}  // namespace

std::vector<SavedQa> parse_qa_results(std::string_view text, const std::string& name,
                                      const ItemTable* table) {
  text = without_mark(text);
  if (first_sign(text) != '{')
    throw Error(Error::Kind::input, name,
                "is not a results file of question answering (JSON, or JSON Lines)");
  if (is_runner_log(trimmed(text))) return read_authors(text, name, table);
  return {read_file(text, name)};
}

std::vector<SavedQa> read_qa_results(const std::filesystem::path& path, const ItemTable* table) {
  return parse_qa_results(read_text(path), path.string(), table);
}

}  // namespace assay::qa
