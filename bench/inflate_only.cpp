// SPDX-License-Identifier: Apache-2.0
/// inflate_only FILE...: CPU time to inflate gzip files and do nothing else, the floor under any
/// program that reads them. Prints JSON.
#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iostream>
#include <memory>
#include <span>
#include <string>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/memory.hpp"

namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
using Decompressor = std::unique_ptr<libdeflate_decompressor, FreeDecompressor>;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// What the last four bytes of a gzip member say: its size inflated, modulo 4 GiB.
std::size_t inflated_size(std::span<const std::byte> gzip) {
  std::uint32_t size = 0;
  if (gzip.size() >= sizeof size)
    std::memcpy(&size, gzip.data() + gzip.size() - sizeof size, sizeof size);
  return size;
}

void inflate_file(const char* path, libdeflate_decompressor* decompressor, assay::Buffer& room) {
  const assay::Buffer file = assay::read_bytes(path);
  const auto out = room.resize(inflated_size(file.bytes()));
  const auto result = libdeflate_gzip_decompress(
      decompressor, file.bytes().data(), file.bytes().size(), out.data(), out.size(), nullptr);
  if (result != LIBDEFLATE_SUCCESS)
    throw assay::Error(assay::Error::Kind::input,
                       std::string(path) + ": not one gzip member, or damaged");
}

/// The least of some rounds over all files: other processes can only make it longer.
double best_round_ms(std::span<char*> paths) {
  constexpr int rounds = 3;
  const Decompressor decompressor(libdeflate_alloc_decompressor());
  assay::Buffer room;
  for (const char* path : paths) inflate_file(path, decompressor.get(), room);  // warms up
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_ms();
    for (const char* path : paths) inflate_file(path, decompressor.get(), room);
    const double taken = cpu_ms() - start;
    best = round == 0 ? taken : std::min(best, taken);
  }
  return best;
}

}  // namespace

int main(int count, char** values) {
  const auto paths = std::span<char*>(values, static_cast<std::size_t>(count)).subspan(1);
  if (paths.empty()) {
    std::cerr << "usage: inflate_only FILE...\n";
    return 2;
  }
  try {
    const double per_file = best_round_ms(paths) / static_cast<double>(paths.size());
    std::cout << R"({"files": )" << paths.size() << R"(, "cpu_ms_per_file": )" << per_file << "}\n";
  } catch (const assay::Error& e) {
    std::cerr << "inflate_only: " << e.what() << '\n';
    return 2;
  }
}
