// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/data_for_test.hpp"
#include "assay/base/test_files.hpp"
#include "assay/results.hpp"

namespace assay::results::paper_test {

using ::testing::HasSubstr;

TEST(PaperFile, every_shape) {
  const char* shapes[] = {
      R"([{"model": "My Net", "parameters": 10, "dice_mean": 0.7, "dice_std": 0.1}])",
      R"({"models": [{"name": "My Net", "parameters": 10, "dice_mean": 0.7, "dice_std": 0.1}]})",
      R"({"models": {"My Net": {"parameters": 10, "dice_mean": 0.7, "dice_std": 0.1}}})",
      R"({"my_net": {"parameters": 10, "dice_mean": 0.7, "dice_std": 0.1}})",
      R"({"title": "t", "table1": [{"model": "My Net", "parameters": 10, "dice_mean": 0.7,
          "dice_std": 0.1}], "sources": ["s"]})"};
  for (const char* text : shapes) {
    const parity::Paper paper = parse_paper(text, "p.json");
    ASSERT_EQ(paper.models.size(), 1U) << text;
    const parity::PaperModel& m = parity::variant_of(paper, "my_net");
    EXPECT_EQ(m.parameters, 10) << text;
    EXPECT_EQ(m.dice.mean, 0.7) << text;
    EXPECT_EQ(m.dice.std, 0.1) << text;
    EXPECT_FALSE(m.avd || m.mcc || paper.gives_limits) << text;
  }
}

TEST(PaperFile, tolerances_and_limits) {
  const parity::Paper paper =
      parse_paper(R"({"net": {"dice_mean": 0.7, "avd_mean": 0.2, "avd_sig": 1},
    "tolerances": {"dice": 0.05, "dice_std": 0.1},
    "limits": {"acceptable": {"dice": 0.65, "avd": 0.4}, "minimum": {"dice": 0.6}}})",
                  "p.json");
  EXPECT_EQ(paper.limits.dice_tolerance, 0.05);
  EXPECT_EQ(paper.limits.mcc_tolerance, 0.02);
  EXPECT_EQ(paper.limits.dice_std, 0.1);
  EXPECT_EQ(paper.limits.acceptable_avd, 0.4);
  EXPECT_EQ(paper.limits.minimum_dice, 0.6);
  EXPECT_TRUE(paper.gives_limits);
  EXPECT_TRUE(paper.models[0].avd->differs);
}

TEST(PaperFile, what_is_listed_can_be_read) {
  const parity::Paper ours = parity::built_in_paper();
  const parity::Paper read = parse_paper(paper_text(ours), "p.json");
  ASSERT_EQ(read.models.size(), ours.models.size());
  for (std::size_t i = 0; i < ours.models.size(); ++i) {
    EXPECT_EQ(read.models[i].key, ours.models[i].key);
    EXPECT_EQ(read.models[i].parameters, ours.models[i].parameters);
    EXPECT_EQ(read.models[i].mcc->mean, ours.models[i].mcc->mean);
    EXPECT_EQ(read.models[i].avd->differs, ours.models[i].avd->differs);
  }
}

TEST(PaperFile, the_built_in_values_are_the_reference_files) {
  const auto [path, absence] = test::real_data("paper_reference_values.json");
  if (!absence.empty()) GTEST_SKIP() << absence;
  EXPECT_EQ(paper_text(parity::Paper{.models = read_paper(path).models}),
            paper_text(parity::built_in_paper()));
}

TEST(PaperFile, refusals) {
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "no published models"},
      {"[]", "no published models"},
      {"7", "no published models"},
      {R"([{"dice_mean": 0.7}])", "lacks its name"},
      {R"([{"model": "a"}])", "model 'a': dice_mean is absent"},
      {R"({"a": {"dice_mean": "x"}})", "model 'a': dice_mean is not a number"},
      {R"({"a": {"dice_mean": NaN}})", "model 'a': dice_mean is NaN"},
      {R"({"a": {"dice_mean": 0}})", "dice_mean is 0"},
      {R"({"a": {"dice_mean": 0.7, "dice_std": -1}})", "dice_std is negative"},
      {R"({"a": {"dice_mean": 0.7, "parameters": "many"}})", "parameters is not a whole number"},
      {R"([{"model": "A b", "dice_mean": 0.7}, {"model": "a-b", "dice_mean": 0.7}])",
       "two models have the key 'a_b'"},
      {R"({"a": {"dice_mean": 0.7}, "tolerances": {"dcie": 1}})", "did you mean 'dice'?"},
      {R"({"a": {"dice_mean": 0.7}, "limits": {"strict": {}}})", "limits.strict is not known"},
      {R"({"a": {"dice_mean": 0.7}, "limits": 3})", "limits is not an object"},
      {R"({"a": {"dice_mean)", "not valid JSON"}};
  for (const auto& [text, said] : cases) {
    const std::string refusal =
        assay::test::refusal([&, file = text] { parse_paper(file, "p.json"); });
    EXPECT_THAT(refusal, HasSubstr(said)) << text;
    EXPECT_TRUE(refusal.starts_with("p.json")) << refusal;
  }
}

}  // namespace assay::results::paper_test
