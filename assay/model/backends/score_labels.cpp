// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/score_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "assay/error.hpp"

namespace assay::model {
namespace {

constexpr std::size_t labelled_at_once = std::size_t{1} << 16;  ///< voxels per task

[[noreturn]] void refuse_scores(const std::string& why) {
  throw Error(Error::Kind::input, "the model's first output " + why);
}

using Piece = std::function<void(std::size_t from, std::size_t to)>;

void for_pieces(std::size_t voxels, const Executor& executor, const Piece& work) {
  run_tasks(executor, (voxels + labelled_at_once - 1) / labelled_at_once, [&](std::size_t i) {
    work(i * labelled_at_once, std::min(voxels, (i + 1) * labelled_at_once));
  });
}

/// A comparison with NaN is false, so NaN would count as the first class.
void require_numbers(std::span<const float> values) {
  if (std::ranges::any_of(values, [](float v) { return std::isnan(v); }))
    refuse_scores("has voxels that are not numbers (NaN); check the preprocessing and the export");
}

void label_by_largest(std::span<const float> scores, std::span<std::uint8_t> labels,
                      const Executor& executor) {
  const std::size_t voxels = labels.size(), classes = scores.size() / voxels;
  for_pieces(voxels, executor, [&](std::size_t from, std::size_t to) {
    std::vector<float> best(scores.begin() + static_cast<std::ptrdiff_t>(from),
                            scores.begin() + static_cast<std::ptrdiff_t>(to));
    require_numbers(best);
    std::fill_n(labels.begin() + static_cast<std::ptrdiff_t>(from), to - from, std::uint8_t{0});
    for (std::size_t k = 1; k < classes; ++k) {
      const auto channel = scores.subspan(k * voxels + from, to - from);
      require_numbers(channel);
      for (std::size_t i = 0; i < channel.size(); ++i)
        if (channel[i] > best[i]) {
          best[i] = channel[i];
          labels[from + i] = static_cast<std::uint8_t>(k);
        }
    }
  });
}

void paint(std::span<const float> scores, std::span<std::uint8_t> labels,
           const std::vector<PaintedRegion>& order, float limit, const Executor& executor) {
  const std::size_t voxels = labels.size();
  for_pieces(voxels, executor, [&](std::size_t from, std::size_t to) {
    std::fill_n(labels.begin() + static_cast<std::ptrdiff_t>(from), to - from, std::uint8_t{0});
    for (const PaintedRegion& region : order) {
      const auto channel = scores.subspan(region.channel * voxels + from, to - from);
      require_numbers(channel);
      for (std::size_t i = 0; i < channel.size(); ++i)
        if (channel[i] > limit) labels[from + i] = region.label;
    }
  });
}

}  // namespace

void require_classes(std::size_t classes) {
  constexpr std::size_t most = 256;
  if (classes == 0 || classes > most)
    refuse_scores(fmt::format("has {} classes; 1 to {} can be labelled", classes, most));
}

ScoreLabeller::ScoreLabeller(const ScoreRules& rules, bool probabilities)
    : regions_(rules.regions.size()),
      order_(rules.regions.empty() ? std::vector<PaintedRegion>{{0, 1}}
                                   : painting_order(rules.regions)),
      limit_(static_cast<float>(probabilities ? rules.threshold
                                              : std::log(rules.threshold / (1 - rules.threshold)))),
      probabilities_(probabilities) {}

void ScoreLabeller::look_at(std::span<const float> scores, const Executor& executor) {
  if (probabilities_) return;
  std::vector<std::pair<float, float>> found((scores.size() + labelled_at_once - 1) /
                                             labelled_at_once);
  for_pieces(scores.size(), executor, [&](std::size_t from, std::size_t to) {
    const auto range = std::ranges::minmax(scores.subspan(from, to - from));
    found[from / labelled_at_once] = {range.min, range.max};
  });
  for (const auto& [least, most] : found) {
    least_ = std::min(least_, least);
    most_ = std::max(most_, most);
  }
}

void ScoreLabeller::label(std::span<const float> scores, std::span<std::uint8_t> labels,
                          const Executor& executor) {
  if (labels.empty()) return;
  const std::size_t classes = scores.size() / labels.size();
  if (regions_ != 0 && regions_ != classes)
    refuse_scores(
        fmt::format("has {} channels, but the recipe names {} regions", classes, regions_));
  if (regions_ == 0 && classes > 1) return label_by_largest(scores, labels, executor);
  by_threshold_ = true;
  paint(scores, labels, order_, limit_, executor);
  look_at(scores, executor);
}

/// A model whose output does not end in a Sigmoid, but lies within 0 to 1, may give probabilities
/// all the same. Treating those as logits would label every voxel.
void ScoreLabeller::finish() const {
  if (by_threshold_ && !probabilities_ && least_ >= 0 && most_ <= 1 && least_ != most_)
    refuse_scores(fmt::format(
        "has {} with values from 0 to 1, but does not end in Sigmoid, so it is unclear whether "
        "these are probabilities or logits; export the model with its Sigmoid",
        regions_ > 1 ? fmt::format("{} channels", regions_) : "one channel"));
}

}  // namespace assay::model
