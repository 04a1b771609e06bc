// SPDX-License-Identifier: Apache-2.0
#include "assay/score/grand_challenge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assay/base/test_files.hpp"

namespace grand_challenge_test {

using namespace assay;
using namespace assay::score;
using testing::HasSubstr;

constexpr const char* older = R"json([
  {"pk": "05c0bc43", "status": "Succeeded",
   "inputs": [{"pk": 7, "file": null, "value": null,
               "image": {"pk": "15ebcfcd", "name": "p1_0000.nii.gz"},
               "interface": {"kind": "Image", "slug": "ct", "super_kind": "Image",
                             "relative_path": "images/ct"}},
              {"file": null, "image": null, "value": 63,
               "interface": {"kind": "Integer", "slug": "age", "super_kind": "Value",
                             "relative_path": "age.json"}}],
   "outputs": [{"file": "https://example.org/likelihood.json", "image": null, "value": null,
                "interface": {"kind": "Float", "slug": "likelihood", "super_kind": "File",
                              "relative_path": "likelihood.json"}},
               {"file": null, "image": {"pk": "f48130d0", "name": "out.mha"}, "value": null,
                "interface": {"kind": "Segmentation", "slug": "lesion", "super_kind": "Image",
                              "relative_path": "images/lesion"}}]}])json";

constexpr const char* newer = R"json([
  {"pk": "4f0b681f",
   "inputs": [{"file": null, "value": null, "image": {"name": "p2.mha"},
               "socket": {"slug": "t1", "relative_path": "images/t1", "is_image_kind": true,
                          "is_panimg_kind": true, "is_json_kind": false}},
              {"file": null, "value": null, "image": {"name": "p2_flair.mha"},
               "socket": {"slug": "flair", "relative_path": "images/flair",
                          "is_image_kind": true}}],
   "outputs": [{"file": null, "value": null, "image": null,
                "socket": {"slug": "stroke", "relative_path": "images/stroke",
                           "is_image_kind": true}}]}])json";

std::string message(std::string_view text, const Sockets& sockets = {}) {
  return test::refusal([&] { parse_jobs(text, "predictions.json", sockets); });
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(GrandChallenge, interfaces_of_older_versions_give_the_only_images) {
  const auto jobs = parse_jobs(older, "f", {});
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].path, "05c0bc43/output/images/lesion");
  EXPECT_EQ(jobs[0].stem, "p1_0000");
}

TEST(GrandChallenge, sockets_of_newer_versions_are_chosen_by_their_slugs) {
  const auto jobs = parse_jobs(newer, "f", {.input = "t1"});
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].path, "4f0b681f/output/images/stroke");
  EXPECT_EQ(jobs[0].stem, "p2");
  EXPECT_EQ(parse_jobs(newer, "f", {"flair", "stroke"})[0].stem, "p2_flair");
}

TEST(GrandChallenge, an_output_that_is_not_an_image_can_be_asked_for) {
  const auto jobs = parse_jobs(older, "f", {.output = "likelihood"});
  EXPECT_EQ(jobs.at(0).path, "05c0bc43/output/likelihood.json");
}

TEST(GrandChallenge, what_is_ambiguous_or_absent_names_the_job_and_the_remedy) {
  EXPECT_EQ(message(newer),
            "predictions.json: job 4f0b681f has several images among its inputs (t1, flair); "
            "choose one with --input-socket t1");
  EXPECT_EQ(message(older, {.output = "lesions"}),
            "predictions.json: job 05c0bc43 has no output 'lesions'; it has likelihood, lesion");
  EXPECT_THAT(message(replaced(newer, "\"outputs\"", "\"others\""), {.input = "t1"}),
              HasSubstr("has no image among its outputs (it has none)"));
  EXPECT_THAT(message(older, {.input = "age"}), HasSubstr("is not an image with a name"));
  EXPECT_THAT(message("{}"), HasSubstr("is not a list of jobs"));
  EXPECT_THAT(message("[]"), HasSubstr("lists no jobs"));
  EXPECT_THAT(message("[{}]"), HasSubstr("has no pk"));
  EXPECT_THAT(message("[1]"), HasSubstr("has no pk"));
  EXPECT_THAT(message("[{\"pk\""), HasSubstr("predictions.json"));
}

TEST(GrandChallenge, no_name_leads_out_of_the_input_folder) {
  EXPECT_THAT(message(replaced(older, "images/lesion", "../../secret")),
              HasSubstr("is not in the input folder"));
  EXPECT_THAT(message(replaced(older, "05c0bc43", "/etc")),
              HasSubstr("is not in the input folder"));
}

}  // namespace grand_challenge_test
