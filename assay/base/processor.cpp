// SPDX-License-Identifier: Apache-2.0
#include "assay/base/processor.hpp"

#include <cstdlib>

namespace assay {
namespace {

struct Abilities {
  bool avx2 = false, bit_counts = false, avx512 = false, wide_products = false;
};

Abilities asked_of_processor() {
  Abilities out;
#if defined(__x86_64__)
  const char* variable = std::getenv("ASSAY_PROCESSOR");
  const std::string_view most = variable == nullptr ? "" : variable;
  if (most == "portable") return out;
  out.avx2 = __builtin_cpu_supports("avx2") != 0;
  out.bit_counts = out.avx2 && __builtin_cpu_supports("bmi") != 0 &&
                   __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0;
  if (most == "avx2") return out;
  out.avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
               __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  out.wide_products = out.avx512 && __builtin_cpu_supports("vpclmulqdq") != 0;
#endif
  return out;
}

const Abilities& abilities() {
  static const Abilities found = asked_of_processor();
  return found;
}

}  // namespace

bool has_avx2() {
  return abilities().avx2;
}

bool has_bit_counts() {
  return abilities().bit_counts;
}

bool has_avx512() {
  return abilities().avx512;
}

bool has_wide_products() {
  return abilities().wide_products;
}

std::string_view instruction_set() {
#if defined(__aarch64__)
  return "NEON";
#else
  return has_avx512() ? "AVX-512" : has_avx2() ? "AVX2" : "portable";
#endif
}

}  // namespace assay
