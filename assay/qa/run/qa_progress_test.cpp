// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_progress.hpp"

#include <gtest/gtest.h>

#include "assay/base/journal.hpp"
#include "assay/base/test_files.hpp"
#include "assay/qa/results/qa_journal.hpp"

namespace assay::qa::qa_progress_test {

TEST(MinuteLinesOfARun, are_one_a_minute_and_none_for_a_missed_one) {
  MinuteLines lines(1000);
  const QaProgress progress{.done = 3,
                            .total = 8,
                            .failed = 1,
                            .calls = 30,
                            .retried = 2,
                            .spent_usd = 1.25,
                            .budget_usd = 50.0};
  EXPECT_FALSE(lines.line(1000, progress));
  EXPECT_FALSE(lines.line(1059.9, progress));
  EXPECT_EQ(lines.line(1060, progress),
            "1970-01-01 00:17:40Z: 3 of 8 attempts done, 1 failed, 30 calls (30.0/min), $1.25 of "
            "$50.00, 2 retries");
  EXPECT_FALSE(lines.line(1061, progress));
  EXPECT_FALSE(lines.line(1119, progress));
  EXPECT_TRUE(lines.line(1120, progress));
  EXPECT_TRUE(lines.line(1500, progress)) << "after a long silence";
  EXPECT_FALSE(lines.line(1539, progress));
  EXPECT_TRUE(lines.line(1540, progress));
}

TEST(MinuteLinesOfARun, say_only_what_there_is) {
  MinuteLines lines(0);
  EXPECT_EQ(lines.line(60, {.done = 1, .total = 1, .calls = 1}),
            "1970-01-01 00:01:00Z: 1 of 1 attempt done, 1 call (1.0/min)");
  EXPECT_EQ(money_and_errors({}), "");
  EXPECT_EQ(money_and_errors({.retried = 1}), "1 retry");
  EXPECT_EQ(money_and_errors({.spent_usd = 0.0042}), "$0.0042");
  EXPECT_EQ(money_and_errors({.budget_usd = 3.0}), "$0.00 of $3.00");
}

TEST(RunPulseOfARun, tells_its_start_its_life_and_its_end) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.journal";
  std::atomic<int> seconds = 0;
  {
    JournalWriter writer(Journal::create(path, {"s", "i", "1"}), std::chrono::milliseconds(0));
    StopSign stop(nullptr);
    RunPulse pulse({.journal = writer,
                    .stop = stop,
                    .now = [] { return 1000.0; },
                    .each_second = [&] { ++seconds; },
                    .second = std::chrono::milliseconds(1),
                    .seconds_per_pulse = 2},
                   {.timestamp = "t", .attempts = 7});
    pulse.waits(0.5, 429);  // not worth a record
    pulse.waits(30, 429);
    while (seconds < 5) std::this_thread::yield();
    pulse.end("why", true);
    writer.finish();
  }
  const auto records = read_journal(path)->records;
  ASSERT_GE(records.size(), 5U);
  const auto event = [&](std::size_t i) { return std::get<QaEvent>(parse_qa_record(records[i])); };
  EXPECT_EQ(std::get<StartEvent>(event(0)).attempts, 7U);
  std::size_t pulses = 0, waits = 0;
  for (std::size_t i = 1; i + 1 < records.size(); ++i) {
    pulses += std::holds_alternative<PulseEvent>(event(i));
    if (!std::holds_alternative<WaitEvent>(event(i))) continue;
    ++waits;
    EXPECT_EQ(std::get<WaitEvent>(event(i)).until_s, 1030);
  }
  EXPECT_GE(pulses, 2U);
  EXPECT_EQ(waits, 1U);
  EXPECT_EQ(std::get<StopEvent>(event(records.size() - 1)).why, "why");
  EXPECT_TRUE(std::get<StopEvent>(event(records.size() - 1)).interrupted);
}

}  // namespace assay::qa::qa_progress_test
