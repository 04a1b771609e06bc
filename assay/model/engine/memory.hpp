// SPDX-License-Identifier: Apache-2.0
/// Memory for activations: aligned for vectors, in large pages, and kept from volume to volume.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "assay/memory.hpp"

namespace assay::model {

/// Uninitialised floats that keep their capacity.
class FloatMemory {
 public:
  /// Makes room for `count` floats; the previous content is lost. Throws Error::unsupported when
  /// the machine does not have that much memory.
  float* resize(std::size_t count);
  float* data() { return floats_.get(); }
  const float* data() const { return floats_.get(); }

 private:
  std::unique_ptr<float, FreeMemory> floats_;
  std::size_t capacity_ = 0;
};

/// Scratch memory for tasks that may run on any thread. There are as many pieces as tasks at once,
/// and each is reused.
class ScratchPool {
 public:
  /// One piece, returned at the end of its life.
  class Lease {
   public:
    Lease(ScratchPool& pool, std::size_t floats);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();
    float* data() { return memory_->data(); }

   private:
    ScratchPool& pool_;
    std::unique_ptr<FloatMemory> memory_;
  };

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<FloatMemory>> free_;
};

}  // namespace assay::model
