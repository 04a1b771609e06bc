// SPDX-License-Identifier: Apache-2.0
/// The loops for processors with AVX-512; compiled for them.
#include "assay/model/engine/instruction_sets.hpp"
#include "assay/model/engine/pointwise.hpp"
#include "assay/model/engine/winograd.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace assay::model {
namespace {

struct Avx512 {
  static constexpr std::size_t lanes = 16, vectors = 2, most_outputs = 14;
  using Floats = Lanes<lanes>::Floats;

  static void stream(float* at, Floats value) { _mm512_stream_ps(at, value); }
  static void finish() { _mm_sfence(); }
};

}  // namespace

constinit const Kernels avx512_kernels = kernels_of<Avx512>("avx512");

}  // namespace assay::model
#endif
