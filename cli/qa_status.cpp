// SPDX-License-Identifier: Apache-2.0
/// assay qa status: how far a run is, from its journal, while it runs or afterwards.
#include "assay/qa/run/qa_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <thread>

#include "assay/base/journal_follower.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_progress.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/terminal_stream.hpp"
#include "assay/report/text/text_table.hpp"
#include "cli/commands.hpp"

namespace assay::cli {
namespace qa_status_file {
namespace {

namespace fs = std::filesystem;

/// Seconds between two views, on a terminal and in a log.
constexpr double live_s = 2, log_s = 60;

/// The command line as typed.
struct Options {
  std::string folder;
  bool watch = false;
  std::optional<double> every_s;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("RUN", o.folder, "Folder of a run: the --out of qa run");
  a.flag("--watch", o.watch,
         "Repeat until the run ends: a live view on a terminal, plain lines elsewhere");
  a.option(
      "--every S", o.every_s,
      fmt::format("Seconds between updates of --watch (default: {} on a terminal, {} elsewhere)",
                  live_s, log_s));
}

/// Follows the journal of one run.
class Watcher {
 public:
  explicit Watcher(const fs::path& folder) : folder_(folder), journal_(folder / qa::journal_file) {
    if (!fs::exists(journal_))
      throw Error(
          Error::Kind::input,
          journal_.string() + ": is not there; give the folder of a run: assay qa status run");
    begin();
  }

  qa::QaStatus look() {
    // Checked before reading, so that whatever a process writes before it ends is read.
    const bool locked = is_journal_locked(journal_);
    const auto take = [&](std::string_view record) { reader_->take(record); };
    while (!follower_->read(take)) begin();
    return reader_->status({.now_s = qa::seconds_now(), .locked = locked, .host = qa::host_hash()});
  }

  const std::vector<std::size_t>& damaged() const { return follower_->damaged_lines(); }

 private:
  void begin() {
    follower_.emplace(journal_);
    reader_.emplace(qa::read_questions(folder_));
  }

  fs::path folder_, journal_;
  std::optional<JournalFollower> follower_;
  std::optional<qa::StatusReader> reader_;
};

std::string setting(const qa::QaStatus& s, std::string_view name) {
  for (const auto& [key, value] : s.settings.values)
    if (key == name) return text_of(parse_json(value, key));
  return "";
}

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string state_text(const qa::QaStatus& s) {
  const std::string since = s.started_s ? " since " + qa::utc_text(*s.started_s) : "";
  const std::string seen = s.last_seen_s ? ", last seen " + qa::utc_text(*s.last_seen_s) : "";
  const std::string ended = s.last_seen_s ? " " + qa::utc_text(*s.last_seen_s) : "";
  switch (s.state) {
    case qa::RunState::running: return "running" + since;
    case qa::RunState::killed: return "killed" + seen + "; the same command continues it";
    case qa::RunState::unknown:
      return "not running (begun by version 0.1, which recorded no times)";
    case qa::RunState::ended: break;
  }
  if (!s.stopped.empty()) return "stopped" + ended + ": " + report::printable(s.stopped);
  return (s.interrupted ? "interrupted" : "ended") + ended;
}

std::string outcome_text(const qa::BenchmarkStatus& b) {
  std::vector<std::string> parts;
  for (const auto& row : qa::outcomes())
    if (const std::size_t count = b.outcomes[static_cast<std::size_t>(row.value)];
        count > 0 && row.value != qa::Outcome::scored)
      parts.push_back(fmt::format("{} {}", count, row.name));
  return joined(parts);
}

std::string benchmark_table(const qa::QaStatus& s) {
  std::vector<std::vector<std::string>> rows;
  for (const qa::BenchmarkStatus& b : s.benchmarks) {
    const double share =
        b.questions == 0 ? 0
                         : 100.0 * static_cast<double>(b.right) / static_cast<double>(b.questions);
    rows.push_back(
        {report::printable(b.name),
         b.expected == 0 ? std::to_string(b.done) : fmt::format("{} of {}", b.done, b.expected),
         s.knows_truth ? fmt::format("{} of {}", b.right, b.questions) : "–",
         s.knows_truth && b.questions > 0 ? fmt::format("{:.1f} %", share) : "–", outcome_text(b)});
  }
  return report::text_table({{"benchmark", report::Align::left},
                             {"attempts done"},
                             {"questions right"},
                             {""},
                             {"without a label", report::Align::left}},
                            rows);
}

std::string cost_line(const qa::QaStatus& s) {
  const bool unknown = s.spent_usd == 0 && s.unknown_costs > 0;
  std::string out = "cost: " + (unknown ? "unknown" : qa::dollar_text(s.spent_usd) + " spent");
  if (!unknown && s.unknown_costs > 0)
    out += ", and " + counted(s.unknown_costs, "call") + " of unknown cost";
  if (s.in_flight > 0)
    out += fmt::format(", {} reserved for {} in flight", qa::dollar_text(s.reserved_usd),
                       counted(s.in_flight, "call"));
  constexpr double least = 5e-5;
  if (s.possible_usd >= least)
    out +=
        fmt::format(", perhaps {} more for calls that broke off", qa::dollar_text(s.possible_usd));
  if (s.projected_usd && s.done < s.expected)
    out += fmt::format(", about {} projected", qa::dollar_text(*s.projected_usd));
  if (s.budget_usd) out += fmt::format("; the budget is {}", qa::dollar_text(*s.budget_usd));
  return out + "\n";
}

std::string call_lines(const qa::QaStatus& s) {
  std::string out = fmt::format("calls: {} answered, {} failed ({} with 429), {} retried\n",
                                s.answered, s.failed, s.rate_limited, s.retries);
  if (s.calls_per_minute)
    out += fmt::format("speed: {:.1f} calls and {:.0f} tokens per minute{}\n", *s.calls_per_minute,
                       s.tokens_per_minute.value_or(0),
                       s.left_s ? ", about " + duration(*s.left_s) + " left" : "");
  if (s.waiting > 0)
    out += fmt::format("waiting: {} until {}{}\n", counted(s.waiting, "call"),
                       qa::utc_text(s.waiting_until_s.value_or(0)),
                       s.waiting_status == 0 ? "" : fmt::format(" (status {})", s.waiting_status));
  for (const auto& [kind, count] : s.call_errors)
    out += fmt::format("failed calls: {} × {}\n", count, report::printable(kind));
  for (const auto& [kind, count] : s.attempt_errors)
    out += fmt::format("failed attempts: {} × {}\n", count, report::printable(kind));
  return out;
}

std::string status_text(const qa::QaStatus& s) {
  std::string out = fmt::format("{} · {} · {}\n", report::printable(setting(s, "model")),
                                setting(s, "mode"), state_text(s));
  out += benchmark_table(s);
  out += fmt::format("attempts: {}{} done{}\n", s.done,
                     s.expected == 0 ? "" : fmt::format(" of {}", s.expected),
                     s.begun == 0 ? "" : fmt::format(", {} begun", s.begun));
  if (s.lost > 0)
    out += fmt::format("{} of the journal lost to damage; see 'assay qa salvage'\n",
                       counted(s.lost, "piece"));
  return out + cost_line(s) + call_lines(s);
}

/// The status in one line, for logs.
std::string status_line(const qa::QaStatus& s) {
  std::size_t right = 0, questions = 0;
  for (const qa::BenchmarkStatus& b : s.benchmarks) {
    right += b.right;
    questions += b.questions;
  }
  return fmt::format(
      "{}: {}, {} of {} attempts done{}, {} spent, {} failed calls{}\n",
      qa::utc_text(qa::seconds_now()), name_in(qa::run_states(), s.state), s.done, s.expected,
      s.knows_truth ? fmt::format(", {} of {} questions right", right, questions) : "",
      qa::dollar_text(s.spent_usd), s.failed,
      s.waiting_until_s ? ", waiting until " + qa::utc_text(*s.waiting_until_s) : "");
}

Json benchmark_json(const qa::BenchmarkStatus& b, bool knows_truth) {
  Json outcomes = Json::object();
  for (const auto& row : qa::outcomes())
    outcomes[std::string(row.name)] = b.outcomes[static_cast<std::size_t>(row.value)];
  return {{"benchmark_name", b.name},
          {"done", b.done},
          {"expected", b.expected == 0 ? Json() : Json(b.expected)},
          {"questions", b.questions},
          {"right", knows_truth ? Json(b.right) : Json()},
          {"outcomes", outcomes}};
}

Json cost_json(const qa::QaStatus& s) {
  return {{"spent_usd", s.spent_usd},
          {"reserved_usd", s.reserved_usd},
          {"possible_usd", s.possible_usd},
          {"projected_usd", or_null(s.projected_usd)},
          {"budget_usd", or_null(s.budget_usd)},
          {"unknown_costs", s.unknown_costs}};
}

Json status_json(const qa::QaStatus& s, const std::vector<std::size_t>& damaged) {
  Json benchmarks = Json::array();
  for (const qa::BenchmarkStatus& b : s.benchmarks)
    benchmarks.push_back(benchmark_json(b, s.knows_truth));
  return {{"schema", "assay.qa-status/1"},
          {"state", name_in(qa::run_states(), s.state)},
          {"stopped", or_null(s.stopped)},
          {"interrupted", s.interrupted},
          {"model", setting(s, "model")},
          {"mode", setting(s, "mode")},
          {"starts", s.starts},
          {"started", or_null(s.started_s)},
          {"last_seen", or_null(s.last_seen_s)},
          {"done", s.done},
          {"expected", s.expected == 0 ? Json() : Json(s.expected)},
          {"begun", s.begun},
          {"benchmarks", benchmarks},
          {"cost", cost_json(s)},
          {"calls",
           {{"answered", s.answered},
            {"failed", s.failed},
            {"rate_limited", s.rate_limited},
            {"retries", s.retries},
            {"in_flight", s.in_flight},
            {"tokens", s.tokens}}},
          {"calls_per_minute", or_null(s.calls_per_minute)},
          {"tokens_per_minute", or_null(s.tokens_per_minute)},
          {"seconds_left", or_null(s.left_s)},
          {"call_errors", s.call_errors},
          {"attempt_errors", s.attempt_errors},
          {"waiting",
           {{"calls", s.waiting},
            {"until", or_null(s.waiting_until_s)},
            {"status", s.waiting_status == 0 ? Json() : Json(s.waiting_status)}}},
          {"lost", s.lost},
          {"damaged_lines", damaged}};
}

void show(const qa::QaStatus& status, const Watcher& watcher, const Common& common,
          const Session& session) {
  session.out << (common.json ? to_text(status_json(status, watcher.damaged()),
                                        {.indent = common.verbose ? 2 : 0}) +
                                    "\n"
                              : status_text(status))
              << std::flush;
}

/// False when it was interrupted.
bool sleep(double seconds, const std::atomic<bool>& stop) {
  constexpr double glance_s = 0.05;
  for (double left = seconds; left > 0 && !stop; left -= glance_s)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, glance_s)));
  return !stop;
}

/// Shows the status until the run ends, and finally the whole view.
Exit watch(Watcher& watcher, const Options& o, const Common& common, const Session& session) {
  const bool live = session.out_is_terminal && !common.json;
  const double every_s = o.every_s.value_or(live ? live_s : log_s);
  for (;;) {
    const qa::QaStatus status = watcher.look();
    const bool running = status.state == qa::RunState::running;
    if (live) session.out << report::clear_screen;
    if (live || common.json || !running)
      show(status, watcher, common, session);
    else
      session.out << status_line(status) << std::flush;
    if (!running) return done;
    if (!sleep(every_s, session.stop)) return interrupted;
  }
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.folder.empty()) throw Error(Error::Kind::usage, "give a run: assay qa status run");
  if (o.every_s && !(*o.every_s > 0 && *o.every_s <= 86400))
    throw Error(Error::Kind::usage, "--every must be above 0 and at most 86400 seconds");
  Watcher watcher(o.folder);
  Exit status = done;
  if (o.watch)
    status = watch(watcher, o, common, session);
  else
    show(watcher.look(), watcher, common, session);
  if (watcher.damaged().empty()) return status;
  session.err << fmt::format(
      "warning: line {} of the journal is damaged{}; 'assay qa salvage {}' keeps the rest\n",
      watcher.damaged().front(),
      watcher.damaged().size() == 1 ? ""
                                    : fmt::format(" (and {} more)", watcher.damaged().size() - 1),
      report::printable(o.folder));
  return status == done ? some_failed : status;
}

constexpr Example examples[] = {
    {"assay qa status run",
     "attempts done, right so far, cost, speed and errors; the run is not disturbed"},
    {"assay qa status run --watch --every 10", "updates every 10 seconds until the run ends"},
    {"assay qa status run --json", "the same numbers for scripts"},
};

}  // namespace
}  // namespace qa_status_file

const Command qa_status_command = {
    "status", "Show the progress of a run, while it runs or afterwards",
    command<qa_status_file::declare_options, qa_status_file::run>, qa_status_file::examples,
    /*stops_in_order=*/true};

}  // namespace assay::cli
