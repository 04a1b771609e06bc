// SPDX-License-Identifier: Apache-2.0
// Windows are run layer by layer from the first z to the last. Once all windows that begin at one z
// are done, no later window reaches the planes before the next z. Those planes are divided by their
// weights, labelled and dropped. So the memory for scores is that of one window's depth, whatever
// the number of windows. Every voxel is summed in the order of the windows, whatever the number of
// threads.
#include "assay/model/backends/score_predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/model/backends/score_labels.hpp"
#include "assay/model/backends/window.hpp"

namespace assay::model {
namespace {

/// All combinations of flips of the axes that may be mirrored; the first flips none.
std::vector<AxisMap> flips_of(const std::array<bool, 3>& mirror) {
  std::vector<AxisMap> out;
  for (unsigned bits = 0; bits < 8; ++bits) {
    AxisMap map;
    bool is_wanted = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      map.flipped[axis] = (bits >> axis & 1U) != 0;
      is_wanted = is_wanted && (mirror[axis] || !map.flipped[axis]);
    }
    if (is_wanted) out.push_back(map);
  }
  return out;
}

constexpr std::size_t planes_at_once = 8;  ///< planes that are labelled in one step

std::size_t plane_of(const Shape& shape) {
  return shape[0] * shape[1];
}

/// What the steps of a prediction share, apart from the image.
struct Course {
  const WindowPlan& plan;
  const std::vector<float>& weights;
  const Executor& executor;
};

/// Copies a window of the padded image; voxels outside the image keep the value 0 that they have.
void cut(View<float> image, const WindowPlan& plan, const Shape& start, std::span<float> into) {
  const Shape &shape = image.grid.shape, &window = plan.window;
  const auto inside = [&](std::size_t axis, std::size_t i) {
    const std::size_t at = start[axis] + i;
    return at >= plan.before[axis] && at < plan.before[axis] + shape[axis];
  };
  const std::size_t x0 = std::max(start[0], plan.before[0]);
  const std::size_t x1 = std::min(start[0] + window[0], plan.before[0] + shape[0]);
  auto row = into.begin();
  for (std::size_t z = 0; z < window[2]; ++z)
    for (std::size_t y = 0; y < window[1]; ++y, row += static_cast<std::ptrdiff_t>(window[0])) {
      if (!inside(2, z) || !inside(1, y)) continue;
      const std::size_t from =
          (x0 - plan.before[0]) +
          shape[0] * ((start[1] + y - plan.before[1]) + shape[1] * (start[2] + z - plan.before[2]));
      std::ranges::copy(image.voxels.subspan(from, x1 - x0),
                        row + static_cast<std::ptrdiff_t>(x0 - start[0]));
    }
}

/// The sums of scores and of weights for as many planes as a window is deep.
class Slab {
 public:
  Slab(const WindowPlan& plan, std::size_t classes)
      : plan_(plan),
        classes_(classes),
        plane_(plane_of(plan.padded)),
        sums_(classes * plan.window[2] * plane_),
        counts_(plan.window[2] * plane_) {}

  std::size_t classes() const { return classes_; }

  /// Adds the scores of a window that starts at x and y of `start` and at the first plane of the
  /// slab.
  void add(std::span<const float> scores, const Shape& start, const Course& course) {
    run_tasks(course.executor, plan_.window[2], [&](std::size_t z) {
      add_plane(course.weights, {}, start, z);
      for (std::size_t k = 0; k < classes_; ++k)
        add_plane(course.weights, scores.subspan(k * course.weights.size(), course.weights.size()),
                  start, z, k);
    });
  }

  /// The mean scores of class `k` on plane `z` of the slab, for the pixels that lie on the image.
  void means(std::size_t k, std::size_t z, const Shape& image, std::span<float> into) const {
    const float *sums = sums_.data() + (k * plan_.window[2] + z) * plane_,
                *counts = counts_.data() + z * plane_;
    auto out = into.begin();
    for (std::size_t y = 0; y < image[1]; ++y) {
      const std::size_t row = (y + plan_.before[1]) * plan_.padded[0] + plan_.before[0];
      for (std::size_t x = row; x < row + image[0]; ++x) *out++ = sums[x] / counts[x];
    }
  }

  /// Drops the first planes and moves the others to the front.
  void advance(std::size_t planes) {
    const std::size_t kept = (plan_.window[2] - planes) * plane_;
    const auto shift = [&](std::span<float> of) {
      std::copy_n(of.begin() + static_cast<std::ptrdiff_t>(planes * plane_), kept, of.begin());
      std::fill(of.begin() + static_cast<std::ptrdiff_t>(kept), of.end(), 0.0F);
    };
    const std::size_t depth = plan_.window[2] * plane_;
    for (std::size_t k = 0; k < classes_; ++k) shift(std::span(sums_).subspan(k * depth, depth));
    shift(counts_);
  }

 private:
  /// Adds plane `z` of a window: weighted scores to the sums, or, without scores, the weights to
  /// the counts.
  void add_plane(const std::vector<float>& weights, std::span<const float> scores,
                 const Shape& start, std::size_t z, std::size_t k = 0) {
    const Shape& window = plan_.window;
    float* into =
        scores.empty() ? counts_.data() + z * plane_ : sums_.data() + (k * window[2] + z) * plane_;
    std::size_t from = z * plane_of(window);
    for (std::size_t y = 0; y < window[1]; ++y) {
      float* row = into + (start[1] + y) * plan_.padded[0] + start[0];
      for (std::size_t x = 0; x < window[0]; ++x, ++from)
        row[x] += scores.empty() ? weights[from] : weights[from] * scores[from];
    }
  }

  const WindowPlan& plan_;
  std::size_t classes_, plane_;
  std::vector<float> sums_, counts_;
};

std::string text_of(const ScoreRules& rules) {
  const Shape window = rules.window.value_or(Shape{});
  std::string out =
      fmt::format("window={}x{}x{} overlap={} weights={} mirror={}{}{} threshold={}", window[0],
                  window[1], window[2], rules.overlap, static_cast<int>(rules.weights),
                  rules.mirror[0], rules.mirror[1], rules.mirror[2], rules.threshold);
  for (const PaintedRegion& region : painting_order(rules.regions))
    out += fmt::format(" {}:{}", region.channel, region.label);
  return out;
}

class ScorePredictor : public Predictor {
 public:
  ScorePredictor(std::unique_ptr<Predictor> network, const ScoreRules& rules)
      : network_(std::move(network)), rules_(rules), flips_(flips_of(rules.mirror)) {
    require_valid(rules);
  }

  std::string backend() const override { return network_->backend(); }
  std::string sha256() const override {
    return assay::sha256(network_->sha256() + "\n" + text_of(rules_) + "\n");
  }
  std::size_t channels() const override { return network_->channels(); }

  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override;

 private:
  using Patch = std::vector<std::vector<float>>;  // by channel

  std::vector<float> scores_of(const Patch& patch, const Grid& grid, const Executor& executor);
  std::vector<float> mean_scores(const Patch& patch, const Grid& grid, const Executor& executor);

  std::unique_ptr<Predictor> network_;
  ScoreRules rules_;
  std::vector<AxisMap> flips_;
  bool probabilities_ = false;  ///< whether the last scores were probabilities
};

std::vector<float> ScorePredictor::scores_of(const Patch& patch, const Grid& grid,
                                             const Executor& executor) {
  PredictorInput input;
  for (const std::vector<float>& channel : patch) input.channels.push_back({grid, channel});
  Prediction found =
      network_->predict(input, {.executor = executor, .logits = true, .labels = false});
  if (found.logits.empty())
    throw Error(Error::Kind::unsupported,
                "this back-end gives labels only; windows, mirroring and regions need scores");
  probabilities_ = found.probabilities;
  return std::move(found.logits);
}

/// The mean over all flips, each flipped back.
std::vector<float> ScorePredictor::mean_scores(const Patch& patch, const Grid& grid,
                                               const Executor& executor) {
  std::vector<float> sum = scores_of(patch, grid, executor);
  if (flips_.size() == 1) return sum;
  const std::size_t voxels = grid.size();
  Patch flipped = patch;
  std::vector<float> back(voxels);
  for (std::size_t f = 1; f < flips_.size(); ++f) {
    for (std::size_t c = 0; c < patch.size(); ++c)
      reorient(View<float>{grid, patch[c]}, flips_[f], std::span(flipped[c]));
    const std::vector<float> scores = scores_of(flipped, grid, executor);
    for (std::size_t at = 0; at < scores.size(); at += voxels) {
      reorient(View<float>{grid, std::span(scores).subspan(at, voxels)}, flips_[f],
               std::span(back));
      for (std::size_t i = 0; i < voxels; ++i) sum[at + i] += back[i];
    }
  }
  const auto count = static_cast<float>(flips_.size());
  for (float& score : sum) score /= count;
  return sum;
}

/// Takes the planes of an image in order, each as soon as its means are final.
class PlaneSink {
 public:
  PlaneSink(const Grid& grid, const ScoreRules& rules, const PredictionSettings& settings)
      : grid_(grid),
        rules_(rules),
        settings_(settings),
        out_{.labels = Volume<std::uint8_t>(settings.labels ? grid : Grid{}), .logits = {}} {}

  /// The first `count` planes of a slab that begins at plane `first` of the padded image.
  void take(const Slab& slab, const WindowPlan& plan, std::size_t first, std::size_t count,
            bool probabilities) {
    const Shape& shape = grid_.shape;
    const std::size_t from = std::max(first, plan.before[2]);
    const std::size_t to = std::min(first + count, plan.before[2] + shape[2]);
    for (std::size_t z = from; z < to; z += planes_at_once)
      take_planes(slab, plan, {first, z, std::min(to - z, planes_at_once)}, probabilities);
  }

  Prediction finish() {
    if (labeller_) labeller_->finish();
    return std::move(out_);
  }

 private:
  /// The plane where a slab begins, then the first plane to take and how many.
  struct Planes {
    std::size_t slab, from, count;
  };

  void take_planes(const Slab& slab, const WindowPlan& plan, const Planes& which,
                   bool probabilities) {
    const Shape& shape = grid_.shape;
    const std::size_t plane = plane_of(shape), planes = which.count;
    scores_.resize(slab.classes() * planes * plane);
    run_tasks(settings_.executor, slab.classes() * planes, [&](std::size_t i) {
      const std::size_t k = i / planes, z = i % planes;
      slab.means(k, which.from - which.slab + z, shape,
                 std::span(scores_).subspan(i * plane, plane));
    });
    keep(which.from - plan.before[2], planes, slab.classes(), probabilities);
  }

  void keep(std::size_t z, std::size_t planes, std::size_t classes, bool probabilities) {
    const std::size_t plane = plane_of(grid_.shape), at = z * plane, count = planes * plane;
    out_.probabilities = probabilities;
    if (settings_.labels) {
      if (!labeller_) labeller_.emplace(rules_, probabilities);
      labeller_->label(scores_, out_.labels.voxels().subspan(at, count), settings_.executor);
    }
    if (!settings_.logits) return;
    out_.logits.resize(classes * grid_.size());
    for (std::size_t k = 0; k < classes; ++k)
      std::copy_n(scores_.begin() + static_cast<std::ptrdiff_t>(k * count), count,
                  out_.logits.begin() + static_cast<std::ptrdiff_t>(k * grid_.size() + at));
  }

  const Grid& grid_;
  const ScoreRules& rules_;
  const PredictionSettings& settings_;
  Prediction out_;
  std::optional<ScoreLabeller> labeller_{};
  std::vector<float> scores_{};
};

Prediction ScorePredictor::predict(const PredictorInput& input,
                                   const PredictionSettings& settings) {
  require_channels(*this, input.channels.size());
  if (input.grid().size() == 0) throw Error(Error::Kind::input, "the image has no voxels");
  const WindowPlan plan = window_plan(input.grid().shape, rules_);
  const std::vector<float> weights = window_weights(plan.window, rules_.weights);
  const Course course = {plan, weights, settings.executor};
  const Grid patch_grid = {.shape = plan.window};
  PlaneSink sink(input.grid(), rules_, settings);
  std::optional<Slab> slab;
  for (std::size_t i = 0; i < plan.starts[2].size(); ++i) {
    const std::size_t z = plan.starts[2][i];
    for (const std::size_t y : plan.starts[1])
      for (const std::size_t x : plan.starts[0]) {
        Patch patch(input.channels.size(), std::vector<float>(patch_grid.size()));
        run_tasks(settings.executor, patch.size(), [&](std::size_t c) {
          cut(input.channels[c], plan, {x, y, z}, patch[c]);
        });
        const std::vector<float> scores = mean_scores(patch, patch_grid, settings.executor);
        if (!slab) {
          require_classes(scores.size() / patch_grid.size());
          slab.emplace(plan, scores.size() / patch_grid.size());
        }
        slab->add(scores, {x, y, z}, course);
      }
    const bool is_last = i + 1 == plan.starts[2].size();
    const std::size_t done = is_last ? plan.window[2] : plan.starts[2][i + 1] - z;
    sink.take(*slab, plan, z, done, probabilities_);
    slab->advance(done);
  }
  return sink.finish();
}

}  // namespace

std::unique_ptr<Predictor> score_predictor(std::unique_ptr<Predictor> network,
                                           const ScoreRules& rules) {
  return std::make_unique<ScorePredictor>(std::move(network), rules);
}

}  // namespace assay::model
