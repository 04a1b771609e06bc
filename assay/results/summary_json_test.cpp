// SPDX-License-Identifier: Apache-2.0
#include "assay/results/summary_json.hpp"

#include <gtest/gtest.h>

namespace assay::results::summary_json_test {

Json summary_block(const metrics::Summary& summary) {
  Json out = {{"n", summary.n}, {"undefined", reasons_json(summary.undefined)}};
  add_statistics(out, summary);
  return out;
}

TEST(SummaryJson, written_and_read_and_written_is_the_same) {
  metrics::Summary full;
  full.n = 3;
  full.undefined = {1, 0, 2};
  full.mean = 0.1;
  full.std = 0.25;
  full.median = 0.5;
  full.q25 = 0.125;
  full.q75 = 0.75;
  full.min = 0;
  full.max = 1;
  full.ci95 = {-0.5, 0.75};
  full.ci_clipped = true;
  full.ci_method = metrics::MeanInterval::bca;
  for (const metrics::Summary& summary : {metrics::Summary{}, full}) {
    const Json written = summary_block(summary);
    EXPECT_EQ(to_text(summary_block(summary_of(written))), to_text(written));
  }
  EXPECT_EQ(summary_of(summary_block(full)).q75, 0.75);
  EXPECT_TRUE(is_whole_summary(summary_block(full)));
  EXPECT_FALSE(is_whole_summary(Json::object()));
  EXPECT_THROW(summary_of({{"mean", "x"}}), Json::exception);
}

TEST(LedgerJson, written_and_read_and_written_is_the_same) {
  for (const metrics::Ledger& ledger : {metrics::Ledger{.expected = 5,
                                       .scored = 1,
                                       .failed = 1,
                                       .missing_prediction = 2,
                                       .missing_reference = 1},
                                        metrics::Ledger{.expected = 5,
                                        .scored = 5,
                                        .missing_structures = 3,
                                        .missing_reference_structures = 2}}) {
    const Json written = ledger_json(ledger, {});
    EXPECT_EQ(to_text(ledger_json(ledger_of(written), {})), to_text(written));
  }
}

}  // namespace assay::results::summary_json_test
