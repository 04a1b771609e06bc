// SPDX-License-Identifier: Apache-2.0
#include "cli/slurm_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ostream>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/stop_sign.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/report/text/printable.hpp"
#include "cli/progress.hpp"
#include "cli/shard_watch.hpp"
#include "cli/slurm.hpp"
#include "cli/slurm_scripts.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// The pause between two looks is short at first, then longer to spare the scheduler and the file
/// system.
constexpr double first_rest_s = 0.5, longest_rest_s = 10, growth = 1.2;

/// A file written on another machine can take this long to become visible.
constexpr std::chrono::seconds visible_after{60};

constexpr std::string_view jobs_heading = "array\tmerge\tshards\n";

std::vector<std::string> job_numbers(const Submission& s) {
  std::vector<std::string> out;
  for (const SubmittedJobs& one : s.jobs)
    for (const std::string& job : {one.array, one.merge})
      if (!job.empty()) out.push_back(job);
  return out;
}

bool is_queued(const Submission& s, const QueuedTasks& queue, std::size_t shard) {
  return std::ranges::any_of(s.jobs, [&](const SubmittedJobs& one) {
    return queue.contains(fmt::format("{}_{}", one.array, shard));
  });
}

ShardWatch watch_of(const Submission& s) {
  return {s.folder / s.out.filename(), s.plan};
}

std::string text_of_file(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown) ? read_text(path) : "";
}

class Waiter {
 public:
  Waiter(const Submission& s, const Common& common, const Session& session)
      : submission_(s),
        common_(common),
        session_(session),
        watch_(watch_of(s)),
        progress_(session.err, session.err_is_terminal && !common.quiet) {}

  Exit run() {
    for (double rest_s = first_rest_s;; rest_s = std::min(rest_s * growth, longest_rest_s)) {
      const std::optional<QueuedTasks> queue = look_at_queue();
      tell(watch_.look());
      if (queue) tell_lost(*queue);
      show();
      if (queue && !queue->contains(submission_.jobs.back().merge)) return end();
      if (!rest(rest_s)) return give_up();
    }
  }

 private:
  /// False when it was interrupted.
  bool rest(double seconds) const {
    const auto time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
    return StopSign(&session_.stop).sleep_until(std::chrono::steady_clock::now() + time);
  }

  /// Nothing while the controller does not answer, which is temporary.
  std::optional<QueuedTasks> look_at_queue() {
    try {
      std::optional<QueuedTasks> queue = queued_tasks(job_numbers(submission_));
      is_silent_ = false;
      return queue;
    } catch (const Error& e) {
      if (!is_silent_) tell({std::string("warning: ") + e.what()});
      is_silent_ = true;
      return std::nullopt;
    }
  }

  void tell(const std::vector<std::string>& news) {
    if (news.empty()) return;
    progress_.clear();
    for (const std::string& sentence : news) session_.err << report::printable(sentence) << '\n';
  }

  /// Reports shards that left the queue without a file, if two looks in a row found no file.
  void tell_lost(const QueuedTasks& queue) {
    std::set<std::size_t> lost;
    std::vector<std::string> news;
    for (const std::size_t shard : watch_.unfinished()) {
      if (is_queued(submission_, queue, shard)) continue;
      lost.insert(shard);
      if (lost_.contains(shard) && told_.insert(shard).second) news.push_back(obituary(shard));
    }
    lost_ = std::move(lost);
    tell(news);
  }

  std::string obituary(std::size_t shard) const {
    const fs::path log = submission_.folder / log_folder / shard_log(std::to_string(shard));
    const std::string text = text_of_file(log);
    const std::string_view last = parts_of(trimmed_end(text), '\n').back();
    return fmt::format("shard {} ended without writing its file; {}{}", shard, log.string(),
                       last.empty() ? " may say why" : " says: " + std::string(last));
  }

  void show() {
    const std::size_t finished = watch_.shards() - watch_.unfinished().size();
    const std::string shards = fmt::format("{} of {}", finished, counted(watch_.shards(), "shard"));
    progress_.show(watch_.done(), watch_.cases(), watch_.failed(), shards);
    if (session_.err_is_terminal) return;
    const std::string line = fmt::format(
        "{} done, {} of {} done{}\n", shards, watch_.done(), counted(watch_.cases(), "case"),
        watch_.failed() == 0 ? "" : fmt::format(", {} failed", watch_.failed()));
    if (line != last_line_) session_.notes << line << std::flush;
    last_line_ = line;
  }

  Exit give_up() {
    progress_.clear();
    session_.err << "interrupted; the jobs go on (scancel " << joined(job_numbers(submission_), " ")
                 << " ends them)\n";
    return interrupted;
  }

  std::optional<int> status() const {
    const std::string text = text_of_file(submission_.folder / merge_status);
    int status = 0;
    const bool is_number =
        std::from_chars(text.data(), text.data() + text.size(), status).ec == std::errc{};
    return is_number && text.ends_with('\n') ? std::optional(status) : std::nullopt;
  }

  /// Called when the merge job has left the queue: passes on its messages.
  Exit end() {
    constexpr double glance_s = 0.2;
    const auto until = std::chrono::steady_clock::now() + visible_after;
    while (!status() && std::chrono::steady_clock::now() < until)
      if (!rest(glance_s)) return give_up();
    progress_.clear();
    const fs::path logs = submission_.folder / log_folder;
    session_.err << text_of_file(logs / merge_errors);
    if (!status())
      throw Error(Error::Kind::io, (logs / merge_errors).string(),
                  fmt::format("the merge job {} ended without an exit status; --retry submits it "
                              "again",
                              submission_.jobs.back().merge));
    if (!common_.json && !common_.quiet) session_.out << text_of_file(logs / merge_output);
    return static_cast<Exit>(*status());
  }

  const Submission& submission_;
  const Common& common_;
  const Session& session_;
  ShardWatch watch_;
  Progress progress_;
  std::set<std::size_t> lost_{}, told_{};
  std::string last_line_{};
  bool is_silent_ = false;
};

}  // namespace

std::vector<SubmittedJobs> read_jobs(const fs::path& folder) {
  const fs::path file = folder / jobs_file;
  if (!fs::exists(file)) return {};
  const std::string text = read_text(file);
  const auto broken = [&] {
    return Error(Error::Kind::input, file.string(),
                 "is not a list of submitted jobs; remove the folder to begin again");
  };
  if (!text.starts_with(jobs_heading)) throw broken();
  std::vector<SubmittedJobs> jobs;
  for (const std::string_view line : parts_of(trimmed_end(text), '\n')) {
    const auto fields = parts_of(line, '\t');
    if (fields.size() != 3) throw broken();
    jobs.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2])});
  }
  jobs.erase(jobs.begin());  // the heading
  return jobs;
}

void write_jobs(const Submission& s) {
  std::string text(jobs_heading);
  for (const SubmittedJobs& one : s.jobs)
    text += fmt::format("{}\t{}\t{}\n", one.array, one.merge, one.shards);
  write_atomically(s.folder / jobs_file, text);
}

MissingShards find_missing(const Submission& s) {
  // The queue is read first, so that a shard that ends in between is found by its file.
  const QueuedTasks queue = queued_tasks(job_numbers(s));
  ShardWatch watch = watch_of(s);
  watch.look();
  MissingShards out;
  for (const std::size_t shard : watch.unfinished())
    if (!is_queued(s, queue, shard)) out.shards.push_back(shard);
  for (const SubmittedJobs& one : s.jobs)
    if (std::ranges::any_of(queue, [&](const auto& task) {
          return !one.array.empty() && task.first.starts_with(one.array + "_");
        }))
      out.running.push_back(one.array);
  return out;
}

Exit wait_for(const Submission& submission, const Common& common, const Session& session) {
  return Waiter(submission, common, session).run();
}

}  // namespace assay::cli
