// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/synonyms.hpp"

#include <gtest/gtest.h>

#include "assay/metrics/metric.hpp"

using namespace assay;
using Names = std::vector<std::string>;

TEST(Synonyms, other_names_have_our_keys) {
  const std::pair<const char*, const char*> cases[] = {
      {"Dice", "dice"},
      {"DSC", "dice"},
      {"dice_score", "dice"},
      {"F1", "dice"},
      {"Jaccard", "iou"},
      {"IoU", "iou"},
      {"sensitivity", "recall"},
      {"TPR", "recall"},
      {"PPV", "precision"},
      {"Hausdorff Distance 95", "hd95"},
      {"HD95", "hd95"},
      {"hausdorff95", "hd95"},
      {"Negative Predictive Value", "npv"},
      {"Avg. Symmetric Surface Distance", "assd"},
      {"Volume-Similarity", "volume_similarity"},
  };
  for (const auto& [name, key] : cases) EXPECT_EQ(metric_key(name), key) << name;
}

TEST(Synonyms, what_could_mean_several_things_stays_as_it_is) {
  for (const char* name : {"ASD", "AUC", "Avg. Surface Distance", "volume", "", "dices"})
    EXPECT_EQ(metric_key(name), std::nullopt) << name;
}

TEST(Synonyms, every_metric_answers_to_its_own_name) {
  for (const Metric& metric : metrics())
    EXPECT_EQ(metric_key(metric.name), std::string(metric.name));
}

TEST(Synonyms, of_two_names_for_one_metric_the_key_itself_wins) {
  EXPECT_EQ(metric_keys({"F1", "dice", "IoU"}), (Names{"F1", "dice", "iou"}));
  EXPECT_EQ(metric_keys({"F1", "Dice"}), (Names{"F1", "dice"}));
  EXPECT_EQ(metric_keys({"F1", "DSC"}), (Names{"dice", "DSC"}));
  EXPECT_EQ(metric_keys({"age"}), (Names{"age"}));
}
