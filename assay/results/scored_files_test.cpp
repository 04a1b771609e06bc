// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/results.hpp"

using namespace assay;
using namespace assay::results;
using assay::testing::refusal;
using assay::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

constexpr std::string_view file = R"({"schema": "assay.segmentation/1", "model_name": "m",
 "labels": {"1": {"name": "core", "members": [1]}, "all": {"name": "whole", "members": [1, 2]}},
 "cases": [{"id": "a", "prediction": "a.nii", "reference": null, "prediction_sha256": "00"},
           {"id": "b", "prediction": "b.nii", "reference": "rb.nii", "label": {}}],
 "settings": {"threshold": 0.5, "allow_affine_mismatch": true},
 "provenance": {"command": ["assay", "score", "q", "r"], "roots": {"prediction": "/data/p"}}})";

ScoredFiles read(std::string_view text, std::vector<std::string> ids) {
  const TemporaryFolder folder;
  write_atomically(folder / "r.json", text);
  return read_scored_files(folder / "r.json", ids);
}

TEST(ScoredFiles, AreThoseOfTheNamedCases) {
  const ScoredFiles found = read(file, {"b", "c"});
  ASSERT_EQ(found.cases.size(), 1U);
  EXPECT_EQ(found.cases[0].prediction, "b.nii");
  EXPECT_EQ(found.cases[0].reference, "rb.nii");
  EXPECT_EQ(found.roots.prediction, "/data/p");
  EXPECT_EQ(found.roots.image, "");
  ASSERT_EQ(found.regions.size(), 2U);
  EXPECT_EQ(found.regions[1].name, "whole");
  EXPECT_THAT(found.regions[1].members, ElementsAre(1, 2));
  EXPECT_EQ(found.threshold, 0.5);
  EXPECT_TRUE(found.allow_affine_mismatch);
}

TEST(ScoredFiles, NullIsNoFile) {
  EXPECT_EQ(read(file, {"a"}).cases.at(0).reference, "");
}

TEST(ScoredFiles, OtherFilesHaveNone) {
  EXPECT_TRUE(read("id,dice\na,1\n", {"a"}).cases.empty());
  EXPECT_TRUE(read(R"({"schema": "assay.folds/1", "cases": [{"id": "a"}]})", {"a"}).cases.empty());
}

TEST(ScoredFiles, WrongTypesAreRefused) {
  const auto said = refusal([] {
    read(R"({"schema": "assay.segmentation/1", "cases": [],
             "settings": {"allow_affine_mismatch": 3}})",
         {"a"});
  });
  EXPECT_THAT(said, HasSubstr("score the cases again"));
}

TEST(MemberTexts, AreCutOutAsTheyStand) {
  constexpr std::string_view wanted[] = {"b", "none", "a"};
  EXPECT_THAT(member_texts(" {\"a\": 1 , \"b\": {\"c\": [2, 3]}}", "x", wanted),
              ElementsAre("{\"c\": [2, 3]}", "", "1"));
  EXPECT_THAT(member_texts("a,b\n", "x", wanted), ElementsAre("", "", ""));
}

TEST(ParityReader, ReadsWhatIsWritten) {
  parity::Achieved achieved{.source = "run.json"};
  achieved.dice.value = 0.87;
  achieved.mcc.value = 0.75;
  achieved.dice_std.std.value = 0.02;
  const parity::ParityReport written =
      parity::parity_report(achieved, parity::built_in_paper(), "meshnet_16");
  const parity::ParityReport back = parse_parity(parity_text(written, {}), "p.json");
  EXPECT_EQ(back.achieved.source, "run.json");
  EXPECT_EQ(back.paper.key, "meshnet_16");
  EXPECT_EQ(back.paper.dice.mean, written.paper.dice.mean);
  EXPECT_EQ(back.limits.acceptable_avd, written.limits.acceptable_avd);
  EXPECT_EQ(back.result.parity_level, written.result.parity_level);
  EXPECT_EQ(back.result.details.dice.diff, written.result.details.dice.diff);
  EXPECT_EQ(back.result.details.avd.achieved, std::nullopt);
  EXPECT_EQ(back.explanation, written.explanation);
}

TEST(ParityReader, RefusesOtherFiles) {
  EXPECT_THAT(refusal([] { parse_parity("{}", "p.json"); }), HasSubstr("p.json: is not as"));
  EXPECT_THAT(refusal([] { parse_parity("[", "p.json"); }), HasSubstr("p.json"));
}

}  // namespace
