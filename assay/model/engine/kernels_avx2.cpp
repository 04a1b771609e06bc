// SPDX-License-Identifier: Apache-2.0
/// The loops for processors with AVX2 and FMA; compiled for them.
#include "assay/model/engine/instruction_sets.hpp"
#include "assay/model/engine/pointwise.hpp"
#include "assay/model/engine/winograd.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

namespace assay::model {
namespace {

struct Avx2 {
  static constexpr std::size_t lanes = 8, vectors = 2, most_outputs = 6;
  using Floats = Lanes<lanes>::Floats;

  static void stream(float* at, Floats value) { _mm256_stream_ps(at, value); }
  static void finish() { _mm_sfence(); }
};

}  // namespace

constinit const Kernels avx2_kernels = kernels_of<Avx2>("avx2");

}  // namespace assay::model
#endif
