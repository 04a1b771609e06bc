// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/demo_cohort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "assay/base/csv.hpp"
#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"
#include "assay/metrics.hpp"

namespace demo_cohort_test {

using namespace assay;
using namespace assay::demo;
using assay::test::refusal;
using assay::test::TemporaryFolder;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr DemoOptions small = {.cases = 9, .side = 64, .jobs = 2};

std::map<std::string, std::string> hashes(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      out[fs::relative(entry.path(), folder).string()] = sha256(read_text(entry.path()));
  return out;
}

metrics::Confusion counted(const fs::path& prediction, const fs::path& reference) {
  const Image p = read_image(prediction), r = read_image(reference);
  Buffer p_scratch, r_scratch;
  EXPECT_EQ(p.grid(), r.grid());
  return metrics::count_foreground(foreground(p, {}, p_scratch).voxels,
                                   foreground(r, {}, r_scratch).voxels);
}

/// Counts of every case that a model has a readable file for.
std::vector<metrics::Confusion> counts_of(const DemoCohort& cohort, std::size_t model) {
  std::vector<metrics::Confusion> out;
  for (const auto& entry : fs::directory_iterator(cohort.models[model].second))
    out.push_back(counted(entry.path(), cohort.references / entry.path().filename()));
  return out;
}

double dice_of(const metrics::Confusion& c) {
  return 2.0 * static_cast<double>(c.tp) / static_cast<double>(c.prediction() + c.reference());
}

double mean_dice(const std::vector<metrics::Confusion>& counts) {
  double sum = 0;
  for (const metrics::Confusion& c : counts) sum += dice_of(c);
  return sum / static_cast<double>(counts.size());
}

TEST(DemoCohort, the_same_bytes_for_any_number_of_jobs_and_when_written_again) {
  const TemporaryFolder one, two;
  write_demo_cohort(one.path(), {.cases = 4, .side = 32, .jobs = 1});
  write_demo_cohort(two.path(), {.cases = 6, .side = 32, .seed = 7, .jobs = 2});
  write_demo_cohort(two.path(), {.cases = 4, .side = 32, .jobs = 2});
  EXPECT_EQ(hashes(one.path()), hashes(two.path()));
  EXPECT_EQ(hashes(one.path()).size(), 4U * 4 - 1 + 2);  // one is missing; manifest and marker
}

TEST(DemoCohort, lesions_measure_1_to_300_ml_and_the_manifest_says_how_much) {
  const TemporaryFolder folder;
  const DemoCohort cohort = write_demo_cohort(folder.path(), small);
  const Csv manifest = parse_csv(read_text(cohort.manifest), "cases.csv");
  EXPECT_EQ(manifest.header, (std::vector<std::string>{"id", "site", "scanner", "lesion_ml"}));
  ASSERT_EQ(manifest.rows.size(), small.cases);
  for (const auto& row : manifest.rows) {
    const fs::path reference = cohort.references / (row[0] + ".nii.gz");
    const auto voxels = static_cast<double>(counted(reference, reference).tp);
    const double ml = voxels * 4 * 4 * 4 / 1000;
    EXPECT_GE(ml, 1) << row[0];
    EXPECT_LE(ml, 300) << row[0];
    EXPECT_NEAR(std::stod(row[3]), ml, 0.0006) << row[0];
  }
}

TEST(DemoCohort, each_model_errs_in_its_own_way) {
  const TemporaryFolder folder;
  const DemoCohort cohort =
      write_demo_cohort(folder.path(), {.cases = 9, .side = 64, .with_faults = false, .jobs = 2});
  const auto good = counts_of(cohort, 0), over = counts_of(cohort, 1);
  const auto blind = counts_of(cohort, 2);
  ASSERT_EQ(good.size(), 9U);
  for (const metrics::Confusion& c : good) EXPECT_GT(dice_of(c), 0.8);
  EXPECT_GT(mean_dice(good), 0.87);
  EXPECT_LT(mean_dice(good), 0.94);
  for (const metrics::Confusion& c : over) EXPECT_GT(c.fp, 2 * c.fn);
  const auto empty = std::ranges::count(blind, 0, &metrics::Confusion::prediction);
  EXPECT_GE(empty, 1);
  EXPECT_LE(empty, 4);
}

/// How many voxels each label has.
std::map<Label, std::size_t> label_counts(const fs::path& path) {
  const Image image = read_image(path, {}, Volumes::classes);
  Buffer scratch;
  std::vector<Label> values;
  const LabelView view = image.header().channels > 1 ? likeliest_labels(image, scratch, values)
                                                     : labels(image, scratch, values);
  std::map<Label, std::size_t> out;
  for_each_run(view, [&](std::size_t first, std::size_t end, std::size_t code) {
    out[view.values[code]] += end - first;
  });
  return out;
}

TEST(DemoCohort, a_study_has_two_named_labels_a_head_and_maps_of_probabilities) {
  const TemporaryFolder folder;
  const DemoCohort cohort =
      write_demo_cohort(folder.path(), {.cases = 2, .side = 64, .as_study = true, .jobs = 2});
  const Grid grid = read_image(cohort.references / "sub-002.nii.gz").grid();
  EXPECT_EQ(grid.shape, (Shape{48, 64, 48}));
  EXPECT_EQ(read_image(cohort.images / "sub-002.nii.gz").grid(), grid);
  for (const auto& [model, predictions] : cohort.models) {
    EXPECT_EQ(parse_json(read_text(predictions / "dataset.json"), "")["labels"]["oedema"], 2);
    const Image prediction = read_image(predictions / "sub-002.nii.gz", {}, Volumes::classes);
    EXPECT_EQ(prediction.header().channels, model == "over" ? 3U : 1U) << model;
    auto reference = label_counts(cohort.references / "sub-002.nii.gz");
    auto drawn = label_counts(predictions / "sub-002.nii.gz");
    for (const Label label : {1, 2}) {
      EXPECT_GT(drawn[label], reference[label] / 2) << model;
      EXPECT_LT(drawn[label], reference[label] * 3) << model;
    }
  }
}

TEST(DemoCohort, one_prediction_is_damaged_and_one_is_missing) {
  const TemporaryFolder folder;
  const DemoCohort cohort = write_demo_cohort(folder.path(), small);
  EXPECT_EQ(cohort.models.front().first, "good");
  const fs::path good = cohort.models.front().second;
  EXPECT_THAT(refusal([&] { read_image(good / "sub-004.nii.gz"); }), HasSubstr("cut short"));
  EXPECT_FALSE(fs::exists(good / "sub-007.nii.gz"));
  EXPECT_TRUE(fs::exists(cohort.references / "sub-007.nii.gz"));
}

TEST(DemoCohort, nothing_to_write_is_refused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal([&] { write_demo_cohort(folder.path(), {.cases = 0}); }),
              HasSubstr("--cases must be 1 or more"));
  EXPECT_THAT(refusal([&] { write_demo_cohort(folder.path(), {.side = 3}); }),
              HasSubstr("between 16 and 1024"));
}

}  // namespace demo_cohort_test
