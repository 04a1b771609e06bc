// SPDX-License-Identifier: Apache-2.0
/// What the engine asks of a processor: the inner loops of a network, one set per instruction set.
/// Only plain data crosses this interface. The files that implement it are compiled for processors
/// that the rest of the program does not require. If both sides used the same function of the
/// standard library, the linker could keep the copy that needs such a processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/model/engine/network.hpp"

namespace assay::model {

inline constexpr std::size_t tile_side = 4;     ///< outputs of one Winograd tile along z and y
inline constexpr std::size_t window_side = 6;   ///< inputs of one tile along z and y
inline constexpr std::size_t frequencies = 36;  ///< products of one tile
inline constexpr std::size_t alignment = 16;    ///< in floats: a cache line, the widest vector
inline constexpr std::size_t classes_abreast = 4;

/// A hidden layer in the form that a kernel needs; made once per layer by `packed`.
struct ConvolutionPlan {
  std::size_t inputs = 0, outputs = 0, dilation = 1;
  const float* weights = nullptr;  ///< [frequency][block of outputs][input][tap in x][output]
  const float* bias = nullptr;
  Activation activation = Activation::none;
  std::size_t chunk = 0;   ///< voxels along x at a time
  std::size_t halo = 0;    ///< voxels to either side of a chunk that its taps reach
  std::size_t before = 0;  ///< floats between the frequencies of transformed inputs
  std::size_t after = 0;   ///< floats between the frequencies of products
};

/// The positions of the rows of one tile. A row is `width` voxels and zeros up to `padded_width`.
struct ConvolutionTile {
  const float* rows[frequencies] = {};         ///< inputs, z slower than y; never null
  std::size_t row_strides[frequencies] = {};   ///< floats from channel to channel
  float* outputs[tile_side * tile_side] = {};  ///< null outside the volume
  std::size_t output_stride = 0;               ///< floats from channel to channel
  std::size_t width = 0, padded_width = 0;     ///< of a row
  float* scratch = nullptr;                    ///< `scratch_floats(plan)` of them
};

struct ClassifierPlan {
  std::size_t inputs = 0, classes = 0;
  const float* weights = nullptr;  ///< [block of classes][input][class]; the last block is filled
  const float* bias = nullptr;     ///< up with classes that never win
};

/// One row of voxels on its way to labels.
struct ClassifierRow {
  const float* row = nullptr;
  std::size_t stride = 0;  ///< floats from channel to channel
  std::size_t width = 0;
  std::uint8_t* labels = nullptr;  ///< `width` of them
  float* logits = nullptr;         ///< of class 0; null when nobody asked
  std::size_t class_stride = 0;    ///< floats from class to class
};

/// One row of one channel that is scaled, shifted and activated in place.
struct NormalisedRow {
  float* row = nullptr;
  std::size_t width = 0, padded_width = 0;
  float scale = 1, shift = 0;
  Activation activation = Activation::none;
};

/// The loops for one kind of processor.
struct Kernels {
  const char* name;
  std::size_t most_outputs;  ///< of one block of the matrix product; limited by the registers
  std::size_t columns;       ///< voxels along x of one block
  void (*convolve)(const ConvolutionPlan& plan, const ConvolutionTile& tile);
  void (*classify)(const ClassifierPlan& plan, const ClassifierRow& row);
  void (*normalise)(const NormalisedRow& row);
};

/// The sets that this processor can run, the fastest first; the last runs everywhere.
std::vector<const Kernels*> runnable_kernels();

inline const Kernels& best_kernels() {
  return *runnable_kernels().front();
}

}  // namespace assay::model
