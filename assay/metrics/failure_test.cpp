// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/failure.hpp"

#include <gtest/gtest.h>

namespace failure_test {

using namespace assay;
using namespace assay::metrics;

struct Row {
  const char* metric;
  Undefined why;
  Presence presence;
  Culprit culprit;
};

constexpr Row rows[] = {
    {"hd95", Undefined::prediction_empty, Presence::prediction_empty, Culprit::model},
    {"hd95", Undefined::reference_empty, Presence::reference_empty, Culprit::model},
    {"mcc", Undefined::zero_denominator, Presence::prediction_empty, Culprit::model},
    {"mcc", Undefined::zero_denominator, Presence::reference_empty, Culprit::model},
    {"mcc", Undefined::zero_denominator, Presence::both_empty, Culprit::nobody},
    {"mcc", Undefined::zero_denominator, Presence::ok, Culprit::nobody},  // a mask fills the image
    {"precision", Undefined::both_empty, Presence::both_empty, Culprit::nobody},
    {"avd", Undefined::not_scored, Presence::prediction_empty, Culprit::model},
    {"auroc", Undefined::reference_empty, Presence::reference_empty, Culprit::nobody},
    {"auroc", Undefined::not_probabilities, Presence::prediction_empty, Culprit::nobody},
    {"auroc", Undefined::not_scored, Presence::prediction_empty, Culprit::model},
};

TEST(Failure, empty_masks_decide_whose_fault_it_is) {
  for (const Row& row : rows)
    EXPECT_EQ(culprit(metric(row.metric), row.why, row.presence), row.culprit)
        << row.metric << ' ' << name(row.why) << ' ' << name(row.presence);
}

TEST(Failure, what_it_counts_is_declared_in_the_row) {
  const auto counts = [](const char* key, Presence presence, double diagonal_mm) {
    return failure_value(metric(key), presence, diagonal_mm);
  };
  EXPECT_EQ(counts("mcc", Presence::prediction_empty, 0), 0.0);
  EXPECT_EQ(counts("nsd", Presence::prediction_empty, 0), 0.0);
  EXPECT_EQ(counts("avd", Presence::reference_empty, 0), 1.0);
  EXPECT_EQ(counts("hd95", Presence::prediction_empty, 30), 30.0);
  EXPECT_EQ(counts("hd95", Presence::prediction_empty, 0), std::nullopt);
  EXPECT_EQ(counts("rvd", Presence::prediction_empty, 0), -1.0);  // nothing is too little
  EXPECT_EQ(counts("rvd", Presence::reference_empty, 0), 1.0);
  EXPECT_EQ(counts("fp_volume_ml", Presence::prediction_empty, 0), std::nullopt);
}

TEST(Failure, every_metric_that_a_model_can_leave_undefined_says_what_that_counts) {
  for (const Confusion counts : {Confusion{.fp = 10, .tn = 90}, Confusion{.fn = 10, .tn = 90}})
    for (const Metric& m : metrics::metrics()) {
      const bool has_reference = counts.reference() != 0;
      const LesionEvidence lesions = {.references = has_reference ? 1 : 0,
                                      .predictions = has_reference ? 0 : 1};
      const Score found = score(m, {counts, 0.001, {}, lesions});
      const auto* why = std::get_if<Undefined>(&found);
      if (why == nullptr || culprit(m, *why, presence(counts)) == Culprit::nobody) continue;
      EXPECT_TRUE(failure_value(m, presence(counts), 100)) << m.name;
    }
}

TEST(Failure, infinity_becomes_the_reason_for_it) {
  EXPECT_EQ(finite_score(infinity, Presence::reference_empty), Score{Undefined::reference_empty});
  EXPECT_EQ(finite_score(infinity, Presence::prediction_empty), Score{Undefined::prediction_empty});
  EXPECT_EQ(finite_score(2.0, Presence::ok), Score{2.0});
}

}  // namespace failure_test
