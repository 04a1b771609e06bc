// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_status.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/qa_journal.hpp"

namespace assay::qa {
namespace {

constexpr double window_s = 300;  // over which speed is measured

constexpr Named<RunState> run_state_rows[] = {{"running", RunState::running},
                                              {"ended", RunState::ended},
                                              {"killed", RunState::killed},
                                              {"unknown", RunState::unknown}};

/// Apart from each other by a byte that no name has.
std::string question_key(std::string_view benchmark, std::string_view item) {
  std::string out(benchmark);
  out += '\0';
  out.append(item);
  return out;
}

/// The part of a message that says what kind of error it is: figures and quotes follow it.
std::string error_kind(std::string_view message) {
  constexpr std::size_t most = 80;
  const std::size_t end = std::min(message.find_first_of(":;\""), message.find(" (tried "));
  return std::string(beginning(trimmed(message.substr(0, std::min(end, message.size()))), most));
}

bool starts_as(std::string_view record, std::string_view kind) {
  constexpr std::string_view before = R"({"kind":")";
  return record.starts_with(before) && record.substr(before.size()).starts_with(kind) &&
         record.substr(before.size() + kind.size()).starts_with('"');
}

std::int64_t count_in(JsonReader& in, std::string_view what) {
  constexpr double most = 1e15;  // whole in a double, and more than anything here is counted to
  const double number = in.number(what).value_or(0);
  if (!(std::abs(number) <= most)) in.fail(std::string(what) + " is no count");
  return static_cast<std::int64_t>(number);
}

}  // namespace

/// The members of a `sent`, `call` or `attempt` that matter here. The texts of replies are most of
/// a journal; they are passed over.
struct StatusReader::CallFacts {
  std::string benchmark, item;
  unsigned run = 0;
  Place place{};
  double worst_usd = 0, possible_usd = 0;
  bool charged = false, has_reply = false;
  std::optional<double> cost_usd{};
  std::int64_t tokens = 0;
  std::string failure{}, outcome{}, prediction{}, error{};

  explicit CallFacts(std::string_view record) {
    JsonReader in(record, "journal");
    in.object("record", [&](std::string_view key) {
      if (key == "benchmark")
        benchmark = in.text(key);
      else if (key == "item")
        item = in.text(key);
      else if (key == "run")
        run = static_cast<unsigned>(count_in(in, key));
      else
        take_rest(in, key);
    });
    in.end();
  }

 private:
  struct Field {
    std::string_view key;
    void (*read)(JsonReader& in, CallFacts& facts);
  };
  static const std::array<Field, 12> fields;

  void take_rest(JsonReader& in, std::string_view key) {
    const auto* const field = std::ranges::find(fields, key, &Field::key);
    if (field == fields.end()) return in.skip();
    field->read(in, *this);
  }

  /// Reasoning is part of the output.
  static void read_usage(JsonReader& in, CallFacts& facts) {
    in.object("usage", [&](std::string_view key) {
      const std::int64_t count = count_in(in, key);
      if (key != "reasoning") facts.tokens = capped_sum(facts.tokens, count);
    });
  }
};

const std::array<StatusReader::CallFacts::Field, 12> StatusReader::CallFacts::fields = {{
    {"step", [](JsonReader& in, CallFacts& f) { f.place.step = count_in(in, "step"); }},
    {"try", [](JsonReader& in, CallFacts& f) { f.place.attempt = count_in(in, "try"); }},
    {"worst_usd",
     [](JsonReader& in, CallFacts& f) { f.worst_usd = in.number("worst_usd").value_or(0); }},
    {"possible_usd",
     [](JsonReader& in, CallFacts& f) { f.possible_usd = in.number("possible_usd").value_or(0); }},
    {"perhaps_charged", [](JsonReader& in, CallFacts& f) { f.charged = in.boolean(); }},
    {"cost_usd", [](JsonReader& in, CallFacts& f) { f.cost_usd = in.number("cost_usd"); }},
    {"usage", [](JsonReader& in, CallFacts& f) { read_usage(in, f); }},
    {"reply",
     [](JsonReader& in, CallFacts& f) {
       f.has_reply = true;
       in.skip();
     }},
    {"failure", [](JsonReader& in, CallFacts& f) { f.failure = in.text("failure"); }},
    {"outcome", [](JsonReader& in, CallFacts& f) { f.outcome = in.text("outcome"); }},
    {"prediction", [](JsonReader& in, CallFacts& f) { f.prediction = in.text("prediction"); }},
    {"error", [](JsonReader& in, CallFacts& f) { f.error = in.text("error"); }},
}};

std::span<const Named<RunState>> run_states() {
  return run_state_rows;
}

StatusReader::StatusReader(std::optional<QaPlan> plan) : plan_(std::move(plan)) {
  if (!plan_) return;
  for (std::size_t i = 0; i < plan_->items.size(); ++i) {
    const Item& item = plan_->table.items[plan_->items[i].index];
    questions_.emplace(question_key(item.benchmark, item.id), i);
    benchmark_of(item.benchmark);
  }
}

void StatusReader::take(std::string_view record) {
  if (starts_as(record, "call")) return take_call(record);
  if (starts_as(record, "sent")) return take_sent(record);
  if (starts_as(record, "attempt")) return take_attempt(record);
  if (starts_as(record, "event")) return take_event(record);
  if (auto parsed = parse_qa_record(record); auto* settings = std::get_if<SettingsRecord>(&parsed))
    sums_.settings = std::move(*settings);
}

std::size_t StatusReader::benchmark_of(const std::string& name) {
  const auto found = std::ranges::find(benchmarks_, name, &BenchmarkStatus::name);
  if (found != benchmarks_.end()) return static_cast<std::size_t>(found - benchmarks_.begin());
  benchmarks_.push_back({.name = name});
  return benchmarks_.size() - 1;
}

StatusReader::Seen& StatusReader::seen_of(const CallFacts& facts) {
  std::string key = question_key(facts.benchmark, facts.item);
  const std::size_t question = key.size();
  key += '\0';
  key += std::to_string(facts.run);
  const auto [place, is_new] = attempts_.try_emplace(key);
  Seen& seen = place->second;
  if (!is_new) return seen;
  seen.run = facts.run;
  seen.benchmark = benchmark_of(facts.benchmark);
  if (const auto of = questions_.find(key.substr(0, question)); of != questions_.end())
    seen.question = of->second;
  return seen;
}

void StatusReader::take_sent(std::string_view record) {
  const CallFacts facts(record);
  Seen& seen = seen_of(facts);
  sums_.retries += seen.failed_at == facts.place ? 1U : 0U;
  seen.failed_at.reset();
  possible_usd_ += facts.worst_usd;
  if (seen.sent_in_start == this_start()) {  // its answer was lost with a damaged line
    --in_flight_;
    in_flight_usd_ -= seen.sent_usd;
  }
  seen.sent_in_start = this_start();
  seen.sent_usd = facts.worst_usd;
  ++in_flight_;
  in_flight_usd_ += facts.worst_usd;
}

/// The call that was under way is not any more.
void StatusReader::end_call(Seen& seen, const CallFacts& facts) {
  if (seen.sent_in_start != 0) {
    possible_usd_ -= seen.sent_usd;
    if (seen.sent_in_start == this_start()) {
      --in_flight_;
      in_flight_usd_ = in_flight_ == 0 ? 0 : in_flight_usd_ - seen.sent_usd;
    }
  }
  seen.sent_in_start = 0;
  possible_usd_ += facts.possible_usd;
}

void StatusReader::take_call(std::string_view record) {
  const CallFacts facts(record);
  Seen& seen = seen_of(facts);
  end_call(seen, facts);
  if (!facts.has_reply) {
    ++sums_.failed;
    sums_.rate_limited += facts.failure.find("status 429") != std::string::npos ? 1U : 0U;
    ++sums_.call_errors[error_kind(facts.failure)];
    sums_.unknown_costs += facts.charged && facts.possible_usd == 0 ? 1U : 0U;
    seen.failed_at = facts.place;
    return;
  }
  ++sums_.answered;
  sums_.tokens = capped_sum(sums_.tokens, facts.tokens);
  sums_.spent_usd += facts.cost_usd.value_or(0);
  sums_.unknown_costs += !facts.cost_usd && facts.possible_usd == 0 ? 1U : 0U;
  seen.known_usd += facts.cost_usd.value_or(0);
  seen.answered = true;
}

void StatusReader::take_attempt(std::string_view record) {
  const CallFacts facts(record);
  Seen& seen = seen_of(facts);
  ended_ += seen.ended ? 0U : 1U;
  seen.ended = true;
  seen.outcome = value_in(outcomes(), facts.outcome, "outcome");
  seen.label.reset();
  if (!facts.error.empty()) ++sums_.attempt_errors[error_kind(facts.error)];
  if (seen.outcome != Outcome::scored || !seen.question) return;
  const Item& item = plan_->table.items[plan_->items[*seen.question].index];
  seen.label = extract_label(facts.prediction, item.benchmark, item.options, rules_).label;
  if (!seen.label) seen.outcome = Outcome::unparsed;
}

void StatusReader::take_event(std::string_view record) {
  const QaRecord parsed = parse_qa_record(record);
  const auto& event = std::get<QaEvent>(parsed);
  if (const auto* start = std::get_if<StartEvent>(&event)) {
    take_start(*start);
  } else if (const auto* stop = std::get_if<StopEvent>(&event)) {
    stop_ = *stop;
    pass_time(stop->at_s);
  } else if (const auto* pulse = std::get_if<PulseEvent>(&event)) {
    pass_time(pulse->at_s);
  } else if (const auto* wait = std::get_if<WaitEvent>(&event)) {
    std::erase_if(waits_, [&](const WaitEvent& old) { return old.until_s <= wait->at_s; });
    waits_.push_back(*wait);
    pass_time(wait->at_s);
  } else if (const auto* salvage = std::get_if<SalvageEvent>(&event)) {
    possible_usd_ += salvage->possible_usd;
    sums_.unknown_costs += salvage->unknown_calls;
    sums_.lost += salvage->lost;
  }
}

void StatusReader::take_start(const StartEvent& start) {
  start_ = start;
  stop_.reset();
  ++sums_.starts;
  in_flight_ = 0;  // what was under way stays in possible_usd_
  in_flight_usd_ = 0;
  waits_.clear();
  marks_.clear();
  if (sums_.settings.values.empty()) sums_.settings = start.settings;
  const auto rules =
      std::ranges::find(extraction_rules(), start.rules, &Named<ExtractionRules>::name);
  if (rules != extraction_rules().end()) rules_ = rules->value;
  pass_time(start.at_s);
}

void StatusReader::pass_time(double at_s) {
  if (marks_.empty() || at_s > marks_.back().at_s)
    marks_.push_back({at_s, sums_.answered, ended_, sums_.tokens});
  while (marks_.size() > 2 && marks_[1].at_s < marks_.back().at_s - window_s) marks_.pop_front();
}

RunState StatusReader::state_at(const StatusMoment& moment) const {
  constexpr double silence_s = 60;  // pulses are 10 seconds apart
  if (!start_) return moment.locked ? RunState::running : RunState::unknown;
  if (stop_) return RunState::ended;
  if (moment.locked) return RunState::running;
  const bool is_elsewhere = start_->host != moment.host;
  const bool is_alive = moment.now_s - marks_.back().at_s < silence_s;
  return is_elsewhere && is_alive ? RunState::running : RunState::killed;
}

QaStatus StatusReader::status(const StatusMoment& moment) const {
  QaStatus out = sums_;
  out.state = state_at(moment);
  if (stop_) {
    out.stopped = stop_->why;
    out.interrupted = stop_->interrupted;
  }
  if (start_) {
    out.started_s = start_->at_s;
    out.last_seen_s = marks_.back().at_s;
    out.budget_usd = start_->budget_usd;
  }
  add_benchmarks(out);
  const bool running = out.state == RunState::running;
  out.in_flight = running ? in_flight_ : 0;
  out.reserved_usd = running ? std::max(0.0, in_flight_usd_) : 0;
  out.possible_usd = std::max(0.0, possible_usd_ - out.reserved_usd);
  add_projection(out);
  add_rates(out, moment);
  if (running) add_waits(out, moment);
  return out;
}

void StatusReader::add_benchmarks(QaStatus& out) const {
  out.knows_truth = plan_.has_value();
  out.benchmarks = benchmarks_;
  const unsigned runs = start_ ? start_->runs : 1;
  if (plan_)
    for (const PlannedItem& planned : plan_->items)
      if (planned.selected && planned.slide.problem.empty())
        for (BenchmarkStatus& benchmark : out.benchmarks)
          if (benchmark.name == plan_->table.items[planned.index].benchmark)
            benchmark.expected += runs;
  for (const auto& [key, seen] : attempts_) {
    BenchmarkStatus& benchmark = out.benchmarks[seen.benchmark];
    out.begun += !seen.ended && seen.answered;
    if (!seen.ended) continue;
    ++out.done;
    ++benchmark.done;
    ++benchmark.outcomes[static_cast<std::size_t>(seen.outcome)];
  }
  for (std::size_t i = 0; i < out.benchmarks.size(); ++i) {
    BenchmarkStatus& benchmark = out.benchmarks[i];
    benchmark.right = right_in(i, benchmark.questions);
    benchmark.expected = std::max(benchmark.expected, plan_ ? benchmark.done : 0);
    out.expected += benchmark.expected;
  }
  if (!plan_ && start_) out.expected = std::max(start_->attempts, out.done);
}

/// The questions whose votes so far give the right label.
std::size_t StatusReader::right_in(std::size_t benchmark, std::size_t& questions) const {
  std::map<std::size_t, std::map<unsigned, OptionalLabel>> votes;  // in the order of runs
  for (const auto& [key, seen] : attempts_)
    if (seen.benchmark == benchmark && seen.ended && seen.question)
      votes[*seen.question][seen.run] = seen.outcome == Outcome::scored ? seen.label : std::nullopt;
  questions = votes.size();
  std::size_t right = 0;
  for (const auto& [question, by_run] : votes) {
    std::vector<OptionalLabel> labels;
    for (const auto& [run, label] : by_run) labels.push_back(label);
    const OptionalLabel label = majority_label(labels);
    right += label && *label == plan_->table.items[plan_->items[question].index].truth ? 1U : 0U;
  }
  return right;
}

/// Open attempts will cost what those that ended did on average.
void StatusReader::add_projection(QaStatus& out) const {
  double ended_usd = 0;
  for (const auto& [key, seen] : attempts_) ended_usd += seen.ended ? seen.known_usd : 0;
  if (out.done == 0 || out.expected == 0 || ended_usd <= 0) return;
  const double mean_usd = ended_usd / static_cast<double>(out.done);
  const double whole_usd =
      ended_usd + mean_usd * static_cast<double>(out.expected - std::min(out.done, out.expected));
  out.projected_usd = std::max(whole_usd, out.spent_usd);
}

void StatusReader::add_rates(QaStatus& out, const StatusMoment& moment) const {
  if (marks_.empty()) return;
  const Mark& first = marks_.front();
  const double until_s = out.state == RunState::running ? std::max(moment.now_s, marks_.back().at_s)
                                                        : marks_.back().at_s;
  const double minutes = (until_s - first.at_s) / 60;
  if (minutes <= 0) return;
  out.calls_per_minute = static_cast<double>(out.answered - first.answered) / minutes;
  out.tokens_per_minute = static_cast<double>(out.tokens - first.tokens) / minutes;
  if (out.state == RunState::running && out.done > first.ended && out.expected > out.done)
    out.left_s = 60 * minutes * static_cast<double>(out.expected - out.done) /
                 static_cast<double>(out.done - first.ended);
}

void StatusReader::add_waits(QaStatus& out, const StatusMoment& moment) const {
  for (const WaitEvent& wait : waits_) {
    if (wait.until_s <= moment.now_s) continue;
    ++out.waiting;
    if (wait.until_s <= out.waiting_until_s.value_or(0)) continue;
    out.waiting_until_s = wait.until_s;
    out.waiting_status = wait.status;
  }
}

}  // namespace assay::qa
