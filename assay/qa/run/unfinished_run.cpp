// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/unfinished_run.hpp"

#include <algorithm>
#include <set>

#include "assay/base/journal_follower.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_run.hpp"
#include "assay/qa/run/qa_state.hpp"

namespace assay::qa {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> results_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().ends_with("_results.json")) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

/// The last start that a journal has, and whether it came to its end.
struct LastStart {
  std::optional<StartEvent> start{};
  bool ended = false;
};

LastStart last_start(const fs::path& journal) {
  constexpr std::string_view start_or_stop = R"({"kind":"event","event":"st)";  // start, stop
  LastStart out;
  JournalFollower(journal).read([&](std::string_view text) {
    if (!text.starts_with(start_or_stop)) return;
    const QaRecord record = parse_qa_record(text);
    const auto& event = std::get<QaEvent>(record);
    if (const auto* start = std::get_if<StartEvent>(&event)) out = {*start, false};
    out.ended = out.ended || std::holds_alternative<StopEvent>(event);
  });
  return out;
}

/// The benchmarks that the last start was about.
std::set<std::string> benchmarks_of(const QaPlan& plan) {
  std::set<std::string> out;
  for (const PlannedItem& planned : plan.items)
    out.insert(plan.table.items[planned.index].benchmark);
  return out;
}

/// Whether the last start has written the results of these benchmarks. If not, its journal has them
/// all, and the files that are about them are dropped.
bool has_results(std::vector<fs::path>& files, const LastStart& last,
                 const std::set<std::string>& benchmarks) {
  std::set<std::string> left = benchmarks;
  std::vector<fs::path> others;
  for (const fs::path& file : files) {
    const QaResult result = std::move(read_qa_results(file).front().result);
    if (!benchmarks.contains(result.benchmark_name))
      others.push_back(file);
    else if (last.ended && result.timestamp == last.start->timestamp)
      left.erase(result.benchmark_name);
  }
  if (!left.empty()) files = others;
  return left.empty();
}

/// The plan that the run has recorded, or all questions of the table.
QaPlan plan_of(const fs::path& journal, const ItemTable* table) {
  if (auto plan = read_questions(journal.parent_path())) return std::move(*plan);
  if (table != nullptr) return planned_run(*table, {}, nullptr);
  throw Error(Error::Kind::input,
              journal.string() +
                  ": the run is unfinished and has no list of its questions, because it was begun "
                  "by version 0.1; give the questions with --table");
}

/// A journal, replayed.
struct JournalReading {
  SettingsRecord settings;
  StartEvent start;
  QaState state;
  unsigned runs = 1;
};

JournalReading read_state(const fs::path& journal) {
  JournalReading out;
  JournalFollower follower(journal);
  follower.read([&](std::string_view text) {
    QaRecord record = parse_qa_record(text);
    if (auto* settings = std::get_if<SettingsRecord>(&record)) {
      out.settings = std::move(*settings);
    } else if (const auto* event = std::get_if<QaEvent>(&record)) {
      if (const auto* start = std::get_if<StartEvent>(event)) out.start = *start;
    } else if (const auto* attempt = std::get_if<AttemptRecord>(&record)) {
      out.runs = std::max(out.runs, attempt->key.run + 1);
    }
    out.state.take(std::move(record), {});
  });
  if (!follower.damaged_lines().empty())
    throw Error(Error::Kind::input,
                journal.string() + ": line " + std::to_string(follower.damaged_lines().front()) +
                    " is damaged; 'assay qa salvage " + journal.parent_path().string() +
                    "' keeps every intact record");
  if (out.state.attempts.empty())
    throw Error(Error::Kind::input, journal.string() + ": no question has been answered yet");
  out.runs = std::max(out.runs, out.start.runs);
  return out;
}

ExtractionRules rules_of(const StartEvent& start) {
  const auto row =
      std::ranges::find(extraction_rules(), start.rules, &Named<ExtractionRules>::name);
  return row == extraction_rules().end() ? ExtractionRules::assay : row->value;
}

UnfinishedRun progress_of(const std::string& benchmark, const QaPlan& plan,
                          const JournalReading& reading) {
  UnfinishedRun out;
  for (const PlannedItem& planned : plan.items) {
    const Item& item = plan.table.items[planned.index];
    if (item.benchmark != benchmark || !planned.selected || !planned.slide.problem.empty())
      continue;
    ++out.expected;
    bool done = true;
    for (unsigned run = 0; run < reading.runs; ++run) {
      const auto found = reading.state.attempts.find({item.benchmark, item.id, run});
      done = done && found != reading.state.attempts.end() && found->second.end;
    }
    out.done += done ? 1U : 0U;
  }
  return out;
}

/// Whether a file is the journal of a run, by its name.
bool is_run_journal(const fs::path& path) {
  return path.filename() == journal_file;
}

/// Where the results of a run's folder are: its results files, sorted. If the last start has not
/// written its results, its journal takes the place of those that are missing or older.
std::vector<fs::path> files_of_run(const fs::path& folder) {
  const fs::path journal = folder / journal_file;
  std::vector<fs::path> files = results_in(folder);
  const bool has_journal = fs::exists(journal);
  if (files.empty() && !has_journal)
    throw Error(Error::Kind::input,
                folder.string() + ": has no *_results.json; 'assay qa run' writes them");
  if (!has_journal) return files;
  const LastStart last = last_start(journal);
  const auto plan = last.start ? read_questions(folder) : std::nullopt;
  const bool whole = plan ? has_results(files, last, benchmarks_of(*plan)) : !files.empty();
  if (!whole) files.push_back(journal);
  return files;
}

}  // namespace

std::vector<SavedQa> read_unfinished_run(const fs::path& journal, const ItemTable* table) {
  JournalReading reading = read_state(journal);
  const QaPlan plan = plan_of(journal, table);
  QaExecution execution;
  execution.runs = reading.runs;
  execution.rules = rules_of(reading.start);
  execution.timestamp = reading.start.timestamp;
  std::vector<SavedQa> out;
  for (QaResult& result : run_results(plan, reading.settings, execution, reading.state)) {
    result.unfinished = progress_of(result.benchmark_name, plan, reading);
    out.push_back(
        {.result = std::move(result), .layout = QaLayout::assay, .file = journal.string()});
  }
  return out;
}

// Runs of question answering as people name them: folders and files.

std::vector<fs::path> qa_files(const std::vector<std::string>& words) {
  std::vector<fs::path> out;
  for (const std::string& word : words) {
    if (!fs::is_directory(word)) {
      out.emplace_back(word);
      continue;
    }
    const auto found = files_of_run(word);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

std::vector<SavedQa> read_qa_runs(const std::vector<std::string>& words, const ItemTable* table) {
  std::vector<SavedQa> out;
  for (const fs::path& file : qa_files(words))
    for (SavedQa& saved :
         is_run_journal(file) ? read_unfinished_run(file, table) : read_qa_results(file, table))
      out.push_back(std::move(saved));
  return out;
}

}  // namespace assay::qa
