// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_run.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/trajectory.hpp"
#include "assay/qa/run/qa_attempt.hpp"
#include "assay/qa/run/qa_pictures.hpp"
#include "assay/qa/run/qa_state.hpp"

namespace assay::qa {
namespace {

namespace fs = std::filesystem;

/// An attempt that is to be made, and where its state is.
struct Work {
  const Item* item;
  const fs::path* slide;
  unsigned run;
  AttemptState* state;
};

std::vector<Work> open_work(const QaPlan& plan, const QaExecution& execution, QaState& state) {
  std::vector<Work> out;
  for (const PlannedItem& planned : plan.items) {
    const Item& item = plan.table.items[planned.index];
    if (!planned.selected || !planned.slide.problem.empty()) continue;
    for (unsigned run = 0; run < execution.runs; ++run) {
      AttemptState& attempt = state.attempts[{item.benchmark, item.id, run}];
      if (!attempt.end) out.push_back({&item, &planned.slide.path, run, &attempt});
    }
  }
  return out;
}

/// Hands out attempts in order to `concurrency` threads, which mostly wait for a server.
class Workers {
 public:
  Workers(const std::vector<Work>& work, const AttemptParts& parts, const QaAgent& agent)
      : work_(work), parts_(parts), agent_(agent) {}

  void run(unsigned concurrency, const std::function<void(bool failed)>& attempt_done) {
    done_ = attempt_done;
    std::vector<std::jthread> threads;
    const std::size_t count = std::clamp<std::size_t>(work_.size(), 1, concurrency);
    threads.reserve(count);
    try {
      for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { one(); });
    } catch (const std::system_error&) {  // fewer workers do as well
      if (threads.empty()) throw Error(Error::Kind::io, "no thread can be started");
    }
    threads.clear();  // joins
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void one() try {
    const std::unique_ptr<Answerer> answerer = agent_.make_answerer();
    for (std::size_t i = 0; !parts_.stop.raised() && (i = next_.fetch_add(1)) < work_.size();) {
      const Work& work = work_[i];
      do_attempt({*work.item, work.run, *work.slide}, parts_, *answerer, *work.state);
      const std::lock_guard lock(mutex_);
      done_(work.state->end->outcome == Outcome::errored);
    }
  } catch (const RunStopping&) {  // its attempt stays open
  } catch (const Error& error) {  // the disk
    parts_.stop.raise(error.what());
  } catch (...) {
    parts_.stop.raise("an unexpected failure");
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
  }

  const std::vector<Work>& work_;
  const AttemptParts& parts_;
  const QaAgent& agent_;
  std::function<void(bool)> done_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

Attempt attempt_of(const Item& item, const AttemptState& state, ExtractionRules rules) {
  const AttemptRecord& end = *state.end;
  Attempt out{.run = end.key.run,
              .outcome = end.outcome,
              .answer = extract_label(end.prediction, item.benchmark, item.options, rules),
              .cost_usd = state.totals.calls == 0 ? std::nullopt : state.totals.cost_usd,
              .total_tokens = state.totals.tokens,
              .calls = state.totals.calls,
              .trajectory_file = end.trajectory_file,
              .error = end.error};
  if (out.outcome == Outcome::scored && !out.answer.label) out.outcome = Outcome::unparsed;
  return out;
}

/// What half-done attempts have cost is spent, though they do not vote yet.
void add_begun(ItemResult& result, const std::vector<CallTotals>& begun) {
  const bool known_before = result.votes.empty() || result.cost_usd.has_value();
  const bool counted_before = result.votes.empty() || result.total_tokens.has_value();
  for (const CallTotals& totals : begun) {
    result.cost_usd = known_before && totals.cost_usd
                          ? std::optional(result.cost_usd.value_or(0) + *totals.cost_usd)
                          : std::nullopt;
    result.total_tokens = counted_before && totals.tokens
                              ? std::optional(result.total_tokens.value_or(0) + *totals.tokens)
                              : std::nullopt;
  }
}

ItemResult result_of(const Item& item, const PlannedItem& planned, const QaExecution& execution,
                     const QaState& state) {
  std::vector<Attempt> attempts;
  std::vector<CallTotals> begun;
  for (unsigned run = 0; run < execution.runs; ++run) {
    const auto found = state.attempts.find({item.benchmark, item.id, run});
    if (found == state.attempts.end()) continue;
    if (found->second.end)
      attempts.push_back(attempt_of(item, found->second, execution.rules));
    else if (found->second.totals.calls > 0)
      begun.push_back(found->second.totals);
  }
  ItemResult result = voted_result(item, std::move(attempts));
  add_begun(result, begun);
  if (result.votes.empty() && !planned.slide.problem.empty()) {
    result.outcome = planned.slide.ambiguous ? Outcome::errored : Outcome::missing;
    result.error = planned.slide.problem;
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> config_of(const SettingsRecord& settings,
                                                           const QaExecution& execution,
                                                           const ServedModels& served) {
  auto config = settings.values;
  config.emplace_back("runs_per_item", std::to_string(execution.runs));
  Json models = Json::array();
  for (const auto& [names, count] : served)
    if (!names.first.empty() || !names.second.empty())
      models.push_back({{"model", names.first}, {"provider", names.second}});
  config.emplace_back("served_by", to_text(models, {.indent = 0}));
  return config;
}

/// "tcga_giant_openai_gpt-5": letters that file names do not like become '-'.
std::string run_id(const std::string& benchmark, const QaRunSettings& settings) {
  std::string id = benchmark + "_" + std::string(name_in(agent_modes(), settings.loop.mode)) + "_" +
                   settings.agent + "_" + settings.model.model;
  std::ranges::replace_if(
      id, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-' && c != '.'; },
      '-');
  return id;
}

std::vector<QaResult> results_of(const QaPlan& plan, const QaRunSettings& settings,
                                 const QaExecution& execution, const QaState& state) {
  const auto config = config_of(relevant_settings(settings, plan.table), execution, state.served);
  std::vector<QaResult> out;
  for (const Benchmark& benchmark : plan.table.benchmarks) {
    QaResult result{.run_id = run_id(benchmark.name, settings),
                    .benchmark_name = benchmark.name,
                    .model_name = settings.model.model,
                    .metric = benchmark.metric,
                    .config = config,
                    .results = {},
                    .timestamp = execution.timestamp};
    for (const PlannedItem& planned : plan.items) {
      const Item& item = plan.table.items[planned.index];
      if (item.benchmark == benchmark.name)
        result.results.push_back(result_of(item, planned, execution, state));
    }
    if (!result.results.empty()) out.push_back(std::move(result));
  }
  return out;
}

void refuse_unknown_spending(const QaExecution& execution, const QaState& state) {
  if (execution.budget_usd && state.unknown_costs > 0)
    throw Error(Error::Kind::input,
                "what " + std::to_string(state.unknown_costs) +
                    " earlier calls of this run cost is unknown, so a budget cannot be kept; run "
                    "without --budget-usd, or choose another --out");
}

/// Attempts that the journal has already.
std::size_t finished(const QaState& state) {
  std::size_t count = 0;
  for (const auto& [key, attempt] : state.attempts) count += attempt.end.has_value();
  return count;
}

/// What the journal and the calls of this start add up to.
QaRunReport report_of(const QaState& state, const QaCalls& calls, const StopSign& stop,
                      const Budget& budget) {
  QaRunReport report;
  report.calls = calls.made();
  report.retried = calls.retried();
  report.interrupted = stop.interrupted();
  report.stopped = stop.why();
  for (const auto& [key, attempt] : state.attempts) {
    report.spent_usd += attempt.totals.known_usd;
    report.unknown_costs += !attempt.totals.cost_usd;
    report.answered += attempt.totals.calls;
    report.begun += !attempt.end && attempt.totals.calls > 0;
  }
  report.possible_usd = budget.possible();
  report.above_reserve = state.above_reserve + calls.above_reserve();
  report.largest_excess_usd = budget.largest_excess();
  return report;
}

OpenedRun opened(const QaPlan& plan, const QaRunSettings& settings, const QaExecution& execution) {
  const SettingsRecord relevant = relevant_settings(settings, plan.table);
  OpenedRun run = opened_run(execution.folder / "run.journal", relevant,
                             {.settings_sha256 = sha256(qa_record_text(relevant)),
                              .inputs_sha256 = plan.table.sha256,
                              .version = execution.version},
                             execution.retry_errors);
  refuse_unknown_spending(execution, run.state);
  return run;
}

}  // namespace

QaRunReport run_qa(const QaPlan& plan, const QaAgent& agent, const QaRunSettings& settings,
                   const QaExecution& execution) {
  const fs::path trajectories = execution.folder / "trajectories";
  make_folder(trajectories);
  auto [journal, state, resumed] = opened(plan, settings, execution);
  StopSign stop(execution.stop);
  std::mutex told;  // one message at a time
  Budget budget(execution.budget_usd, {.spent_usd = state.spent_usd,
                                       .possible_usd = std::max(0.0, state.possible_usd),
                                       .largest_excess_usd = state.largest_excess_usd});
  RateLimit limit(execution.requests_per_minute, execution.tokens_per_minute);
  JournalWriter writer(std::move(journal), std::chrono::milliseconds(0));
  QaCalls calls(
      {.journal = writer,
       .budget = budget,
       .limit = limit,
       .stop = stop,
       .prices = execution.prices.find(settings.model.model),
       .most_output_tokens =
           std::max(settings.model.max_output_tokens, execution.most_output_tokens),
       .extra_input_tokens = static_cast<std::int64_t>(settings.model.request_json.size()),
       .gives_up = agent.converses,
       .retry = execution.retry,
       .hopeless = std::max(3U, execution.concurrency),
       .warn = [&](const std::string& sentence) {
         const std::lock_guard lock(told);
         if (execution.warn) execution.warn(sentence);
       }});
  PictureShelf shelf(execution.folder / "crops", settings.jpeg_quality);
  const AttemptParts parts{.loop = settings.loop,
                           .converses = agent.converses,
                           .calls = calls,
                           .shelf = shelf,
                           .stop = stop,
                           .trajectories = trajectories};

  const std::vector<Work> work = open_work(plan, execution, state);
  const std::size_t replayed = finished(state);
  std::size_t made = replayed;
  const auto attempt_done = [&](bool failed) {
    const std::lock_guard lock(told);
    ++made;
    if (execution.progress) execution.progress(made, replayed + work.size(), failed);
  };
  if (!work.empty()) Workers(work, parts, agent).run(execution.concurrency, attempt_done);
  writer.finish();
  for (const auto& [names, count] : calls.served()) state.served[names] += count;

  QaRunReport report = report_of(state, calls, stop, budget);
  report.results = results_of(plan, settings, execution, state);
  report.replayed = replayed;
  report.resumed = resumed;
  return report;
}

}  // namespace assay::qa
