// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/memory.hpp"

#include <fmt/format.h>

#include <utility>

#include "assay/error.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace assay::model {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr std::size_t most_floats = std::size_t{1} << 44;

}  // namespace

float* FloatMemory::resize(std::size_t count) {
  if (count <= capacity_) return floats_.get();
  floats_.reset();  // first, so that two copies never exist at once
  capacity_ = 0;
  const std::size_t bytes =
      count < most_floats ? (count * sizeof(float) + large_page - 1) / large_page * large_page : 0;
  if (bytes != 0) floats_.reset(static_cast<float*>(std::aligned_alloc(large_page, bytes)));
  if (!floats_)
    throw Error(
        Error::Kind::unsupported,
        fmt::format("{:.1f} GB of memory are needed but not available; close other programs or "
                    "use a larger machine",
                    static_cast<double>(count) * sizeof(float) / 1e9));
#if defined(__linux__)
  ::madvise(floats_.get(), bytes, MADV_HUGEPAGE);  // only a hint; if refused, small pages work too
#endif
  capacity_ = count;
  return floats_.get();
}

ScratchPool::Lease::Lease(ScratchPool& pool, std::size_t floats) : pool_(pool) {
  {
    const std::scoped_lock lock(pool_.mutex_);
    if (!pool_.free_.empty()) {
      memory_ = std::move(pool_.free_.back());
      pool_.free_.pop_back();
    }
  }
  if (!memory_) memory_ = std::make_unique<FloatMemory>();
  memory_->resize(floats);
}

ScratchPool::Lease::~Lease() {
  const std::scoped_lock lock(pool_.mutex_);
  pool_.free_.push_back(std::move(memory_));
}

}  // namespace assay::model
