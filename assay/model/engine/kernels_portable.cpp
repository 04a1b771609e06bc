// SPDX-License-Identifier: Apache-2.0
/// The loops for any processor: vectors of four, which the compiler splits up where there are none.
#include "assay/model/engine/instruction_sets.hpp"
#include "assay/model/engine/pointwise.hpp"
#include "assay/model/engine/winograd.hpp"

namespace assay::model {
namespace {

struct Portable {
  static constexpr std::size_t lanes = 4, vectors = 2, most_outputs = 5;
  using Floats = Lanes<lanes>::Floats;

  static void stream(float* at, Floats value) { Lanes<lanes>::store(at, value); }
  static void finish() {}
};

}  // namespace

constinit const Kernels portable_kernels = kernels_of<Portable>("portable");

}  // namespace assay::model
