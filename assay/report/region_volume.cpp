// SPDX-License-Identifier: Apache-2.0
#include "assay/report/region_volume.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/score/alignment.hpp"
#include "assay/score/side.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_bits = 8;
constexpr std::size_t most_voxels = 2'000'000;  // of one layer on the page
constexpr double margin_mm = 16;

bool only_foreground(const std::vector<metrics::Region>& regions) {
  return std::ranges::all_of(regions, [](const metrics::Region& r) { return r.members.empty(); });
}

/// The bits of one label; with more regions than bits, one bit says that any has it.
std::uint8_t bits_for(Label label, const std::vector<metrics::Region>& regions) {
  unsigned bits = 0;
  for (std::size_t r = 0; r < regions.size(); ++r)
    if (regions[r].members.empty() ? label > 0 : regions[r].contains(label))
      bits |= 1U << (regions.size() > most_bits ? 0 : r);
  return static_cast<std::uint8_t>(bits);
}

std::vector<std::uint8_t> label_bits(const Image& image,
                                     const std::vector<metrics::Region>& regions) {
  Buffer scratch;
  std::vector<Label> values;
  const LabelView view = labels(image, scratch, values);
  std::vector<std::uint8_t> bits_of_code;
  for (const Label label : view.values) bits_of_code.push_back(bits_for(label, regions));
  return per_voxel(view, [&](std::size_t code) { return bits_of_code[code]; });
}

std::vector<std::uint8_t> mask_bits(const Image& image, const score::MaskRule& rule) {
  Buffer scratch;
  const View<std::uint8_t> mask = score::mask_by(rule, image, scratch).foreground;
  std::vector<std::uint8_t> out(mask.voxels.size());
  std::ranges::transform(mask.voxels, out.begin(),
                         [](std::uint8_t voxel) { return static_cast<std::uint8_t>(voxel != 0); });
  return out;
}

/// Foreground as it was scored. A map is drawn in any case: it may have been scored as one.
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

/// From stored values to 256 greys: the middle 99 % of what is not background.
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

std::vector<std::string> names_of(const std::vector<metrics::Region>& regions) {
  if (regions.empty() || regions.size() > most_bits) return {"any label"};
  std::vector<std::string> out;
  out.reserve(regions.size());
  for (const metrics::Region& region : regions) out.push_back(region.name);
  return out;
}

}  // namespace

RegionCase::RegionCase(const std::filesystem::path& reference,
                       const results::SegmentationFile& scored)
    : settings_(scored.settings) {
  for (const results::SavedLabel& label : scored.labels) regions_.push_back(label.region);
  volume_.regions = names_of(regions_);
  volume_.reference = bits_of(reference, true);
}

std::vector<std::uint8_t> RegionCase::bits_of(const std::filesystem::path& path,
                                              bool is_reference) {
  const Image image = read_image(path);
  if (is_reference) {
    stored_ = image.grid();
    map_ = axis_map(stored_, Grid{});
    grid_ = reoriented(stored_, map_);
  }
  const bool as_mask = only_foreground(regions_) || (settings_.threshold && !is_reference);
  std::vector<std::uint8_t> bits =
      as_mask ? mask_bits(image, drawn_rule(settings_, is_reference)) : label_bits(image, regions_);
  const score::Alignment alignment =
      score::aligned(image.grid(), stored_, settings_.allow_affine_mismatch);
  if (bits.size() != stored_.size())
    throw Error(Error::Kind::input, path.string(),
                "does not have the same number of voxels as the reference");
  return turned(stored_, turned(image.grid(), bits, alignment.map), map_);
}

void RegionCase::add_prediction(std::size_t model, const std::filesystem::path& path) {
  volume_.predictions.push_back({model, bits_of(path, false)});
}

void RegionCase::add_image(const std::filesystem::path& path) {
  try {
    const Image image = read_image(path);
    const score::Alignment alignment = score::aligned(image.grid(), stored_, false);
    const std::vector<double> read = values(image);
    const std::vector<float> stored(read.begin(), read.end());
    volume_.image = greys(turned(stored_, turned(image.grid(), stored, alignment.map), map_));
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
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto margin = static_cast<std::size_t>(std::ceil(margin_mm / spacing[axis]));
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
