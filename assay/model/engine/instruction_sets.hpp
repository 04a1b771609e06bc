// SPDX-License-Identifier: Apache-2.0
/// The sets of kernels of this build; each is defined in a file of its own, compiled for its
/// processor.
#pragma once

#include "assay/model/engine/kernels.hpp"

namespace assay::model {

extern const Kernels portable_kernels;
#if defined(__x86_64__)
extern const Kernels avx2_kernels, avx512_kernels;
#endif

template <class Set>
struct Winograd;
template <class Set>
struct Pointwise;

/// The table of functions for one processor.
template <class Set>
constexpr Kernels kernels_of(const char* name) {
  return {.name = name,
          .most_outputs = Set::most_outputs,
          .columns = Winograd<Set>::across,
          .convolve = Winograd<Set>::convolve,
          .classify = Pointwise<Set>::classify,
          .normalise = Pointwise<Set>::normalise};
}

}  // namespace assay::model
