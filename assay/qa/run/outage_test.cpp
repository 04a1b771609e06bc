// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/outage.hpp"

#include <gtest/gtest.h>

namespace assay::qa::outage_test {

using Turn = Outage::Turn;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Outage::Clock::time_point start{};

TEST(Outage, lets_everybody_through_until_a_failure) {
  Outage outage(1, 60);
  EXPECT_EQ(outage.turn(start), Turn::free);
  EXPECT_EQ(outage.turn(start), Turn::free);
  EXPECT_EQ(outage.lasts_s(start), 0);
}

TEST(Outage, one_scout_at_a_time_after_pauses_that_grow) {
  Outage outage(1, 5);
  auto now = start;
  outage.failed(now, false);
  outage.failed(now, false);  // a second worker's call was under way, too
  for (const int pause : {1, 2, 4, 5, 5}) {
    EXPECT_DOUBLE_EQ(outage.pause_s(now), pause);
    EXPECT_EQ(outage.turn(now + seconds(pause) - milliseconds(1)), Turn::wait);
    now += seconds(pause);
    EXPECT_EQ(outage.turn(now), Turn::scout);
    EXPECT_EQ(outage.turn(now), Turn::wait) << "the others wait for the scout";
    outage.failed(now, true);
  }
  EXPECT_DOUBLE_EQ(outage.lasts_s(now), 17);
  EXPECT_TRUE(outage.answered());
  EXPECT_FALSE(outage.answered());
  EXPECT_EQ(outage.answers(), 2U);
  EXPECT_EQ(outage.turn(now), Turn::free);
  outage.failed(now, false);
  EXPECT_DOUBLE_EQ(outage.pause_s(now), 1) << "the next outage begins anew";
  EXPECT_DOUBLE_EQ(outage.lasts_s(now), 0);
}

TEST(Outage, the_server_may_ask_for_more) {
  Outage outage(1, 60);
  outage.failed(start, false, 90);
  EXPECT_EQ(outage.turn(start + seconds(89)), Turn::wait);
  EXPECT_EQ(outage.turn(start + seconds(90)), Turn::scout);
}

}  // namespace assay::qa::outage_test
