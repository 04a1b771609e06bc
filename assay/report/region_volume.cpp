// SPDX-License-Identifier: Apache-2.0
#include "assay/report/region_volume.hpp"

#include <algorithm>
#include <cmath>

#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/structures.hpp"
#include "assay/score/alignment.hpp"
#include "assay/score/mask_rule.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_codes = 254;         // labels with their own code; others share one
constexpr std::size_t most_voxels = 2'000'000;  // of one layer on the page
constexpr double margin_mm = 16, image_margin_mm = 32;  // an image needs more, to show where it is

bool only_foreground(const std::vector<metrics::Region>& regions) {
  return std::ranges::all_of(regions, [](const metrics::Region& r) { return r.members.empty(); });
}

/// The labels that were scored by themselves or as members of regions, ascending.
std::vector<Label> scored_labels(const std::vector<metrics::Region>& regions) {
  std::vector<Label> all;
  for (const metrics::Region& region : regions)
    all.insert(all.end(), region.members.begin(), region.members.end());
  return metrics::distinct(std::move(all));
}

/// The place of a label among those that were scored, from 1. Labels that belong to no region are
/// background. Where the foreground was scored as well, they share a code after all others.
std::uint8_t code_for(Label label, const std::vector<metrics::Region>& regions,
                      const std::vector<Label>& scored) {
  const auto found = std::ranges::lower_bound(scored, label);
  const auto place = static_cast<std::size_t>(found - scored.begin());
  const bool is_scored = found != scored.end() && *found == label;
  if (is_scored) return static_cast<std::uint8_t>(std::min(place, most_codes) + 1);
  const bool in_foreground = label > 0 && std::ranges::any_of(regions, [](const auto& region) {
                               return region.members.empty();
                             });
  return static_cast<std::uint8_t>(in_foreground ? std::min(scored.size(), most_codes) + 1 : 0);
}

/// The stored labels, or for a prediction with a volume per class the most likely label.
std::vector<std::uint8_t> label_codes(const Image& image,
                                      const std::vector<metrics::Region>& regions) {
  Buffer scratch;
  std::vector<Label> values;
  const bool has_classes = image.header().channels > 1;
  const LabelView view =
      has_classes ? likeliest_labels(image, scratch, values) : labels(image, scratch, values);
  const std::vector<Label> scored = scored_labels(regions);
  std::vector<std::uint8_t> code_of;
  for (const Label label : view.values) code_of.push_back(code_for(label, regions, scored));
  return per_voxel(view, [&](std::size_t code) { return code_of[code]; });
}

/// For a file with a volume per class, the threshold applies to the sum over all classes but the
/// background, as when it was scored.
std::vector<std::uint8_t> mask_codes(const Image& image, const score::MaskRule& rule) {
  Buffer scratch, sums;
  const bool has_classes = image.header().channels > 1;
  if (has_classes && !rule.threshold) return label_codes(image, {metrics::foreground_region()});
  const View<std::uint8_t> mask =
      has_classes ? at_least(probability_of(image, {}, sums), *rule.threshold, scratch)
                  : score::mask_by(rule, image, scratch).foreground;
  std::vector<std::uint8_t> out(mask.voxels.size());
  std::ranges::transform(mask.voxels, out.begin(),
                         [](std::uint8_t voxel) { return static_cast<std::uint8_t>(voxel != 0); });
  return out;
}

/// Foreground as it was scored. A map without a threshold is drawn, too: it may have been scored as
/// a map.
score::MaskRule drawn_rule(const results::SavedSettings& scored, bool is_reference) {
  metrics::ScoreSettings settings;
  settings.threshold = scored.threshold;
  settings.foreground_nonzero = scored.foreground_nonzero;
  score::MaskRule rule =
      is_reference ? score::reference_rule(settings) : score::prediction_rule(settings);
  rule.takes_maps = !rule.map_threshold;
  return rule;
}

template <class Voxel>
std::vector<Voxel> turned(const Grid& grid, const std::vector<Voxel>& voxels, const AxisMap& map) {
  if (map.is_identity()) return voxels;
  std::vector<Voxel> out(voxels.size());
  reorient(View<Voxel>{grid, voxels}, map, std::span<Voxel>(out));
  return out;
}

/// Maps stored values to 256 greys, which span the middle 99 % of the values that are not
/// background.
std::vector<std::uint8_t> greys(const std::vector<float>& values) {
  std::vector<float> sample;
  constexpr std::size_t enough = 200'000;
  const std::size_t step = std::max<std::size_t>(values.size() / enough, 1);
  for (std::size_t i = 0; i < values.size(); i += step)
    if (std::isfinite(values[i])) sample.push_back(values[i]);
  std::vector<std::uint8_t> out(values.size());
  if (sample.empty()) return out;
  std::ranges::sort(sample);
  const auto at = [&](double share) {
    return sample[static_cast<std::size_t>(share * static_cast<double>(sample.size() - 1))];
  };
  const float low = at(0.005), range = std::max(at(0.995) - low, 1e-12F);
  std::ranges::transform(values, out.begin(), [&](float value) {
    const float share = std::isfinite(value) ? (value - low) / range : 0;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0F, 1.0F)));
  });
  return out;
}

/// Whether every voxel of `part` is a voxel of `whole`, with the same axes. A segmentation often
/// has only some slices of its image.
bool contains(const Grid& whole, const Grid& part) {
  if (!whole.in_space || !part.in_space || whole.shape == part.shape) return false;
  const auto both = common_grid(whole, part);
  return both && both->shape == whole.shape;
}

/// Where a grid begins in another that contains it.
Shape start_in(const Grid& whole, const Grid& part) {
  Shape out{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double along = 0, square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double step = whole.affine[i][axis];
      along += (part.affine[i][3] - whole.affine[i][3]) * step;
      square += step * step;
    }
    out[axis] = static_cast<std::size_t>(std::max(std::lround(along / square), 0L));
  }
  return out;
}

/// Every `step`-th voxel of a box.
struct Sampling {
  Shape first{}, count{};
  std::size_t step = 1;
};

template <class Voxel>
std::vector<Voxel> sampled(const Grid& grid, const std::vector<Voxel>& voxels, const Sampling& s) {
  std::vector<Voxel> out;
  out.reserve(s.count[0] * s.count[1] * s.count[2]);
  for (std::size_t z = 0; z < s.count[2]; ++z)
    for (std::size_t y = 0; y < s.count[1]; ++y) {
      const std::size_t row =
          s.first[0] +
          grid.shape[0] * (s.first[1] + y * s.step + grid.shape[1] * (s.first[2] + z * s.step));
      for (std::size_t x = 0; x < s.count[0]; ++x) out.push_back(voxels[row + x * s.step]);
    }
  return out;
}

/// The name of a label, taken from the region that consists of this label alone.
std::string name_of(Label label, const std::vector<metrics::Region>& regions) {
  for (const metrics::Region& region : regions)
    if (region.members == std::vector{label} && region.name != region.key) return region.name;
  return "label " + std::to_string(label);
}

/// Names of the codes from 1.
std::vector<std::string> label_names(const std::vector<metrics::Region>& regions) {
  if (only_foreground(regions))
    return {regions.empty() ? metrics::foreground_region().name : regions.front().name};
  const std::vector<Label> scored = scored_labels(regions);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(scored.size(), most_codes); ++i)
    out.push_back(name_of(scored[i], regions));
  const bool has_foreground = std::ranges::any_of(
      regions, [](const metrics::Region& region) { return region.members.empty(); });
  if (has_foreground || scored.size() > most_codes) out.emplace_back("other labels");
  return out;
}

/// The regions with their codes; the foreground has all codes.
std::vector<DrawnRegion> drawn_regions(const std::vector<metrics::Region>& regions,
                                       std::size_t codes) {
  const std::vector<Label> scored = scored_labels(regions);
  std::vector<DrawnRegion> out;
  for (const metrics::Region& region : regions) {
    DrawnRegion drawn = {region.key, region.name, {}, region.color};
    for (const Label member : region.members)
      drawn.codes.push_back(code_for(member, regions, scored));
    if (region.members.empty())
      for (std::size_t code = 1; code <= codes; ++code)
        drawn.codes.push_back(static_cast<std::uint8_t>(code));
    out.push_back(std::move(drawn));
  }
  return out;
}

}  // namespace

RegionCase::RegionCase(const std::filesystem::path& reference,
                       const results::SegmentationFile& scored)
    : settings_(scored.settings) {
  for (const results::SavedLabel& label : scored.labels) regions_.push_back(label.region);
  volume_.labels = label_names(regions_);
  volume_.regions = drawn_regions(regions_, volume_.labels.size());
  volume_.reference = codes_of(reference, true);
}

std::vector<std::uint8_t> RegionCase::codes_of(const std::filesystem::path& path,
                                               bool is_reference) {
  const Image image = read_image(path, {}, is_reference ? Volumes::one : Volumes::classes);
  if (is_reference) {
    stored_ = image.grid();
    map_ = axis_map(stored_, Grid{});
    grid_ = reoriented(stored_, map_);
  }
  const bool as_mask = only_foreground(regions_) || (settings_.threshold && !is_reference);
  std::vector<std::uint8_t> codes = as_mask ? mask_codes(image, drawn_rule(settings_, is_reference))
                                            : label_codes(image, regions_);
  const score::Alignment alignment =
      score::aligned(image.grid(), stored_, settings_.allow_affine_mismatch);
  if (codes.size() != stored_.size())
    throw Error(Error::Kind::input, path.string(),
                "does not have the same number of voxels as the reference");
  return turned(stored_, turned(image.grid(), codes, alignment.map), map_);
}

void RegionCase::add_prediction(std::size_t model, const std::filesystem::path& path) {
  volume_.predictions.push_back({model, codes_of(path, false)});
}

void RegionCase::add_image(const std::filesystem::path& path) {
  try {
    const Image image = read_image(path);
    std::vector<double> read = values(image);
    Grid grid = image.grid();
    if (contains(grid, stored_)) {
      read = sampled(grid, read, {start_in(grid, stored_), stored_.shape, 1});
      grid = stored_;
    }
    const score::Alignment alignment = score::aligned(grid, stored_, false);
    const std::vector<float> stored(read.begin(), read.end());
    volume_.image = greys(turned(stored_, turned(grid, stored, alignment.map), map_));
  } catch (const Error& error) {
    note(std::string("shown without its image: ") + error.what());
  }
}

RegionCase::Box RegionCase::drawn_box() const {
  Box box = {grid_.shape, {}};
  for (std::size_t z = 0, voxel = 0; z < grid_.shape[2]; ++z)
    for (std::size_t y = 0; y < grid_.shape[1]; ++y)
      for (std::size_t x = 0; x < grid_.shape[0]; ++x, ++voxel) {
        const bool drawn = volume_.reference[voxel] != 0 ||
                           std::ranges::any_of(volume_.predictions, [&](const DrawnMask& mask) {
                             return mask.voxels[voxel] != 0;
                           });
        if (!drawn) continue;
        const Shape here = {x, y, z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          box.first[axis] = std::min(box.first[axis], here[axis]);
          box.last[axis] = std::max(box.last[axis], here[axis] + 1);
        }
      }
  return box.last[0] == 0 ? Box{{}, grid_.shape} : box;
}

RegionCase::Box RegionCase::with_margin(Box box) const {
  const Point spacing = spacing_mm(grid_);
  const double around_mm = volume_.image.empty() ? margin_mm : image_margin_mm;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto margin = static_cast<std::size_t>(std::ceil(around_mm / spacing[axis]));
    box.first[axis] -= std::min(margin, box.first[axis]);
    box.last[axis] = std::min(box.last[axis] + margin, grid_.shape[axis]);
  }
  return box;
}

CaseVolume RegionCase::cropped() && {
  const Box box = with_margin(drawn_box());
  Sampling sampling = {box.first, {}, 1};
  const auto count = [&] {
    for (std::size_t axis = 0; axis < 3; ++axis)
      sampling.count[axis] = (box.last[axis] - box.first[axis] + sampling.step - 1) / sampling.step;
    return sampling.count[0] * sampling.count[1] * sampling.count[2];
  };
  while (count() > most_voxels) ++sampling.step;
  if (sampling.step > 1)
    note("thinned out for this page: one voxel of every " + std::to_string(sampling.step) +
         " along each axis");
  volume_.shape = sampling.count;
  volume_.spacing_mm = spacing_mm(grid_);
  for (double& spacing : volume_.spacing_mm) spacing *= static_cast<double>(sampling.step);
  volume_.reference = sampled(grid_, volume_.reference, sampling);
  if (!volume_.image.empty()) volume_.image = sampled(grid_, volume_.image, sampling);
  for (DrawnMask& mask : volume_.predictions) mask.voxels = sampled(grid_, mask.voxels, sampling);
  return std::move(volume_);
}

}  // namespace assay::report
