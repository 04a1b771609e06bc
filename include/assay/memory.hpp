// SPDX-License-Identifier: Apache-2.0
/// Memory for the bytes of files, kept for reuse.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace assay {

/// Frees what `allocate` returned.
struct FreeMemory {
  void operator()(void* at) const { std::free(at); }
};

/// Uninitialised memory, aligned for any scalar. From 2 MB on it is aligned to 2 MB, and made of
/// pages of that size where the system has them. Small pages cost a page fault for each 4 kB when
/// they are first touched, and a TLB miss for nearly every row. Throws std::bad_alloc.
void* allocate(std::size_t bytes);

/// Uninitialised bytes that keep their capacity. A cohort reads thousands of volumes of one size:
/// fresh memory would cost a page fault and a zeroing for each 4 kB, more than counting its voxels.
class Buffer {
 public:
  /// Makes room for `size` bytes, aligned for any scalar; what was there before is lost.
  std::span<std::byte> resize(std::size_t size) {
    if (size > capacity_) {
      bytes_.reset();  // first, so that two copies never exist at once
      capacity_ = 0;
      bytes_.reset(static_cast<std::byte*>(allocate(size)));
      capacity_ = size;
    }
    size_ = size;
    return {bytes_.get(), size_};
  }

  std::size_t capacity() const { return capacity_; }
  std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[], FreeMemory> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace assay
