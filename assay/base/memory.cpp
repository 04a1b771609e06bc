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
  constexpr std::size_t large_page = std::size_t{2} << 20;
  if (bytes > std::numeric_limits<std::size_t>::max() - large_page) throw std::bad_alloc();
  // Small pieces get no larger alignment: glibc before 2.38 leaves gaps between aligned ones.
  const bool is_large = bytes >= large_page;
  const std::size_t whole = (bytes + large_page - 1) / large_page * large_page;
  void* at = is_large ? std::aligned_alloc(large_page, whole)
                      : std::malloc(std::max<std::size_t>(1, bytes));
  if (at == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (is_large) ::madvise(at, whole, MADV_HUGEPAGE);  // only a hint; small pages work, too
#endif
  return at;
}

}  // namespace assay
