// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_run.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "assay/base/ascii.hpp"
#include "assay/base/json.hpp"
#include "assay/base/own_threads.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/trajectory.hpp"
#include "assay/qa/run/qa_attempt.hpp"
#include "assay/qa/run/qa_pictures.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_settings.hpp"
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
  Workers(const std::vector<Work>& work, const AttemptParts& parts, const QaAgent& agent,
          FirstAnswers& first_answers)
      : work_(work), parts_(parts), agent_(agent), first_answers_(first_answers) {}

  void run(const QaExecution& execution, const std::function<void(bool failed)>& attempt_done) {
    if (work_.empty()) return;
    done_ = attempt_done;
    const std::size_t count = std::min<std::size_t>(work_.size(), execution.concurrency);
    on_own_threads(
        count, [this] { one(); }, execution.slower);
  }

 private:
  void one() try {
    const std::unique_ptr<Answerer> answerer = agent_.make_answerer();
    for (std::size_t i = 0; !parts_.stop.raised() && (i = next_.fetch_add(1)) < work_.size();) {
      const Work& work = work_[i];
      do_attempt({*work.item, work.run, *work.slide}, parts_, *answerer, *work.state);
      if (const std::string why = first_answers_.take(*work.state->end); !why.empty())
        parts_.stop.raise(why);
      const std::lock_guard lock(mutex_);
      done_(work.state->end->outcome == Outcome::errored);
    }
  } catch (const RunStopping&) {  // its attempt stays open
  } catch (const Error& error) {  // the disk
    parts_.stop.raise(error.what());
  } catch (...) {
    parts_.stop.raise("an unexpected failure");
    throw;
  }

  const std::vector<Work>& work_;
  const AttemptParts& parts_;
  const QaAgent& agent_;
  FirstAnswers& first_answers_;
  std::function<void(bool)> done_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
};

Attempt attempt_of(const Item& item, const AttemptState& state, ExtractionRules rules) {
  const AttemptRecord& end = *state.last_end();
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
    result.total_tokens =
        counted_before && totals.tokens
            ? std::optional(capped_sum(result.total_tokens.value_or(0), *totals.tokens))
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
    if (found->second.last_end() != nullptr)
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
                                                           const QaState& state) {
  auto config = settings.values;
  config.emplace_back("runs_per_item", std::to_string(execution.runs));
  Json models = Json::array();
  for (const auto& [names, count] : state.served)
    if (!names.first.empty() || !names.second.empty())
      models.push_back({{"model", names.first}, {"provider", names.second}});
  config.emplace_back("served_by", to_text(models, {.indent = 0}));
  Json asked = Json::array();
  for (const auto& [text, count] : state.asked_with) {
    Json with = parse_json(text, "asked_with");
    with["calls"] = count;
    asked.push_back(std::move(with));
  }
  config.emplace_back("asked_with", to_text(asked, {.indent = 0}));
  return config;
}

/// A setting that is a text.
std::string text_setting(const SettingsRecord& settings, std::string_view name) {
  for (const auto& [key, value] : settings.values)
    if (key == name) return text_of(parse_json(value, name));
  return "";
}

/// "tcga_giant_openai_gpt-5": letters that file names do not like become '-'.
std::string run_id(const std::string& benchmark, const SettingsRecord& settings) {
  std::string id = benchmark;
  for (const char* name : {"mode", "agent", "model"}) id += "_" + text_setting(settings, name);
  std::ranges::replace_if(
      id, [](char c) { return !is_ascii_word(c) && c != '_' && c != '-' && c != '.'; }, '-');
  return id;
}

}  // namespace

std::vector<QaResult> run_results(const QaPlan& plan, const SettingsRecord& settings,
                                  const QaExecution& execution, const QaState& state) {
  const auto config = config_of(settings, execution, state);
  std::vector<QaResult> out;
  for (const Benchmark& benchmark : plan.table.benchmarks) {
    QaResult result{.run_id = run_id(benchmark.name, settings),
                    .benchmark_name = benchmark.name,
                    .model_name = text_setting(settings, "model"),
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

namespace {

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
    report.begun += attempt.begun();
  }
  report.possible_usd = budget.possible();
  report.above_reserve = state.above_reserve + calls.above_reserve();
  report.largest_excess_usd = budget.largest_excess();
  return report;
}

/// The attempts of the chosen questions that came to an end which was asked for again. The rules in
/// force say which answers cannot be read.
AskAgain again_of(const QaPlan& plan, const QaExecution& execution) {
  if (execution.ask_again.empty()) return {};
  std::map<std::pair<std::string, std::string>, const Item*> chosen;
  for (const PlannedItem& planned : plan.items) {
    const Item& item = plan.table.items[planned.index];
    if (planned.selected && planned.slide.problem.empty())
      chosen.emplace(std::pair(item.benchmark, item.id), &item);
  }
  return [&execution, chosen = std::move(chosen)](const AttemptRecord& record) {
    const auto found = chosen.find({record.key.benchmark, record.key.item});
    if (found == chosen.end() || record.key.run >= execution.runs) return false;
    const Item& item = *found->second;
    const bool unread =
        record.outcome == Outcome::scored &&
        !extract_label(record.prediction, item.benchmark, item.options, execution.rules).label;
    const Outcome outcome = unread ? Outcome::unparsed : record.outcome;
    return std::ranges::find(execution.ask_again, outcome) != execution.ask_again.end();
  };
}

auto most_output_tokens(const QaRunSettings& settings, const QaExecution& execution) {
  return std::max(settings.model.max_output_tokens, execution.most_output_tokens);
}

/// Once a question has been answered, settings and server are known to work; what is asked again
/// was asked with others.
FirstAnswers::Settings watch_of(const QaAgent& agent, const QaRunSettings& settings,
                                const QaExecution& execution, const QaState& state,
                                std::size_t attempts) {
  constexpr std::size_t enough = 8;
  const bool proven =
      execution.ask_again.empty() && std::ranges::any_of(state.attempts, [](const auto& each) {
        return each.second.end && FirstAnswers::useful(*each.second.end);
      });
  return {.watches = agent.converses && !execution.keep_going && !proven,
          .attempts = std::min(enough, attempts),
          .api = settings.api,
          .max_output_tokens = most_output_tokens(settings, execution)};
}

OpenedRun opened(const QaPlan& plan, const SettingsRecord& relevant, const QaExecution& execution) {
  OpenedRun run = opened_run(execution.folder / journal_file, relevant,
                             {.settings_sha256 = sha256(qa_record_text(relevant)),
                              .inputs_sha256 = plan.table.sha256,
                              .version = execution.version},
                             again_of(plan, execution));
  refuse_unknown_spending(execution, run.state);
  return run;
}

Budget budget_of(const QaExecution& execution, const QaState& state) {
  return {execution.budget_usd,
          {.spent_usd = state.spent_usd,
           .possible_usd = std::max(0.0, state.possible_usd),
           .largest_excess_usd = state.largest_excess_usd}};
}

/// Says how far the run is, and what should not wait for its end: one message at a time.
class Teller {
 public:
  explicit Teller(const QaExecution& execution) : execution_(execution) {}

  void begin(const QaCalls& calls, const Budget& budget, const QaProgress& progress) {
    calls_ = &calls;
    budget_ = &budget;
    progress_ = progress;
    progress_.budget_usd = execution_.budget_usd;
  }

  const QaProgress& progress() const { return progress_; }

  void warn(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    if (execution_.warn) execution_.warn(sentence);
  }

  /// Why nothing goes on; "" when it does again.
  void waiting(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (execution_.waiting) execution_.waiting(why);
  }

  /// Some time has passed.
  void tell() {
    const std::lock_guard lock(mutex_);
    say();
  }

  /// An attempt has ended.
  void ended(bool failed) {
    const std::lock_guard lock(mutex_);
    ++progress_.done;
    progress_.failed += failed ? 1U : 0U;
    say();
  }

 private:
  void say() {
    progress_.calls = calls_->made();
    progress_.retried = calls_->retried();
    progress_.spent_usd = budget_->spent();
    if (execution_.progress) execution_.progress(progress_);
  }

  const QaExecution& execution_;
  const QaCalls* calls_ = nullptr;
  const Budget* budget_ = nullptr;
  QaProgress progress_{};
  std::mutex mutex_;
};

/// The calls of this start.
void add_calls(QaState& state, const QaCalls& calls, const std::string& with) {
  for (const auto& [names, count] : calls.served()) {
    state.served[names] += count;
    if (!with.empty()) state.asked_with[with] += count;
  }
}

StartEvent start_event(const SettingsRecord& settings, const QaExecution& execution,
                       const QaProgress& progress) {
  return {.timestamp = execution.timestamp,
          .rules = std::string(name_in(extraction_rules(), execution.rules)),
          .runs = execution.runs,
          .attempts = progress.total,
          .done = progress.done,
          .budget_usd = execution.budget_usd,
          .settings = settings};
}

}  // namespace

QaRunReport run_qa(const QaPlan& plan, const QaAgent& agent, const QaRunSettings& settings,
                   const QaExecution& execution) {
  const fs::path trajectories = execution.folder / "trajectories";
  make_folder(trajectories);
  const SettingsRecord relevant = relevant_settings(settings, plan.table);
  auto [journal, state, resumed] = opened(plan, relevant, execution);
  if (!agent.converses) state.asked_with.clear();
  StopSign stop(execution.stop);
  Teller teller(execution);
  RunPulse* alive = nullptr;
  Budget budget = budget_of(execution, state);
  RateLimit limit(execution.requests_per_minute, execution.tokens_per_minute);
  JournalWriter writer(std::move(journal), std::chrono::milliseconds(0));
  const std::vector<Work> work = open_work(plan, execution, state);
  FirstAnswers first_answers(watch_of(agent, settings, execution, state, work.size()));
  const Prices* prices = execution.prices.find(settings.model.model);
  const std::string with = agent.converses ? asked_with(relevant, prices) : "";
  QaCalls calls(
      {.journal = writer,
       .budget = budget,
       .limit = limit,
       .stop = stop,
       .first_answers = first_answers,
       .prices = prices,
       .most_output_tokens = most_output_tokens(settings, execution),
       .extra_input_tokens = static_cast<std::int64_t>(settings.model.request_json.size()),
       .gives_up = agent.converses,
       .retry = execution.retry,
       .hopeless = std::max(3U, execution.concurrency),
       .asked_with = with,
       .warn = [&](const std::string& sentence) { teller.warn(sentence); },
       .waiting = [&](const std::string& why) { teller.waiting(why); },
       .waits = [&](double wait_s, int status) { alive->waits(wait_s, status); }});
  PictureShelf shelf(execution.folder / "crops", settings.jpeg_quality);
  const AttemptParts parts{.loop = settings.loop,
                           .converses = agent.converses,
                           .calls = calls,
                           .shelf = shelf,
                           .stop = stop,
                           .trajectories = trajectories};
  const std::size_t replayed = finished(state);
  teller.begin(calls, budget, {.done = replayed, .total = replayed + work.size()});
  write_questions(execution.folder, plan);
  RunPulse pulse({writer, stop, execution.now, [&] { teller.tell(); }},
                 start_event(relevant, execution, teller.progress()));
  alive = &pulse;
  Workers(work, parts, agent, first_answers).run(execution, [&](bool failed) {
    teller.ended(failed);
    pulse.catch_up();
  });
  pulse.end(stop.why(), stop.interrupted());
  writer.finish();
  add_calls(state, calls, with);

  QaRunReport report = report_of(state, calls, stop, budget);
  report.results = run_results(plan, relevant, execution, state);
  report.replayed = replayed;
  report.resumed = resumed;
  return report;
}

}  // namespace assay::qa
