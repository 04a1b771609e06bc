// SPDX-License-Identifier: Apache-2.0
#include "assay/model/engine/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "assay/error.hpp"

namespace assay::model {

float* FloatMemory::resize(std::size_t count) try {
  if (count <= capacity_) return floats_.get();
  floats_.reset();  // first, so that two copies never exist at once
  capacity_ = 0;
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(float)) throw std::bad_alloc();
  // Pieces of at least this size are allocated in large pages and are aligned for vectors.
  constexpr std::size_t large_page = std::size_t{2} << 20;
  floats_.reset(static_cast<float*>(allocate(std::max(large_page, count * sizeof(float)))));
  capacity_ = count;
  return floats_.get();
} catch (const std::bad_alloc&) {
  throw Error(Error::Kind::unsupported,
              fmt::format("{:.1f} GB of memory are needed but not available; close other programs "
                          "or use a larger machine",
                          static_cast<double>(count) * sizeof(float) / 1e9));
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
