// SPDX-License-Identifier: Apache-2.0
/// What the processor can do beyond what the program was compiled for. A kernel has one source and
/// a version for each answer; contraction is off, so all give the same bits. (The compiler's own
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

/// AVX2 with the instructions that count bits. Every processor with BMI2 counts leading zeros, too
/// (clang 14 has no name to ask for that).
inline bool has_bit_counts() {
#if defined(__x86_64__)
  return has_avx2() && __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         __builtin_cpu_supports("popcnt") != 0;
#else
  return false;
#endif
}

/// The instructions on 64 bytes that every such processor has had since 2017.
inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

}  // namespace assay
