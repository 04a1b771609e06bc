// SPDX-License-Identifier: Apache-2.0
/// What the processor can do beyond what the program was compiled for. A kernel has one source and
/// two versions; contraction is off everywhere, so both give the same bits. (The compiler's own
/// dispatch, target_clones, resolves before main, which sanitizers and clang 14 do not bear.)
#pragma once

namespace assay {

inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

}  // namespace assay
