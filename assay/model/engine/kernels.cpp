// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/kernels.hpp"

#include <array>

#include "assay/base/processor.hpp"
#include "assay/model/engine/instruction_sets.hpp"

namespace assay::model {
namespace {

/// Detection lives here and not next to the kernels, because any function in their files may use
/// instructions that this processor lacks.
struct KernelRow {
  const Kernels* kernels;
  bool (*runs_here)();
};

constexpr std::array kernel_rows = {
#if defined(__x86_64__)
    KernelRow{&avx512_kernels, has_avx512},
    KernelRow{&avx2_kernels, [] { return has_avx2() && __builtin_cpu_supports("fma") != 0; }},
#endif
    KernelRow{&portable_kernels, [] { return true; }},
};

}  // namespace

std::vector<const Kernels*> runnable_kernels() {
  std::vector<const Kernels*> out;
  for (const KernelRow& row : kernel_rows)
    if (row.runs_here()) out.push_back(row.kernels);
  return out;
}

}  // namespace assay::model
