// SPDX-License-Identifier: Apache-2.0
#include "assay/score/score_cohort.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "assay/base/journal.hpp"
#include "assay/base/journal_writer.hpp"
#include "assay/base/own_threads.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/folder.hpp"
#include "assay/metrics/label_checks.hpp"
#include "assay/results.hpp"
#include "assay/results/case_record.hpp"
#include "assay/score/score_case.hpp"

namespace assay::score {
namespace {

constexpr std::chrono::milliseconds commit_interval{200};

/// Calls work(i, workspace) for i = 0, 1, ... on `jobs` workers, handing out cases in order. More
/// jobs than cores are allowed: they hide the latency of a network file system.
template <class Work>
void for_each_case(std::size_t cases, const Execution& execution, Work work) {
  const std::size_t workers = std::clamp<std::size_t>(cases, 1, execution.jobs);
  std::atomic<std::size_t> next = 0;
  const auto stopped = [&] { return execution.stop != nullptr && execution.stop->load(); };
  on_own_threads(
      workers,
      [&] {
        Workspace workspace(std::max<std::size_t>(execution.jobs / workers, 1));
        for (std::size_t i = 0; !stopped() && (i = next.fetch_add(1)) < cases;) work(i, workspace);
      },
      execution.warn);
}

/// The parts of a case, one per line. `first` is its prediction, or the image that it is made from.
std::string listed(const std::string& id, const std::string& first, const std::string& reference) {
  return id + '\n' + first + '\n' + reference + '\n';
}

JournalHeader header_of(const Cohort& cohort, const Execution& execution) {
  Sha256 listing;
  for (const CasePlan& plan : cohort.cases)
    listing.add(listed(plan.id, plan.prediction, plan.reference));
  return {.settings_sha256 = results::settings_sha256(cohort.settings),
          .inputs_sha256 = listing.hex(),
          .version = execution.version};
}

/// The header that the journal of a finished run would have.
JournalHeader header_of(const results::FinishedRun& run) {
  Sha256 listing;
  for (const results::SavedCase& one : run.file.cases)
    listing.add(listed(one.record.id,
                       one.record.image.empty() ? one.record.prediction : one.record.image,
                       one.record.reference));
  return {.settings_sha256 = run.file.provenance.settings_sha256,
          .inputs_sha256 = listing.hex(),
          .version = run.file.provenance.version};
}

/// `made` is "this journal was begun" or the like, for the message.
void refuse_foreign(const JournalHeader& found, const JournalHeader& ours,
                    const std::filesystem::path& path, const char* made) {
  const char* differs = found.settings_sha256 != ours.settings_sha256 ? "with other settings"
                        : found.inputs_sha256 != ours.inputs_sha256   ? "for other cases"
                        : found.version != ours.version ? "by another version of assay"
                                                        : nullptr;
  if (differs != nullptr)
    throw Error(Error::Kind::input, path,
                std::string(made) + " " + differs + "; run without --resume to start over");
}

metrics::CaseRecord record_in(const std::string& text, const std::filesystem::path& journal) try {
  return results::parse_record(text);
} catch (const Error& e) {
  throw Error(e.kind(), journal, e.sentence() + "; run without --resume to start over");
}

/// The records of an earlier run that are still valid. A case counts only if its files are
/// unchanged.
std::map<std::string, metrics::CaseRecord> replayed(std::vector<std::string> records,
                                                    const Cohort& cohort,
                                                    const Execution& execution) {
  std::map<std::string, metrics::CaseRecord> by_id;
  for (std::string& text : records) {
    metrics::CaseRecord record = record_in(text, execution.journal);
    by_id.insert_or_assign(record.id, std::move(record));
    std::string().swap(text);  // frees memory, so that a large journal is not held twice
  }
  std::vector<char> is_true(cohort.cases.size(), 0);
  each_on_own_threads(cohort.cases.size(), execution.jobs, [&](std::size_t i) {
    const CasePlan& plan = cohort.cases[i];
    const auto found = by_id.find(plan.id);
    if (found == by_id.end()) return;
    metrics::CaseRecord& record = found->second;
    record.groups = plan.groups;  // not measured, and the manifest may have been corrected since
    const bool scored = record.fate == metrics::Fate::scored && plan.fate == metrics::Fate::scored;
    // A case that failed or is incomplete is scored again, since its file may have been repaired.
    const bool complete = !execution.is_complete || execution.is_complete(plan);
    // So is a case in which one of the user's own metrics failed, since what it needs may be there
    // now.
    const bool measured = metrics::failed_own_values(record) == 0;
    is_true[i] = scored && complete && measured && has_hashes(record, plan) ? 1 : 0;
  });
  for (std::size_t i = 0; i < is_true.size(); ++i)
    if (is_true[i] == 0) by_id.erase(cohort.cases[i].id);
  return by_id;
}

/// Cases that wait for a model are abandoned when the run is stopped. They have not failed.
bool is_given_up(const CasePlan& plan, const metrics::CaseRecord& record,
                 const Execution& execution) {
  return execution.waits && execution.stop != nullptr && *execution.stop &&
         plan.fate == metrics::Fate::scored && record.fate != metrics::Fate::scored;
}

struct Opened {
  std::optional<Journal> journal;
  std::map<std::string, metrics::CaseRecord> done;
};

Opened open_journal(const Cohort& cohort, const Execution& execution) {
  if (execution.journal.empty()) return {};
  const JournalHeader header = header_of(cohort, execution);
  if (execution.resume) {
    if (auto content = read_journal(execution.journal)) {
      refuse_foreign(content->header, header, execution.journal, "this journal was begun");
      return {Journal::resume(execution.journal, *content),
              replayed(std::move(content->records), cohort, execution)};
    }
  }
  return {Journal::create(execution.journal, header), {}};
}

}  // namespace

bool is_current(const metrics::CaseRecord& record, const CasePlan& plan,
                const Execution& execution) {
  return record.fate == metrics::Fate::scored && plan.fate == metrics::Fate::scored &&
         record.groups == plan.groups && metrics::failed_own_values(record) == 0 &&
         (!execution.is_complete || execution.is_complete(plan)) && has_hashes(record, plan);
}

std::optional<results::FinishedRun> find_finished_cohort(const Cohort& cohort,
                                                         const Execution& execution,
                                                         const std::filesystem::path& results) {
  auto run = results::read_finished_run(results);
  if (!run || !run->file.ledger->is_complete()) return std::nullopt;
  const JournalHeader found = header_of(*run), ours = header_of(cohort, execution);
  if (found != ours && read_journal(execution.journal)) return std::nullopt;  // the journal decides
  refuse_foreign(found, ours, results, "these results were made");
  if (run->file.model_name != cohort.settings.model_name ||
      run->file.cases.size() != cohort.cases.size())
    return std::nullopt;
  std::atomic<bool> all_are = true;
  each_on_own_threads(cohort.cases.size(), execution.jobs, [&](std::size_t i) {
    if (all_are && !is_current(run->file.cases[i].record, cohort.cases[i], execution))
      all_are = false;
  });
  return all_are ? std::move(run) : std::nullopt;
}

CohortRecords score_cases(const Cohort& cohort, const Execution& execution) {
  Opened opened = open_journal(cohort, execution);
  if (opened.journal && !opened.journal->is_locked() && execution.warn)
    execution.warn(execution.journal.string() +
                   ": this file system refuses locks, so nothing keeps a second process from "
                   "writing the same journal; start this run only once");
  std::optional<JournalWriter> writer;
  if (opened.journal) writer.emplace(std::move(*opened.journal), commit_interval);

  const std::size_t total = cohort.cases.size();
  metrics::CaseRecords slots(total);
  std::vector<char> is_there(total, 0);
  std::mutex mutex;
  std::size_t done = 0;
  for_each_case(total, execution, [&](std::size_t i, Workspace& workspace) {
    const CasePlan& plan = cohort.cases[i];
    const auto before = opened.done.find(plan.id);
    const bool fresh = before == opened.done.end();
    slots[i] = !fresh             ? std::move(before->second)
               : execution.scorer ? execution.scorer(plan, workspace)
                                  : score_case(plan, cohort.settings, workspace);
    if (is_given_up(plan, slots[i], execution)) return;
    if (writer && fresh) writer->add(results::record_text(slots[i]));
    is_there[i] = 1;
    const std::lock_guard lock(mutex);
    ++done;
    if (execution.progress) execution.progress(done, total, slots[i]);
  });
  if (writer) writer->finish();

  CohortRecords out = {.records = {}, .replayed = opened.done.size(), .interrupted = done < total};
  if (!out.interrupted)
    out.records = std::move(slots);
  else
    for (std::size_t i = 0; i < total; ++i)
      if (is_there[i] != 0) out.records.push_back(std::move(slots[i]));
  return out;
}

std::string why_worthless(const metrics::SegmentationResult& result, const Cohort& cohort) {
  if (cohort.settings.missing == metrics::Missing::error && !result.ledger.is_complete())
    return "not every case could be scored, and --missing error was asked for";
  if (result.ledger.scored == 0) return "no case could be scored";
  const std::vector<metrics::Region> absent = cohort.labels_were_asked_for
                                                  ? metrics::absent_regions(result)
                                                  : std::vector<metrics::Region>();
  return absent.empty() ? "" : metrics::absence(absent, metrics::occurring_labels(result));
}

metrics::SegmentationResult result_of(const Cohort& cohort, metrics::CaseRecords records) {
  metrics::SegmentationResult result = metrics::scored(cohort.settings, std::move(records));
  if (const std::string why = why_worthless(result, cohort); !why.empty())
    throw Error(Error::Kind::input, why);
  result.warnings.insert(result.warnings.begin(), cohort.warnings.begin(), cohort.warnings.end());
  const std::vector<std::string> own = metrics::own_failure_sentences(result);
  result.warnings.insert(result.warnings.end(), own.begin(), own.end());
  return result;
}

metrics::SegmentationResult score_cohort(const Cohort& cohort, const Execution& execution) {
  CohortRecords run = score_cases(cohort, execution);
  if (run.interrupted)
    throw Error(Error::Kind::io, "stopped after " + std::to_string(run.records.size()) + " of " +
                                     counted(cohort.cases.size(), "case"));
  return result_of(cohort, std::move(run.records));
}

metrics::SegmentationResult score_files(const std::filesystem::path& prediction,
                                        const std::filesystem::path& reference,
                                        const metrics::ScoreSettings& settings) {
  for (const std::filesystem::path& path : {prediction, reference})
    if (is_cohort_folder(path))
      throw Error(Error::Kind::usage, path.string() + ": is a folder; score_cohort scores folders");
  const Cohort cohort = plan_cohort({.prediction = prediction, .reference = reference}, settings);
  Workspace workspace;
  metrics::CaseRecord record = score_case(cohort.cases.front(), cohort.settings, workspace);
  if (record.fate != metrics::Fate::scored) throw Error(Error::Kind::input, record.error);
  metrics::CaseRecords records;
  records.push_back(std::move(record));
  return metrics::scored(cohort.settings, std::move(records));
}

}  // namespace assay::score
