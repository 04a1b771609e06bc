// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/qa_json.hpp"
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

}  // namespace assay::qa
