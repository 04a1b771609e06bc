// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/synonyms.hpp"

#include <gtest/gtest.h>

#include "assay/metrics.hpp"

namespace synonyms_test {

using namespace assay;
using namespace assay::metrics;
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
      {"surface_dice", "nsd"},
      {"HD99", "hd99"},
      {"Hausdorff distance 99.5", "hd99.5"},
      {"hd9.5", "hd9.5"},
      {"hd100", "hd"},
      {"NSD@2mm", "nsd@2mm"},
      {"nsd@2", "nsd@2mm"},
      {"surface dice 0.5 mm", "nsd@0.5mm"},
  };
  for (const auto& [name, key] : cases) EXPECT_EQ(metric_key(name), key) << name;
}

TEST(Synonyms, what_could_mean_several_things_stays_as_it_is) {
  for (const char* name : {"ASD", "AUC", "Avg. Surface Distance", "volume", "", "dices", "nsd2",
                           "hd101", "dice2", "hd95vox"})
    EXPECT_EQ(metric_key(name), std::nullopt) << name;
}

TEST(Synonyms, every_metric_answers_to_its_own_name) {
  for (const Metric& metric : metrics::metrics())
    EXPECT_EQ(metric_key(metric.name), std::string(metric.name));
}

TEST(Synonyms, of_two_names_for_one_metric_the_key_itself_wins) {
  EXPECT_EQ(metric_keys({"F1", "dice", "IoU"}), (Names{"F1", "dice", "iou"}));
  EXPECT_EQ(metric_keys({"F1", "Dice"}), (Names{"F1", "dice"}));
  EXPECT_EQ(metric_keys({"F1", "DSC"}), (Names{"dice", "DSC"}));
  EXPECT_EQ(metric_keys({"age"}), (Names{"age"}));
}

TEST(Synonyms, hints_go_by_meaning_before_spelling) {
  const Names all = {"dice", "avd", "assd", "masd", "hd95", "age"};
  EXPECT_EQ(
      metric_hint("asd", all),
      "; choose assd (Average symmetric surface distance: (sum d(p, R) + sum d(r, P)) / (|P| + "
      "|R|)) or masd (Mean average surface distance: (mean d(p, R) + mean d(r, P)) / 2)");
  EXPECT_EQ(metric_hint("asd", Names{"dice", "assd"}).find("; did you mean assd ("), 0U);
  EXPECT_EQ(metric_hint("Hausdorf95", all), "; did you mean 'hd95'?");
  EXPECT_EQ(metric_hint("agee", all), "; did you mean 'age'?");
  EXPECT_EQ(metric_hint("curvature", all), "");
  EXPECT_EQ(metric_hint("asd", Names{"avd", "dice"}), "");
  EXPECT_EQ(metric_hint("nsd", Names{"avd", "dice"}), "");
}

TEST(Synonyms, a_typed_name_names_a_column) {
  EXPECT_TRUE(names_metric("DSC", "dice"));
  EXPECT_TRUE(names_metric("expert_rating", "Expert rating"));
  EXPECT_FALSE(names_metric("hd9.5", "hd95"));
  EXPECT_FALSE(names_metric("asd", "assd"));
}

TEST(Synonyms, no_name_means_two_metrics) {
  for (const Metric& metric : metrics::metrics()) {
    EXPECT_EQ(metric_key(metric.title), std::string(metric.name));
    for (const auto name : synonyms_of(metric))
      EXPECT_EQ(metric_key(name), std::string(metric.name)) << name;
  }
}

}  // namespace synonyms_test
