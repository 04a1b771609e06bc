// SPDX-License-Identifier: Apache-2.0
#include "assay/memory.hpp"

#include <algorithm>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace assay {

void* allocate(std::size_t bytes) {
  constexpr std::size_t cache_line = 64, large_page = std::size_t{2} << 20;
  if (bytes > std::numeric_limits<std::size_t>::max() - large_page) throw std::bad_alloc();
  const std::size_t unit = bytes < large_page ? cache_line : large_page;
  const std::size_t whole = std::max(unit, (bytes + unit - 1) / unit * unit);
  void* at = std::aligned_alloc(unit, whole);
  if (at == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  // Only a hint: small pages work, too.
  if (unit == large_page) ::madvise(at, whole, MADV_HUGEPAGE);
#endif
  return at;
}

}  // namespace assay
