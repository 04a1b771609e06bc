// SPDX-License-Identifier: Apache-2.0
#include "assay/score/score_cohort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/base/file.hpp"
#include "assay/base/journal.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"
#include "assay/results.hpp"
#include "assay/results/case_record.hpp"

namespace score_cohort_test {

using namespace assay;
using namespace assay::score;
using testing::HasSubstr;

namespace fs = std::filesystem;

/// Twelve cases of 8x8x8, the prediction of case k moved by k voxels; one is broken, one missing.
class SmallCohort : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    fs::create_directories(root_ / "pred");
    fs::create_directories(root_ / "ref");
    for (std::size_t k = 0; k < 12; ++k) {
      write(root_ / "ref" / name(k), 0);
      if (k != 5) write(root_ / "pred" / name(k), k % 4);
    }
    std::ofstream(root_ / "pred" / name(3)) << "not an image";
  }
  void TearDown() override { fs::remove_all(root_); }

  static std::string name(std::size_t k) {
    return "case" + std::string(1, static_cast<char>('a' + k)) + ".nii.gz";
  }

  static void write(const fs::path& path, std::size_t shift) {
    Volume<std::uint8_t> volume(Grid{.shape = {8, 8, 8}});
    for (std::size_t i = 0; i < 200; ++i) volume.voxels()[i + shift] = 1;
    write_image(path, volume.view());
  }

  Cohort cohort() const {
    metrics::ScoreSettings settings;
    settings.metrics = metrics::chosen_metrics("dice");
    return plan_cohort({.prediction = root_ / "pred", .reference = root_ / "ref"}, settings);
  }

  fs::path journal() const { return root_ / "out.json.journal"; }

  fs::path root_;
};

std::vector<std::string> texts(const CohortRecords& run) {
  std::vector<std::string> out;
  for (const metrics::CaseRecord& r : run.records) out.push_back(results::record_text(r));
  return out;
}

TEST_F(SmallCohort, one_bad_case_is_recorded_and_the_others_go_on) {
  const auto run = score_cases(cohort(), {.jobs = 2});
  ASSERT_EQ(run.records.size(), 12U);
  EXPECT_EQ(run.records[3].fate, metrics::Fate::failed);
  EXPECT_THAT(run.records[3].error, HasSubstr("cased.nii.gz"));
  EXPECT_EQ(run.records[5].fate, metrics::Fate::missing_prediction);
  EXPECT_EQ(run.records[1].counts.at("foreground"), (metrics::Confusion{199, 1, 1, 311}));
}

TEST_F(SmallCohort, any_number_of_jobs_gives_the_same_records) {
  const auto one = texts(score_cases(cohort(), {.jobs = 1}));
  EXPECT_EQ(texts(score_cases(cohort(), {.jobs = 2})), one);
  EXPECT_EQ(texts(score_cases(cohort(), {.jobs = 7})), one);
}

TEST_F(SmallCohort, a_stopped_run_resumes_to_the_same_records) {
  const auto whole = texts(score_cases(cohort(), {.jobs = 1}));
  std::atomic<bool> stop = false;
  const Execution first = {.jobs = 1,
                           .journal = journal(),
                           .progress = [&](std::size_t done, std::size_t,
                                           const metrics::CaseRecord&) { stop = done == 7; },
                           .stop = &stop};
  const auto cut = score_cases(cohort(), first);
  EXPECT_TRUE(cut.interrupted);
  EXPECT_EQ(cut.records.size(), 7U);

  const auto rest = score_cases(cohort(), {.jobs = 2, .journal = journal(), .resume = true});
  EXPECT_EQ(rest.replayed, 5U);  // of seven, the broken and the missing one are tried again
  EXPECT_EQ(texts(rest), whole);
}

TEST_F(SmallCohort, a_resumed_run_scores_changed_files_again) {
  score_cases(cohort(), {.jobs = 1, .journal = journal()});
  write(root_ / "pred" / name(0), 8);
  const auto rest = score_cases(cohort(), {.jobs = 1, .journal = journal(), .resume = true});
  EXPECT_EQ(rest.replayed, 9U);
  EXPECT_EQ(rest.records[0].counts.at("foreground").tp, 192);
}

TEST_F(SmallCohort, a_record_with_impossible_counts_is_refused_although_its_checksum_is_right) {
  score_cases(cohort(), {.jobs = 1, .journal = journal()});
  auto content = read_journal(journal());
  std::string& first = content->records.front();
  const std::size_t at = first.find("[200,");
  ASSERT_NE(at, first.npos) << first;
  first.replace(at, 5, "[-1,");
  Journal::create(journal(), content->header).commit(content->records);
  EXPECT_EQ(test::refusal(
                [&] { score_cases(cohort(), {.jobs = 1, .journal = journal(), .resume = true}); }),
            journal().string() +
                ": a case record is not sound: a count is negative; run without --resume to "
                "start over");
}

TEST_F(SmallCohort, a_journal_of_other_settings_is_not_resumed) {
  score_cases(cohort(), {.jobs = 1, .journal = journal()});
  Cohort other = cohort();
  other.settings.beta = 2;
  EXPECT_THAT(
      test::refusal([&] { score_cases(other, {.jobs = 1, .journal = journal(), .resume = true}); }),
      HasSubstr("begun with other settings"));
}

}  // namespace score_cohort_test
