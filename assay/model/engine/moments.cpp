// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/moments.hpp"

#include <array>
#include <cmath>

namespace assay::model {
namespace {

struct Sums {
  double values = 0, squares = 0;
};

constexpr std::size_t abreast = 8;  // sums side by side, for the compiler to keep in vectors

/// The sums of a row; the zeros after its end do not count.
Sums row_sums(const float* row, std::size_t padded_width) {
  std::array<double, abreast> values{}, squares{};
  for (std::size_t x = 0; x < padded_width; x += abreast)
    for (std::size_t i = 0; i < abreast; ++i) {
      const double value = row[x + i];
      values[i] += value;
      squares[i] += value * value;
    }
  Sums out;
  for (std::size_t i = 0; i < abreast; ++i) {
    out.values += values[i];
    out.squares += squares[i];
  }
  return out;
}

std::vector<Sums> plane_sums(const PlaneLayout& layout, const float* plane, std::size_t channels) {
  std::vector<Sums> out(channels);
  for (std::size_t y = 0; y < layout.height; ++y)
    for (std::size_t c = 0; c < channels; ++c) {
      const Sums row =
          row_sums(plane + y * layout.line_stride + c * layout.row_stride, layout.padded_width);
      out[c].values += row.values;
      out[c].squares += row.squares;
    }
  return out;
}

std::vector<Sums> volume_sums(const PlaneTable& table, std::size_t channels,
                              const Executor& executor) {
  const PlaneLayout& layout = table.layout();
  std::vector<std::vector<Sums>> planes(layout.depth);
  run_tasks(executor, layout.depth,
            [&](std::size_t z) { planes[z] = plane_sums(layout, table.plane(z), channels); });
  std::vector<Sums> out(channels);
  for (const auto& plane : planes)
    for (std::size_t c = 0; c < channels; ++c) {
      out[c].values += plane[c].values;
      out[c].squares += plane[c].squares;
    }
  return out;
}

}  // namespace

std::vector<ChannelScale> channel_scales(const HiddenLayer& layer, const PlaneTable& table,
                                         const Executor& executor) {
  const PlaneLayout& layout = table.layout();
  const std::vector<Sums> sums = volume_sums(table, layer.outputs, executor);
  const std::size_t groups =
      layer.normalisation == Normalisation::group ? layer.groups : layer.outputs;
  const std::size_t members = layer.outputs / groups;
  const double count = static_cast<double>(members) * static_cast<double>(layout.width) *
                       static_cast<double>(layout.height) * static_cast<double>(layout.depth);
  std::vector<ChannelScale> out(layer.outputs);
  for (std::size_t g = 0; g < groups; ++g) {
    Sums group;
    for (std::size_t c = g * members; c < (g + 1) * members; ++c) {
      group.values += sums[c].values;
      group.squares += sums[c].squares;
    }
    const double mean = group.values / count;
    const double variance = std::fmax(0.0, group.squares / count - mean * mean);
    const double inverse = 1 / std::sqrt(variance + layer.epsilon);
    for (std::size_t c = g * members; c < (g + 1) * members; ++c) {
      const double scale = inverse * (layer.scale.empty() ? 1 : double{layer.scale[c]});
      const double shift = layer.shift.empty() ? 0 : double{layer.shift[c]};
      out[c] = {static_cast<float>(scale), static_cast<float>(shift - mean * scale)};
    }
  }
  return out;
}

}  // namespace assay::model
