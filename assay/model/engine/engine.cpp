// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/error.hpp"
#include "assay/executor.hpp"
#include "assay/model/engine/network.hpp"
#include "assay/model/engine/planes.hpp"

namespace assay::model {
namespace {

/// What a normalisation does to a channel: x * scale + shift.
struct ChannelScale {
  float scale = 1, shift = 0;
};

struct Sums {
  double values = 0, squares = 0;
};

constexpr std::size_t abreast =
    8;  // partial sums side by side, which the compiler can keep in vectors

/// The sums over a row; the zeros that pad it add nothing.
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

/// One per channel of the current planes. Sums are in double, plane by plane in order.
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

/// What every layer of one prediction uses.
struct Run {
  const Kernels& kernels;
  PredictionWorkspace& workspace;
  const Executor& executor;
  std::vector<float> zeros;  ///< used for rows outside the volume
};

/// The planes that a layer reads: those of the volume for the first layer, of the previous layer
/// for others.
struct Inputs {
  PlaneLayout layout;
  std::vector<const float*> planes;
};

Network checked(Network network) {
  require_valid(network);
  return network;
}

void copy_row(const float* from, const PlaneLayout& layout, float* to) {
  std::copy_n(from, layout.width, to);
  std::fill(to + layout.width, to + layout.padded_width, 0.0F);
}

void require_finite(std::span<const float> row, std::size_t y, std::size_t z) {
  const auto bad = std::ranges::find_if(row, [](float v) { return !std::isfinite(v); });
  if (bad != row.end())
    throw Error(Error::Kind::input,
                fmt::format("voxel ({}, {}, {}) is {}; a network needs finite numbers",
                            bad - row.begin(), y, z, *bad));
}

/// The volume with its rows padded.
Inputs volume_planes(View<float> volume, Run& run) {
  Inputs out = {.layout = plane_layout(volume.grid.shape, 1), .planes = {}};
  const PlaneLayout& layout = out.layout;
  float* memory = run.workspace.input.resize(layout.plane_stride * layout.depth);
  run_tasks(run.executor, layout.depth, [&](std::size_t z) {
    for (std::size_t y = 0; y < layout.height; ++y) {
      const auto row = volume.voxels.subspan((z * layout.height + y) * layout.width, layout.width);
      require_finite(row, y, z);
      copy_row(row.data(), layout, memory + z * layout.plane_stride + y * layout.line_stride);
    }
  });
  for (std::size_t z = 0; z < layout.depth; ++z)
    out.planes.push_back(memory + z * layout.plane_stride);
  return out;
}

Inputs current_planes(const PlaneTable& table) {
  Inputs out = {.layout = table.layout(), .planes = {}};
  for (std::size_t z = 0; z < out.layout.depth; ++z) out.planes.push_back(table.plane(z));
  return out;
}

/// The index along the axis of element `i` of a tile's window; `i` = 0 is the element before the
/// tile. Elements before the volume give -1.
std::size_t place(const PhaseTile& tile, std::size_t dilation, std::size_t i) {
  const std::size_t element = tile_side * tile.index + i;  // one more than the element of the phase
  return element == 0 ? static_cast<std::size_t>(-1) : tile.phase + dilation * (element - 1);
}

/// The position of a tile, and a row of zeros for everything outside the volume.
struct TilePlace {
  PhaseTile along_z, along_y;
  std::size_t dilation;
  const float* zeros;
};

ConvolutionTile tile_rows(const Inputs& in, const PlaneTable& out, const TilePlace& at) {
  ConvolutionTile tile;
  const PlaneLayout& layout = out.layout();
  tile.width = layout.width;
  tile.padded_width = layout.padded_width;
  tile.output_stride = layout.row_stride;
  for (std::size_t f = 0; f < frequencies; ++f) {
    const std::size_t j = f / window_side, k = f % window_side;
    const std::size_t z = place(at.along_z, at.dilation, j);
    const std::size_t y = place(at.along_y, at.dilation, k);
    const bool is_inside = z < layout.depth && y < layout.height;
    tile.rows[f] = is_inside ? in.planes[z] + y * in.layout.line_stride : at.zeros;
    tile.row_strides[f] = is_inside ? in.layout.row_stride : 0;
    if (is_inside && j - 1 < tile_side && k - 1 < tile_side)
      tile.outputs[tile_side * (j - 1) + k - 1] = out.next_plane(z) + y * layout.line_stride;
  }
  return tile;
}

/// Computes one layer. Tiles along z are taken in order, a few at a time, each with all tiles along
/// y.
void convolve(const PackedConvolution& layer, const Inputs& in, PlaneTable& table, Run& run) {
  const ConvolutionPlan plan = layer.plan();
  const auto along_z = phase_tiles(table.layout().depth, plan.dilation);
  const auto along_y = phase_tiles(table.layout().height, plan.dilation);
  const std::size_t step = tiles_at_once(along_y.size());
  for (std::size_t first = 0; first < along_z.size(); first += step) {
    const std::size_t count = std::min(step, along_z.size() - first);
    for (std::size_t t = 0; t < count; ++t) table.make_room(along_z[first + t], plan.dilation);
    run_tasks(run.executor, count * along_y.size(), [&](std::size_t task) {
      ConvolutionTile tile = tile_rows(in, table,
                                       {.along_z = along_z[first + task / along_y.size()],
                                        .along_y = along_y[task % along_y.size()],
                                        .dilation = plan.dilation,
                                        .zeros = run.zeros.data()});
      ScratchPool::Lease scratch(run.workspace.scratch, layer.scratch_floats());
      tile.scratch = scratch.data();
      run.kernels.convolve(plan, tile);
    });
    for (std::size_t t = 0; t < count; ++t) table.give_back(along_z[first + t], plan.dilation);
  }
  table.turn_over();
}

/// Scales, shifts and activates every channel by its own statistics.
void normalise(const HiddenLayer& layer, const PlaneTable& table, const Run& run) {
  const PlaneLayout& layout = table.layout();
  const std::vector<ChannelScale> scales = channel_scales(layer, table, run.executor);
  run_tasks(run.executor, layout.depth, [&](std::size_t z) {
    for (std::size_t y = 0; y < layout.height; ++y)
      for (std::size_t c = 0; c < layer.outputs; ++c)
        run.kernels.normalise(
            {.row = table.plane(z) + y * layout.line_stride + c * layout.row_stride,
             .width = layout.width,
             .padded_width = layout.padded_width,
             .scale = scales[c].scale,
             .shift = scales[c].shift,
             .activation = layer.activation});
  });
}

Prediction classified(const PackedClassifier& classifier, const PlaneTable& table, const Grid& grid,
                      const Run& run, bool wants_logits) {
  const ClassifierPlan plan = classifier.plan();
  const PlaneLayout& layout = table.layout();
  Prediction out = {.labels = Volume<std::uint8_t>(grid), .logits = {}};
  if (wants_logits) out.logits.resize(plan.classes * grid.size());
  run_tasks(run.executor, layout.depth, [&](std::size_t z) {
    for (std::size_t y = 0; y < layout.height; ++y) {
      const std::size_t at = (z * layout.height + y) * layout.width;
      run.kernels.classify(plan, {.row = table.plane(z) + y * layout.line_stride,
                                  .stride = layout.row_stride,
                                  .width = layout.width,
                                  .labels = out.labels.voxels().data() + at,
                                  .logits = wants_logits ? out.logits.data() + at : nullptr,
                                  .class_stride = grid.size()});
    }
  });
  return out;
}

}  // namespace

MeshNetEngine::MeshNetEngine(Network network, const EngineSettings& settings)
    : network_(checked(std::move(network))),
      kernels_(settings.kernels != nullptr ? settings.kernels : &best_kernels()),
      classifier_(network_.classifier) {
  hidden_.reserve(network_.hidden.size());
  for (const HiddenLayer& layer : network_.hidden)
    hidden_.emplace_back(layer, settings.axes, *kernels_);
}

Prediction MeshNetEngine::predict(View<float> volume, PredictionWorkspace& workspace,
                                  const PredictionSettings& settings) const {
  const Shape& shape = volume.grid.shape;
  if (volume.grid.size() == 0 || volume.voxels.size() != volume.grid.size())
    throw Error(Error::Kind::input, "the volume has no voxels");
  const PlaneLayout layout = plane_layout(shape, widest(network_));
  Run run = {*kernels_, workspace, settings.executor, std::vector<float>(layout.padded_width)};
  PlaneTable table(layout, workspace.planes.resize(layout.plane_stride * planes_needed(layout)));
  Inputs in = volume_planes(volume, run);
  for (std::size_t i = 0; i < hidden_.size(); ++i) {
    convolve(hidden_[i], in, table, run);
    if (network_.hidden[i].normalisation != Normalisation::none)
      normalise(network_.hidden[i], table, run);
    in = current_planes(table);
  }
  return classified(classifier_, table, volume.grid, run, settings.logits);
}

std::size_t prediction_bytes(const Network& network, const Shape& shape) {
  const PlaneLayout hidden = plane_layout(shape, widest(network));
  const PlaneLayout input = plane_layout(shape, 1);
  const std::size_t floats =
      hidden.plane_stride * planes_needed(hidden) + input.plane_stride * input.depth;
  return floats * sizeof(float) + shape[0] * shape[1] * shape[2];
}

}  // namespace assay::model
