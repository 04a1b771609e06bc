// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"
#include "assay/demo/demo_slide.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/trajectory.hpp"

namespace assay::qa::qa_run_test {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// A model in memory: counts what it was asked, and answers by rule, or fails as it is told.
class FakeModel {
 public:
  using Rule = std::function<ModelOutcome(const QaQuestion&, std::size_t call)>;
  explicit FakeModel(Rule rule) : rule_(std::move(rule)) {}

  QaAgent agent() {
    return {.converses = true, .needs_slides = true, .make_answerer = [this] {
              return std::make_unique<Voice>(*this);
            }};
  }

  std::size_t calls() const { return calls_; }
  /// How often the most asked request was asked.
  std::size_t most_repeated() const {
    std::size_t most = 0;
    for (const auto& [hash, count] : asked_) most = std::max(most, count);
    return most;
  }

 private:
  struct Voice : Answerer {
    explicit Voice(FakeModel& owner) : model(owner) {}
    ModelOutcome ask(const QaQuestion& question) override { return model.answer(question); }
    FakeModel& model;
  };

  ModelOutcome answer(const QaQuestion& question) {
    const std::lock_guard lock(mutex_);
    ++asked_[question.item.id + std::to_string(question.run) + request_sha256(question.chat)];
    return rule_(question, calls_++);
  }

  Rule rule_;
  std::mutex mutex_;
  std::size_t calls_ = 0;
  std::map<std::string, std::size_t> asked_;
};

ModelReply reply(std::string text) {
  return {.kind = ModelReply::Kind::answer,
          .text = std::move(text),
          .usage = {.input = 1000, .output = 100},
          .model = "fake-1",
          .provider = "memory"};
}

/// Two crops, then the truth: what a navigating agent does.
ModelOutcome navigate(const QaQuestion& question) {
  if (question.chat.size() < 6)
    return reply(R"({"action": {"action_type": "crop", "x": )" +
                 std::to_string(question.chat.size()) +
                 R"(, "y": 0, "width": 200, "height": 200}})");
  return reply(R"({"action": {"action_type": "answer", "answer_text": "{\"answer\": )" +
               std::to_string(question.item.truth) + "}\"}}");
}

class QaRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    slide_ = folder_ / "slide.tiff";
    demo::write_demo_slide(slide_, {.width = 600, .height = 400});
    for (int i = 0; i < 12; ++i)
      plan_.table.items.push_back({.benchmark = i % 3 == 0 ? "gtex" : "tcga",
                                   .id = "item" + std::to_string(i),
                                   .image_path = "slide.tiff",
                                   .file_id = "",
                                   .prompt = "Question " + std::to_string(i) + "?",
                                   .options = {"a", "b", "c"},
                                   .truth = i % 3 + 1});
    plan_.table.benchmarks = {{"gtex", stats::ClassificationMetric::accuracy},
                              {"tcga", stats::ClassificationMetric::accuracy}};
    plan_.table.sha256 = "table";
    for (std::size_t i = 0; i < plan_.table.items.size(); ++i)
      plan_.items.push_back({.index = i, .selected = true, .slide = {.path = slide_}});
    settings_.agent = "fake";
    settings_.model.model = "fake";
    settings_.loop.max_steps = 5;
    execution_.folder = folder_ / "run";
    execution_.retry = {.retries = 2, .first_wait_s = 0.001, .longest_wait_s = 0.002};
  }

  QaRunReport run(FakeModel& model) { return run_qa(plan_, model.agent(), settings_, execution_); }

  static std::size_t count(const QaRunReport& report, Outcome outcome) {
    std::size_t n = 0;
    for (const QaResult& result : report.results)
      for (const ItemResult& item : result.results) n += item.outcome == outcome;
    return n;
  }

  void set_price(double input, double output) {
    execution_.prices.rows = {{"fake", {.input = input, .output = output, .image_tokens = 10}}};
  }

  test::TemporaryFolder folder_;
  fs::path slide_;
  QaPlan plan_;
  QaRunSettings settings_;
  QaExecution execution_;
};

TEST_F(QaRunTest, asks_everything_once) {
  FakeModel model([](const QaQuestion& q, std::size_t) { return navigate(q); });
  const QaRunReport report = run(model);
  EXPECT_EQ(model.calls(), 36U);
  EXPECT_EQ(model.most_repeated(), 1U);
  ASSERT_EQ(report.results.size(), 2U);
  EXPECT_EQ(report.results[0].results.size(), 4U);
  EXPECT_EQ(count(report, Outcome::scored), 12U);
  for (const ItemResult& item : report.results[1].results) {
    EXPECT_TRUE(item.correct) << item.item_id;
    EXPECT_EQ(item.total_tokens, 3300);
    EXPECT_EQ(item.cost_usd, std::nullopt) << "no price is known";
    EXPECT_TRUE(fs::exists(execution_.folder / item.trajectory_file));
  }
  EXPECT_EQ(report.results[0].run_id, "gtex_giant_fake_fake");
}

TEST_F(QaRunTest, second_start_asks_nothing) {
  FakeModel model([](const QaQuestion& q, std::size_t) { return navigate(q); });
  run(model);
  const QaRunReport again = run(model);
  EXPECT_EQ(model.calls(), 36U);
  EXPECT_EQ(again.replayed, 12U);
  EXPECT_EQ(count(again, Outcome::scored), 12U);
}

TEST_F(QaRunTest, interrupted_anywhere_no_call_is_repeated) {
  FakeModel undisturbed([](const QaQuestion& q, std::size_t) { return navigate(q); });
  const QaRunReport whole = run(undisturbed);
  for (std::size_t stop_at = 0; stop_at < 36; stop_at += 5) {
    execution_.folder = folder_ / ("run" + std::to_string(stop_at));
    std::atomic<bool> stop = false;
    FakeModel model([&](const QaQuestion& q, std::size_t call) {
      if (call == stop_at) stop = true;
      return navigate(q);
    });
    execution_.stop = &stop;
    const QaRunReport first = run(model);
    EXPECT_TRUE(first.interrupted);
    stop = false;
    const QaRunReport second = run(model);
    EXPECT_EQ(model.calls(), 36U);
    EXPECT_EQ(model.most_repeated(), 1U);
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t i = 0; i < whole.results[b].results.size(); ++i) {
        EXPECT_EQ(second.results[b].results[i].prediction, whole.results[b].results[i].prediction);
        EXPECT_EQ(second.results[b].results[i].total_tokens,
                  whole.results[b].results[i].total_tokens);
      }
  }
}

TEST_F(QaRunTest, failures_that_pass_are_retried) {
  FakeModel model([](const QaQuestion& q, std::size_t call) -> ModelOutcome {
    if (call % 3 == 0)
      return ModelFailure{.kind = ModelFailure::Kind::transient, .message = "busy", .status = 429};
    return navigate(q);
  });
  execution_.retry.retries = 10;
  const QaRunReport report = run(model);
  EXPECT_EQ(count(report, Outcome::scored), 12U);
  EXPECT_GT(report.retried, 10U);
}

TEST_F(QaRunTest, errors_are_kept_and_retried_on_request) {
  std::set<std::string> broken = {"item3", "item4"};
  FakeModel model([&](const QaQuestion& q, std::size_t) -> ModelOutcome {
    if (broken.contains(q.item.id) && q.chat.size() == 4)
      return ModelFailure{.kind = ModelFailure::Kind::item, .message = "too large", .status = 413};
    return navigate(q);
  });
  const QaRunReport first = run(model);
  EXPECT_EQ(count(first, Outcome::errored), 2U);
  const ItemResult& failed = first.results[0].results[1];
  EXPECT_EQ(failed.error, "too large");
  const Trajectory kept =
      parse_trajectory(read_text(execution_.folder / failed.trajectory_file), "kept");
  EXPECT_EQ(kept.outcome, "errored");
  EXPECT_EQ(kept.error, "too large");
  ASSERT_EQ(kept.turns.size(), 2U) << "the answered call and the one that failed";
  EXPECT_THAT(kept.turns[0].reply, HasSubstr("crop"));
  EXPECT_EQ(kept.turns[1].problem, "too large");
  EXPECT_EQ(kept.turns[1].step, 2U);
  broken.clear();
  EXPECT_EQ(count(run(model), Outcome::errored), 2U);
  execution_.ask_again = {Outcome::errored};
  const std::size_t before = model.calls();
  const QaRunReport third = run(model);
  EXPECT_EQ(count(third, Outcome::scored), 12U);
  EXPECT_EQ(model.calls() - before, 4U) << "the call before the failure is replayed";
}

TEST_F(QaRunTest, fatal_failure_stops_the_run) {
  FakeModel model([](const QaQuestion& q, std::size_t call) -> ModelOutcome {
    if (call >= 10)
      return ModelFailure{.kind = ModelFailure::Kind::fatal, .message = "no quota", .status = 429};
    return navigate(q);
  });
  execution_.concurrency = 2;
  const QaRunReport report = run(model);
  EXPECT_EQ(report.stopped, "no quota");
  EXPECT_LE(model.calls(), 12U);
  EXPECT_GT(count(report, Outcome::skipped), 5U);
}

TEST_F(QaRunTest, server_that_answers_nobody_ends_the_run) {
  FakeModel model([](const QaQuestion&, std::size_t) {
    return ModelFailure{.kind = ModelFailure::Kind::transient, .message = "down"};
  });
  execution_.concurrency = 1;
  const QaRunReport report = run(model);
  EXPECT_THAT(report.stopped, HasSubstr("got no answer"));
  EXPECT_EQ(count(report, Outcome::errored), 3U);
}

TEST_F(QaRunTest, budget_is_never_exceeded) {
  set_price(10, 100);  // $0.02 a call, worst case far above
  settings_.model.max_output_tokens = 1000;
  execution_.budget_usd = 0.4;
  FakeModel model([](const QaQuestion& q, std::size_t) { return navigate(q); });
  const QaRunReport report = run(model);
  EXPECT_THAT(report.stopped, HasSubstr("of the budget of $0.4000 is left"));
  EXPECT_LE(report.spent_usd, 0.4);
  EXPECT_GT(report.spent_usd, 0.1);
  execution_.budget_usd = 100;
  EXPECT_EQ(count(run(model), Outcome::scored), 12U);
  EXPECT_EQ(model.most_repeated(), 1U);
}

TEST_F(QaRunTest, unknown_usage_stops_a_budgeted_run) {
  set_price(1, 1);
  execution_.budget_usd = 100;
  execution_.concurrency = 1;
  FakeModel model([](const QaQuestion& q, std::size_t) {
    ModelOutcome outcome = navigate(q);
    std::get<ModelReply>(outcome).usage = {};
    return outcome;
  });
  EXPECT_THAT(run(model).stopped, HasSubstr("neither cost nor usage"));
  EXPECT_EQ(model.calls(), 1U);
  EXPECT_THROW(run(model), Error);
}

TEST_F(QaRunTest, operational_settings_may_change_others_not) {
  FakeModel model([](const QaQuestion& q, std::size_t) { return navigate(q); });
  for (PlannedItem& item : plan_.items) item.selected = item.index < 5;
  EXPECT_EQ(count(run(model), Outcome::skipped), 7U);
  for (PlannedItem& item : plan_.items) item.selected = true;
  execution_.concurrency = 3;
  execution_.runs = 2;
  EXPECT_EQ(count(run(model), Outcome::scored), 12U);
  EXPECT_EQ(model.calls(), 72U);
  settings_.loop.max_steps = 6;
  EXPECT_THROW(run(model), Error);
}

TEST_F(QaRunTest, changed_slide_is_not_mixed_in) {
  std::atomic<bool> stop = false;
  FakeModel model([&](const QaQuestion& q, std::size_t) {
    stop = true;
    return navigate(q);
  });
  execution_.stop = &stop;
  execution_.concurrency = 1;
  run(model);
  demo::write_demo_slide(slide_, {.width = 600, .height = 400, .seed = 9});
  stop = false;
  EXPECT_THAT(run(model).stopped, HasSubstr("has changed"));
}

TEST_F(QaRunTest, missing_and_unreadable_slides_are_named) {
  plan_.items[2].slide = {.path = {}, .problem = "no slide", .ambiguous = false};
  write_atomically(folder_ / "broken.svs", "not a slide");
  plan_.items[4].slide = {.path = folder_ / "broken.svs"};
  FakeModel model([](const QaQuestion& q, std::size_t) { return navigate(q); });
  const QaRunReport report = run(model);
  EXPECT_EQ(count(report, Outcome::missing), 1U);
  EXPECT_EQ(count(report, Outcome::errored), 1U);
  EXPECT_EQ(count(report, Outcome::scored), 10U);
}

}  // namespace assay::qa::qa_run_test
