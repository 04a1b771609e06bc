// SPDX-License-Identifier: Apache-2.0
#include "assay/score/case_predictor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "assay/base/own_threads.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/npy.hpp"

namespace assay::score::case_predictor_test {

namespace fs = std::filesystem;

/// Says 1 above 0.5; counts its calls, and how many are under way at once.
class Fake : public model::Predictor {
 public:
  std::string backend() const override { return "fake"; }
  std::string sha256() const override { return "fake"; }
  model::Prediction predict(const model::PredictorInput& input,
                            const model::PredictionSettings& settings) override {
    const int now = ++running;
    most = std::max(most.load(), now);
    std::this_thread::yield();
    ++calls;
    files.push_back(input.files.empty() ? fs::path() : input.files.front());
    Volume<std::uint8_t> labels(input.grid());
    for (std::size_t i = 0; i < labels.voxels().size(); ++i)
      labels.voxels()[i] = input.channels.front().voxels[i] > 0.5F ? 1 : 0;
    --running;
    return {std::move(labels),
            settings.logits ? std::vector<float>(2 * input.grid().size()) : std::vector<float>()};
  }

  std::atomic<int> running = 0, most = 0, calls = 0;
  std::vector<fs::path> files;
};

model::Recipe recipe(std::string_view name) {
  for (const model::Recipe& one : model::builtin_recipes())
    if (one.name == name) return one;
  throw Error(Error::Kind::usage, "no such recipe");
}

fs::path written_image(const fs::path& path, float scale) {
  const Grid grid = {.shape = {3, 2, 2}};
  Volume<float> image(grid);
  for (std::size_t i = 0; i < image.voxels().size(); ++i)
    image.voxels()[i] = scale * static_cast<float>(i) / 11.0F;
  write_image(path, image.view());
  return path;
}

TEST(CasePredictor, infers_once_and_remembers) {
  const TemporaryFolder folder;
  const fs::path image = written_image(folder.path() / "a.nii", 1);
  Fake model;
  CasePredictor cases({model, recipe("none"), "r", PredictionCache(folder.path() / "cache")});
  const PredictedCase first = cases.predict({image}), second = cases.predict({image});
  EXPECT_EQ(model.calls, 1);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_THAT(second.labels.view().voxels, testing::ElementsAreArray(first.labels.view().voxels));
  EXPECT_EQ(cases.inferred(), 1U);
  EXPECT_EQ(cases.remembered(), 1U);
  EXPECT_EQ(cases.predict({image}, true).logits.size(), 24U) << "logits are not kept";
  EXPECT_EQ(model.calls, 2);
}

TEST(CasePredictor, the_file_stands_for_itself_only_when_nothing_is_changed) {
  const TemporaryFolder folder;
  const fs::path image = written_image(folder.path() / "a.nii", 1);
  Fake model;
  CasePredictor plain({model, recipe("none"), "r"}), scaled({model, recipe("minmax"), "s"});
  plain.predict({image});
  scaled.predict({image});
  EXPECT_THAT(model.files, testing::ElementsAre(fs::absolute(image), fs::path()));
}

TEST(CasePredictor, what_is_assumed_of_an_array_is_said_where_it_matters) {
  const TemporaryFolder folder;
  const fs::path image = written_image(folder.path() / "a.nii", 1), array = folder.path() / "a.npy";
  const std::vector<float> ramp = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  write_logits(array, ramp, {3, 2, 2});
  model::Recipe oriented = recipe("none"), resampled = oriented, cleaned = oriented;
  oriented.orientation = "LPS";
  resampled.grid = model::GridRule::zoom;
  cleaned.min_volume_ml = 0.001;
  Fake model;
  for (const model::Recipe& one : {oriented, resampled, cleaned}) {
    CasePredictor cases({model, one, "r", PredictionCache(folder.path() / "cache")});
    EXPECT_EQ(cases.predict({image}).warning, "");
    for (const bool from_cache : {false, true}) {
      const PredictedCase found = cases.predict({array});
      EXPECT_THAT(found.warning, testing::HasSubstr("taken as RAS with voxels of 1 mm"));
      EXPECT_EQ(found.from_cache, from_cache);
    }
    fs::remove_all(folder.path() / "cache");
  }
  EXPECT_EQ(CasePredictor({model, recipe("minmax"), "r"}).predict({array}).warning, "");
}

TEST(CasePredictor, threads_take_turns_at_the_model) {
  const TemporaryFolder folder;
  std::vector<fs::path> images;
  for (int i = 0; i < 12; ++i)
    images.push_back(
        written_image(folder.path() / (std::to_string(i) + ".nii"), 1 + static_cast<float>(i)));
  Fake model;
  CasePredictor cases({model, recipe("none"), "r"});
  std::atomic<std::size_t> next = 0;
  on_own_threads(4, [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < images.size();) cases.predict({images[i]});
  });
  EXPECT_EQ(model.most, 1);
  EXPECT_EQ(model.calls, 12);
}

TEST(OwnThreads, the_first_trouble_comes_out) {
  std::atomic<int> runs = 0;
  EXPECT_THROW(on_own_threads(3,
                              [&] {
                                ++runs;
                                throw Error(Error::Kind::io, "full");
                              }),
               Error);
  EXPECT_EQ(runs, 3);
}

}  // namespace assay::score::case_predictor_test
