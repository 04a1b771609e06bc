// SPDX-License-Identifier: Apache-2.0
/// The promise of a budget, held against random servers: whatever shape their usage has, what we
/// count is what they bill, and what they bill stays within the budget unless replies cost more
/// than they should.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <random>

#include "assay/base/file.hpp"
#include "assay/base/journal.hpp"
#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"
#include "assay/qa/run/qa_run.hpp"

namespace assay::qa::qa_budget_test {

constexpr Prices prices = {
    .input = 1.25, .output = 10, .cache_write = 1.5, .cache_read = 0.125, .image_tokens = 10};
constexpr unsigned most_output = 4000;
constexpr std::int64_t most_input = 3000;

/// What a call truly used.
struct Truth {
  std::int64_t input = 0, written = 0, cached = 0, visible = 0, reasoning = 0;

  double usd() const {
    return (static_cast<double>(input) * prices.input +
            static_cast<double>(written) * *prices.cache_write +
            static_cast<double>(cached) * *prices.cache_read +
            static_cast<double>(visible + reasoning) * prices.output) /
           1e6;
  }
};

/// A server's report, and what it bills.
struct Report {
  std::string_view api;
  Json usage;
  double bill = 0;
};

/// Reasoning in the completion, as OpenAI, Azure and vLLM count it.
Report openai(const Truth& t, std::mt19937& random) {
  Json usage = {{"prompt_tokens", t.input + t.cached},
                {"completion_tokens", t.visible + t.reasoning},
                {"prompt_tokens_details", {{"cached_tokens", t.cached}}},
                {"completion_tokens_details", {{"reasoning_tokens", t.reasoning}}}};
  if (random() % 2 == 0) usage["total_tokens"] = t.input + t.cached + t.visible + t.reasoning;
  return {"chat", usage, t.usd()};
}

Report responses(const Truth& t, std::mt19937&) {
  return {"responses",
          {{"input_tokens", t.input + t.cached},
           {"input_tokens_details", {{"cached_tokens", t.cached}}},
           {"output_tokens", t.visible + t.reasoning},
           {"output_tokens_details", {{"reasoning_tokens", t.reasoning}}},
           {"total_tokens", t.input + t.cached + t.visible + t.reasoning}},
          t.usd()};
}

/// Writes to the cache beside reads from it and the input.
Report anthropic(const Truth& truth, std::mt19937& random) {
  Truth t = truth;
  t.written = static_cast<std::int64_t>(random() % static_cast<unsigned>(t.input + 1));
  t.input -= t.written;
  return {"messages",
          {{"input_tokens", t.input},
           {"cache_creation_input_tokens", t.written},
           {"cache_creation",
            {{"ephemeral_5m_input_tokens", t.written}, {"ephemeral_1h_input_tokens", 0}}},
           {"cache_read_input_tokens", t.cached},
           {"output_tokens", t.visible + t.reasoning}},
          t.usd()};
}

/// A gateway that counts writes among the input, as OpenRouter does.
Report written_among_input(const Truth& truth, std::mt19937& random) {
  Truth t = truth;
  t.written = static_cast<std::int64_t>(random() % static_cast<unsigned>(t.input + 1));
  t.input -= t.written;
  return {
      "chat",
      {{"prompt_tokens", t.input + t.written + t.cached},
       {"completion_tokens", t.visible + t.reasoning},
       {"total_tokens", t.input + t.written + t.cached + t.visible + t.reasoning},
       {"prompt_tokens_details", {{"cached_tokens", t.cached}, {"cache_write_tokens", t.written}}}},
      t.usd()};
}

/// Reasoning beside the completion. Without a total only more of it than of the completion tells.
Report xai(const Truth& t, std::mt19937& random) {
  Json usage = {{"prompt_tokens", t.input + t.cached},
                {"completion_tokens", t.visible},
                {"prompt_tokens_details", {{"cached_tokens", t.cached}}},
                {"completion_tokens_details", {{"reasoning_tokens", t.reasoning}}}};
  if (t.reasoning <= t.visible || random() % 2 == 0)
    usage["total_tokens"] = t.input + t.cached + t.visible + t.reasoning;
  return {"chat", usage, t.usd()};
}

/// Thoughts that show in the total only.
Report gemini(const Truth& t, std::mt19937&) {
  return {"chat",
          {{"prompt_tokens", t.input + t.cached},
           {"completion_tokens", t.visible},
           {"total_tokens", t.input + t.cached + t.visible + t.reasoning},
           {"prompt_tokens_details", {{"cached_tokens", t.cached}}}},
          t.usd()};
}

/// A gateway that says what it charges: more or less than the price table has.
Report gateway(const Truth& t, std::mt19937& random) {
  Report out = openai(t, random);
  out.bill = t.usd() * (0.5 + 0.5 * static_cast<double>(random() % 2));
  out.usage["cost"] = out.bill;
  out.usage["is_byok"] = false;
  out.usage["cost_details"] = {{"upstream_inference_cost", nullptr}};
  return out;
}

/// One's own key behind a gateway: a fee, or none, beside what the provider bills.
Report own_key(const Truth& t, std::mt19937& random) {
  Report out = openai(t, random);
  const double fee = random() % 2 == 0 ? 0 : 0.05 * t.usd();
  const bool told = random() % 3 != 0;
  out.bill = t.usd() + fee;
  out.usage["cost"] = fee;
  out.usage["is_byok"] = true;
  out.usage["cost_details"] = {{"upstream_inference_cost", told ? Json(t.usd()) : Json()}};
  return out;
}

Report says_zero(const Truth& t, std::mt19937& random) {
  Report out = xai(t, random);
  out.usage["cost"] = 0;
  return out;
}

using Server = Report (*)(const Truth&, std::mt19937&);
constexpr Server servers[] = {openai,  responses, anthropic, written_among_input, xai, gemini,
                              gateway, own_key,   says_zero};

ModelOutcome outcome_of(const Report& report) {
  Json body = {{"usage", report.usage}};
  if (report.api == "chat")
    body["choices"] = Json::array({{{"message", {{"content", "1"}}}}});
  else if (report.api == "messages")
    body["content"] = Json::array({{{"type", "text"}, {"text", "1"}}});
  else
    body.update({{"status", "completed"}, {"output", Json::array()}});
  const ModelApi& api = *std::ranges::find(model_apis(), report.api, &ModelApi::name);
  return api.outcome({.status = 200, .body = to_text(body)});
}

/// How one random run goes.
struct Chance {
  std::mt19937 random;
  bool exceeds = false;  ///< replies may cost more than they should
  double fails = 0;      ///< share of calls that break off, perhaps charged
  double silent = 0;     ///< share of replies that say nothing about their cost

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit + 1));
  }
  /// Of a call that costs no more than it should.
  Truth within() {
    constexpr std::int64_t input = most_input * 9 / 10, output = most_output * 9 / 10;  // and a fee
    Truth out = {.input = below(input * 4 / 5), .visible = below(output / 4)};
    out.cached = below(input - out.input);
    out.reasoning = below(output - out.visible);
    return out;
  }
  Truth truth() {
    Truth out = within();
    if (exceeds && random() % 4 == 0) out.reasoning += below(5 * most_output);
    return out;
  }
  bool happens(double share) { return static_cast<double>(random() % 1000) < 1000 * share; }
};

/// Answers as a random server would, and keeps its bills.
class RandomServer {
 public:
  explicit RandomServer(Chance& chance) : chance_(chance) {}

  QaAgent agent() {
    return {.converses = false, .needs_slides = false, .make_answerer = [this] {
              return std::make_unique<Voice>(*this);
            }};
  }
  /// Of the replies that say their cost, by item; the last one counts.
  const std::map<std::string, double>& bills() const { return bills_; }
  double billed() const { return billed_; }
  void stop_after(std::size_t calls, std::atomic<bool>& stop) {
    calls_ = calls;
    stop_ = &stop;
  }

 private:
  struct Voice : Answerer {
    explicit Voice(RandomServer& owner) : server(owner) {}
    ModelOutcome ask(const QaQuestion& question) override { return server.answer(question); }
    RandomServer& server;
  };

  ModelOutcome answer(const QaQuestion& question) {
    const std::lock_guard lock(mutex_);
    if (stop_ != nullptr && calls_-- == 0) *stop_ = true;
    if (chance_.happens(chance_.fails)) {
      const bool charged = chance_.random() % 2 == 0;
      if (charged && chance_.random() % 2 == 0) billed_ += chance_.within().usd();
      return ModelFailure{.message = "broke off", .charged = charged};
    }
    const bool silent = chance_.happens(chance_.silent);
    const Truth truth = silent ? chance_.within() : chance_.truth();
    Report report = servers[chance_.random() % std::size(servers)](truth, chance_.random);
    billed_ += report.bill;
    bills_.erase(question.item.id);  // what a reply that was lost has said
    if (silent)
      report.usage = nullptr;
    else
      bills_[question.item.id] = report.bill;
    return outcome_of(report);
  }

  Chance& chance_;
  std::mutex mutex_;
  std::map<std::string, double> bills_;
  double billed_ = 0;  ///< all of it
  std::size_t calls_ = 0;
  std::atomic<bool>* stop_ = nullptr;
};

/// What the journal says was set aside for each answered call, in order, and the margin in it.
struct Sent {
  std::string item;
  double worst = 0, margin = 0;
};

std::vector<Sent> answered_calls(const std::filesystem::path& journal) {
  std::map<std::string, Sent> under_way;
  std::vector<Sent> out;
  scan_journal(journal, [&](std::string_view text) {
    const QaRecord record = parse_qa_record(text);
    if (const auto* sent = std::get_if<SentRecord>(&record))
      under_way[sent->key.item] = {sent->key.item, sent->worst_usd, sent->margin_usd};
    if (const auto* call = std::get_if<CallRecord>(&record);
        call != nullptr && call->failure.empty())
      out.push_back(under_way[call->key.item]);
  });
  return out;
}

class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : chance_{.random = std::mt19937(seed)} {
    chance_.exceeds = seed % 2 == 0;
    chance_.fails = seed % 3 == 0 ? 0.1 : 0;
    chance_.silent = seed % 5 == 0 ? 0.03 : 0;
    killed_ = seed % 4 == 1;
    concurrency_ = static_cast<unsigned>(1 + chance_.below(6));
    for (int i = 0; i < 40; ++i) {
      plan_.table.items.push_back({.benchmark = "b",
                                   .id = std::to_string(i),
                                   .image_path = "",
                                   .file_id = "",
                                   .prompt = "?",
                                   .options = {"a", "b"},
                                   .truth = 1});
      plan_.items.push_back({.index = static_cast<std::size_t>(i), .selected = true, .slide = {}});
    }
    plan_.table.benchmarks = {{"b", stats::ClassificationMetric::accuracy}};
    settings_.agent = "random";
    settings_.model = {.model = "m",
                       .max_output_tokens = most_output,
                       .request_json = R"({"x": ")" + std::string(most_input, 'x') + "\"}"};
    execution_.folder = folder_ / "run";
    execution_.concurrency = concurrency_;
    execution_.budget_usd = 0.1 + 0.001 * static_cast<double>(chance_.below(400));
    execution_.prices.rows = {{"m", prices}};
    execution_.retry = {.retries = 3, .first_wait_s = 0, .longest_wait_s = 0};
    execution_.warn = [this](const std::string&) { ++warnings_; };
  }

  /// Begun, interrupted or killed somewhere, and gone on with.
  void run() {
    RandomServer server(chance_);
    std::atomic<bool> stop = false;
    server.stop_after(static_cast<std::size_t>(chance_.below(10)), stop);
    execution_.stop = &stop;
    report_ = run_qa(plan_, server.agent(), settings_, execution_);
    const std::string lost = killed_ ? lose_last_reply() : "";
    const std::size_t before = answered_calls(journal()).size();
    stop = false;
    bills_ = server.bills();
    bills_.erase(lost);
    try {
      report_ = run_qa(plan_, server.agent(), settings_, execution_);
      bills_ = server.bills();
      if (!is_answered(lost)) bills_.erase(lost);
    } catch (const Error& error) {  // a reply without usage: no budget can be kept from then on
      EXPECT_GT(chance_.silent, 0) << error.what();
      bills_ = server.bills();  // of the first start, as its report is
    }
    check_promise(server.billed());
    check_margins(before);
  }

 private:
  std::filesystem::path journal() const { return execution_.folder / "run.journal"; }

  /// As if the process had been killed before its last reply was on disk: the item of that reply.
  std::string lose_last_reply() const {
    std::string text = read_text(journal()), lost;
    while (lost.empty()) {
      const std::size_t line = text.rfind('\n', text.size() - 2) + 1;
      const Json record = Json::parse(text.substr(line)).at("record");
      if (record.at("kind") == "settings") return "";  // there was none
      if (record.at("kind") == "call" && record.contains("reply")) lost = record.at("item");
      text.resize(line);
    }
    write_atomically(journal(), text);
    return lost;
  }

  bool is_answered(const std::string& item) const {
    const std::vector<Sent> calls = answered_calls(journal());
    return std::ranges::find(calls, item, &Sent::item) != calls.end();
  }

  /// 0 where the server did not say.
  double bill_of(const Sent& sent) const {
    const auto found = bills_.find(sent.item);
    return found == bills_.end() ? 0 : found->second;
  }

  void check_promise(double billed) {
    double told = 0;
    for (const auto& [item, bill] : bills_) told += bill;
    EXPECT_NEAR(report_.spent_usd, told, 1e-9) << "what is counted is what is billed";
    std::vector<double> excess;
    for (const Sent& sent : answered_calls(journal()))
      excess.push_back(std::max(0.0, bill_of(sent) - sent.worst));
    std::ranges::sort(excess, std::greater());
    excess.resize(std::min<std::size_t>(excess.size(), concurrency_));
    const double allowed = std::accumulate(excess.begin(), excess.end(), 0.0);
    EXPECT_LE(billed, *execution_.budget_usd + allowed + 1e-8);
    if (!chance_.exceeds) EXPECT_NEAR(allowed, 0, 1e-9);
    if (!chance_.exceeds) EXPECT_EQ(warnings_, 0);
    if (allowed > 1e-8) EXPECT_GE(warnings_, 1);
    EXPECT_EQ(report_.above_reserve > 0, allowed > 1e-8);
  }

  /// The second start knows the largest excess of the first; one worker knows it at every call.
  void check_margins(std::size_t before) {
    double largest = 0;
    const std::vector<Sent> calls = answered_calls(journal());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (concurrency_ == 1) EXPECT_NEAR(calls[i].margin, largest, 1e-9);
      if (i >= before) EXPECT_GE(calls[i].margin, first_ - 1e-9);
      largest = std::max(largest, bill_of(calls[i]) - (calls[i].worst - calls[i].margin));
      if (i < before) first_ = largest;
    }
    EXPECT_NEAR(report_.largest_excess_usd, largest, 1e-9);
  }

  Chance chance_;
  unsigned concurrency_ = 1;
  bool killed_ = false;
  test::TemporaryFolder folder_;
  QaPlan plan_;
  QaRunSettings settings_;
  QaExecution execution_;
  QaRunReport report_;
  std::map<std::string, double> bills_;
  int warnings_ = 0;
  double first_ = 0;
};

TEST(BudgetPromise, holds_for_random_servers) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRun(seed).run();
    if (HasFailure()) break;
  }
}

}  // namespace assay::qa::qa_budget_test
