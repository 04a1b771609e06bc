// SPDX-License-Identifier: Apache-2.0
/// Answers that are there already: of an earlier run, or from a table of predictions.
#include <algorithm>
#include <charconv>
#include <map>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/run/qa_agents.hpp"

namespace assay::qa {
namespace {

namespace fs = std::filesystem;

using Answers = std::map<AttemptKey, ModelOutcome>;

ModelReply reply(std::string text, std::optional<double> cost = {}) {
  ModelReply out;
  out.text = std::move(text);
  out.reported.charged = cost;
  out.provider = "replay";
  return out;
}

ModelFailure replay_failure(std::string message) {
  return {.kind = ModelFailure::Kind::item, .message = std::move(message)};
}

ModelOutcome outcome_of(const Attempt& attempt) {
  if (attempt.outcome == Outcome::errored) return replay_failure(attempt.error);
  ModelReply out = reply(attempt.answer.raw, attempt.cost_usd);
  if (attempt.outcome == Outcome::refused) out.kind = ModelReply::Kind::refused;
  if (attempt.outcome == Outcome::truncated) out.kind = ModelReply::Kind::truncated;
  return out;
}

void add_results(const fs::path& file, const ItemTable& table, Answers& answers) {
  for (const SavedQa& saved : read_qa_results(file, &table))
    for (const ItemResult& item : saved.result.results)
      for (const Attempt& attempt : item.votes)
        answers[{saved.result.benchmark_name, item.item_id, attempt.run}] = outcome_of(attempt);
}

unsigned run_number(const std::string& cell, const std::string& place) {
  unsigned number = 0;
  const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (cell.empty() || (end.ec == std::errc{} && end.ptr == cell.data() + cell.size()))
    return number;
  throw Error(Error::Kind::input,
              place + ": run '" + cell + "' is not a whole number of 0 or more");
}

/// Which column names the item: ours, or what people call it.
std::size_t column_of(const Csv& csv, std::initializer_list<const char*> names,
                      const std::string& file) {
  for (const char* name : names)
    if (const auto at = csv.column(name)) return *at;
  throw Error(Error::Kind::input, file,
              std::string("has no column '") + *names.begin() +
                  "'; a table of predictions has benchmark_name, benchmark_id and prediction");
}

/// Without a column for it, the benchmark of an id is the one that has it.
std::string benchmark_of(const std::string& id, const ItemTable& table, const std::string& place) {
  const Item* found = nullptr;
  for (const Item& item : table.items) {
    if (item.id != id) continue;
    if (found != nullptr)
      throw Error(Error::Kind::input,
                  std::string(place)
                      .append(": the id '")
                      .append(id)
                      .append("' is in several benchmarks; add benchmark_name"));
    found = &item;
  }
  return found == nullptr ? "" : found->benchmark;
}

void add_csv(const std::string& text, const fs::path& file, const ItemTable& table,
             Answers& answers) {
  const Csv csv = parse_csv(text, file.string());
  const std::size_t id = column_of(csv, {"benchmark_id", "item_id", "id"}, file.string());
  const std::size_t prediction =
      column_of(csv, {"prediction", "answer", "response"}, file.string());
  const auto benchmark = csv.column("benchmark_name"), run = csv.column("run");
  for (std::size_t i = 0; i < csv.rows.size(); ++i) {
    const auto& row = csv.rows[i];
    const std::string place = file.string() + ", line " + std::to_string(csv.lines[i]);
    const AttemptKey key{benchmark ? row[*benchmark] : benchmark_of(row[id], table, place), row[id],
                         run ? run_number(row[*run], place) : 0};
    if (!answers.emplace(key, reply(row[prediction])).second)
      throw Error(Error::Kind::input, place + ": a second prediction for " + row[id] +
                                          "; number them in a column run, starting at 0");
  }
}

Answers read_answers(const fs::path& source, const ItemTable& table) {
  Answers answers;
  if (fs::is_directory(source)) {
    for (const auto& entry : fs::directory_iterator(source))
      if (entry.path().filename().string().ends_with("_results.json"))
        add_results(entry.path(), table, answers);
    if (answers.empty())
      throw Error(Error::Kind::input, source.string(),
                  "holds no *_results.json with answers to replay");
    return answers;
  }
  const std::string text = read_text(source);
  const char first = first_sign(without_mark(text));
  if (first == '{' || first == '[')
    add_results(source, table, answers);
  else
    add_csv(text, source, table, answers);
  return answers;
}

class ReplayAnswerer : public Answerer {
 public:
  explicit ReplayAnswerer(std::shared_ptr<const Answers> answers) : answers_(std::move(answers)) {}

  ModelOutcome ask(const QaQuestion& question) override {
    const auto found = answers_->find({question.item.benchmark, question.item.id, question.run});
    return found != answers_->end()
               ? found->second
               : replay_failure("the predictions have no answer to this question");
  }

 private:
  std::shared_ptr<const Answers> answers_;  // one table for all workers
};

}  // namespace

std::string replayed_sha256(const fs::path& source) {
  if (!fs::is_directory(source)) return sha256(read_text(source));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source))
    if (entry.path().filename().string().ends_with("_results.json")) files.push_back(entry.path());
  std::ranges::sort(files);
  std::string all;
  for (const fs::path& file : files) all += sha256(read_text(file));
  return sha256(all);
}

QaAgent replay_agent(const fs::path& source, const ItemTable& table) {
  auto answers = std::make_shared<const Answers>(read_answers(source, table));
  return {.converses = false, .needs_slides = false, .make_answerer = [answers] {
            return std::make_unique<ReplayAnswerer>(answers);
          }};
}

}  // namespace assay::qa
