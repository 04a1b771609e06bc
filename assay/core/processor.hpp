// SPDX-License-Identifier: Apache-2.0
/// What this processor can do; every kernel that asks has a portable form as well.
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
