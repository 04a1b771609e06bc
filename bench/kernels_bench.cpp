// SPDX-License-Identifier: Apache-2.0
/// The kernels that a score of large volumes spends its time in, on volumes of 256^3 voxels.
#include <benchmark/benchmark.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/bytes.hpp"
#include "assay/base/file.hpp"
#include "assay/demo/demo_lesion.hpp"
#include "assay/image.hpp"
#include "assay/image/reorient.hpp"
#include "assay/memory.hpp"
#include "assay/metrics.hpp"

namespace {

using namespace assay;
namespace fs = std::filesystem;

constexpr std::size_t side = 256;
constexpr Grid grid = {.shape = {side, side, side},
                       .affine = {{{1, 0, 0, -127.5}, {0, 1, 0, -127.5}, {0, 0, 1, -127.5}}}};

using Mask = Volume<std::uint8_t>;

struct Pair {
  Mask prediction{grid}, reference{grid};
};

/// A few lesions of 40 mL, drawn by two observers; labels 1, 2, ... in turn.
Pair lesion_pair(std::size_t labels) {
  demo::SplitMix64 random(3);
  Pair pair;
  Mask one(grid);
  const auto paint = [&](const demo::Lesion& lesion, const demo::Edge& edge, std::uint8_t label,
                         Mask& into) {
    std::ranges::fill(one.voxels(), std::uint8_t{0});
    demo::draw(lesion, edge, one);
    for (std::size_t i = 0; i < grid.size(); ++i)
      if (one.voxels()[i] != 0) into.voxels()[i] = label;
  };
  for (std::size_t label = 1; label <= labels; ++label) {
    demo::Lesion lesion = demo::random_lesion(random, labels > 10 ? 10 : 40);
    lesion.centre_mm = demo::random_place(random, 20);
    const auto code = static_cast<std::uint8_t>(label);
    paint(lesion, {0, 0, demo::SmoothNoise(random, 0.5)}, code, pair.reference);
    paint(lesion, {0, 0.2, demo::SmoothNoise(random, 0.5)}, code, pair.prediction);
  }
  return pair;
}

Pair noise_pair(std::size_t labels) {
  demo::SplitMix64 random(5);
  Pair pair;
  for (auto* mask : {&pair.prediction, &pair.reference})
    for (auto& voxel : mask->voxels()) voxel = static_cast<std::uint8_t>(random.below(labels));
  return pair;
}

const Pair& lesions() {
  static const Pair pair = lesion_pair(1);
  return pair;
}

/// Files of the test volumes, gone at the end.
class Files {
 public:
  Files() : folder_(fs::temp_directory_path() / ("assay-bench-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    write_image(folder_ / "prediction.nii.gz", lesions().prediction.view());
    write_image(folder_ / "reference.nii.gz", lesions().reference.view());
    write_as<float>("float.nii");
    write_as<std::int16_t>("short.nii");
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path operator/(const char* name) const { return folder_ / name; }

 private:
  template <class T>
  void write_as(const char* name) {
    const auto voxels = lesions().reference.view().voxels;
    const Volume<T> volume(grid, std::vector<T>(voxels.begin(), voxels.end()));
    write_image(folder_ / name, volume.view());
  }
  fs::path folder_;
};

const Files& files() {
  static const Files all;
  return all;
}

void count_masks(benchmark::State& state, const Pair& pair) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        metrics::count_foreground(pair.prediction.view().voxels, pair.reference.view().voxels));
}

/// What one would write first; also what the others are compared with.
metrics::Confusion counted_naively(std::span<const std::uint8_t> p,
                                   std::span<const std::uint8_t> r) {
  metrics::Confusion c;
  for (std::size_t i = 0; i < p.size(); ++i)
    ++(p[i] != 0 ? (r[i] != 0 ? c.tp : c.fp) : (r[i] != 0 ? c.fn : c.tn));
  return c;
}

void count_naively(benchmark::State& state, const Pair& pair) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        counted_naively(pair.prediction.view().voxels, pair.reference.view().voxels));
}

void count_labels(benchmark::State& state, const Pair& pair) {
  std::vector<Label> values(256);
  std::iota(values.begin(), values.end(), Label{0});
  const LabelView prediction = {grid, pair.prediction.view().voxels, values};
  const LabelView reference = {grid, pair.reference.view().voxels, values};
  for (auto _ : state) benchmark::DoNotOptimize(metrics::joint_counts(prediction, reference));
}

void count_foreground_lesions(benchmark::State& state) {
  count_masks(state, lesions());
}
void count_foreground_noise(benchmark::State& state) {
  count_masks(state, noise_pair(2));
}
void naive_foreground_lesions(benchmark::State& state) {
  count_naively(state, lesions());
}
void naive_foreground_noise(benchmark::State& state) {
  count_naively(state, noise_pair(2));
}
void joint_counts_lesions(benchmark::State& state) {
  count_labels(state, lesion_pair(static_cast<std::size_t>(state.range(0))));
}
void joint_counts_noise(benchmark::State& state) {
  count_labels(state, noise_pair(static_cast<std::size_t>(state.range(0))));
}

/// The floor: both files of a pair inflated into memory that is there already.
void inflate_pair(benchmark::State& state) {
  const Buffer prediction = read_bytes(files() / "prediction.nii.gz"),
               reference = read_bytes(files() / "reference.nii.gz");
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  std::vector<std::byte> room(grid.size() + 4096);
  for (auto _ : state)
    for (const Buffer* file : {&prediction, &reference}) {
      std::size_t produced = 0;
      benchmark::DoNotOptimize(libdeflate_gzip_decompress(decompressor.get(), file->bytes().data(),
                                                          file->bytes().size(), room.data(),
                                                          room.size(), &produced));
    }
}

void read_and_count_pair(benchmark::State& state) {
  Buffer p_voxels, r_voxels, p_scratch, r_scratch;
  for (auto _ : state) {
    Image p = read_image(files() / "prediction.nii.gz", std::move(p_voxels));
    Image r = read_image(files() / "reference.nii.gz", std::move(r_voxels));
    benchmark::DoNotOptimize(metrics::count_foreground(foreground(p, {}, p_scratch).voxels,
                                                       foreground(r, {}, r_scratch).voxels));
    p_voxels = std::move(p).release();
    r_voxels = std::move(r).release();
  }
}

void foreground_of_file(benchmark::State& state, const char* name) {
  const Image image = read_image(files() / name);
  Buffer scratch;
  for (auto _ : state) benchmark::DoNotOptimize(foreground(image, {}, scratch).voxels.data());
}
void foreground_float32(benchmark::State& state) {
  foreground_of_file(state, "float.nii");
}
void foreground_int16(benchmark::State& state) {
  foreground_of_file(state, "short.nii");
}

/// A mask of other numbers than bytes, as it is in memory once it was read.
template <class T>
void judge_mask_of(benchmark::State& state, VoxelType type, bool swapped) {
  Buffer stored, scratch;
  std::byte* at = stored.resize(grid.size() * sizeof(T)).data();
  for (const std::uint8_t voxel : lesions().reference.view().voxels) {
    auto bits = std::bit_cast<Bits<T>>(static_cast<T>(voxel));
    if (swapped) bits = byte_swapped(bits);
    std::memcpy(at, &bits, sizeof bits);
    at += sizeof bits;
  }
  const Image image({.grid = grid, .type = type, .byte_swapped = swapped}, std::move(stored), 0);
  for (auto _ : state)
    benchmark::DoNotOptimize(judged_mask(image, scratch).foreground.voxels.data());
}
void mask_of_float64(benchmark::State& state) {
  judge_mask_of<double>(state, VoxelType::f64, false);
}
void mask_of_swapped_float32(benchmark::State& state) {
  judge_mask_of<float>(state, VoxelType::f32, true);
}

/// Between two buffers, as images are read into.
void reorient_by(benchmark::State& state, const AxisMap& map) {
  Buffer from, into;
  std::ranges::copy(std::as_bytes(lesions().reference.view().voxels),
                    from.resize(grid.size()).begin());
  into.resize(grid.size());
  for (auto _ : state) {
    reorient_bytes(from.bytes(), grid.shape, map, into.bytes());
    benchmark::ClobberMemory();
  }
}
void reorient_flipped(benchmark::State& state) {
  reorient_by(state, {.source = {0, 1, 2}, .flipped = {true, true, false}});
}
/// All orders of the axes, each as it is and with all axes backwards.
void reorient_permuted(benchmark::State& state) {
  constexpr std::array<std::size_t, 3> orders[] = {
      {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const bool flipped = state.range(1) != 0;
  reorient_by(state, {.source = orders[static_cast<std::size_t>(state.range(0))],
                      .flipped = {flipped, flipped, flipped}});
}

BENCHMARK(count_foreground_lesions)->Unit(benchmark::kMillisecond);
BENCHMARK(count_foreground_noise)->Unit(benchmark::kMillisecond);
BENCHMARK(naive_foreground_lesions)->Unit(benchmark::kMillisecond);
BENCHMARK(naive_foreground_noise)->Unit(benchmark::kMillisecond);
BENCHMARK(joint_counts_lesions)->Arg(3)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(joint_counts_noise)->Arg(3)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(inflate_pair)->Unit(benchmark::kMillisecond);
BENCHMARK(read_and_count_pair)->Unit(benchmark::kMillisecond);
BENCHMARK(foreground_float32)->Unit(benchmark::kMillisecond);
BENCHMARK(foreground_int16)->Unit(benchmark::kMillisecond);
BENCHMARK(reorient_flipped)->Unit(benchmark::kMillisecond);
BENCHMARK(mask_of_float64)->Unit(benchmark::kMillisecond);
BENCHMARK(mask_of_swapped_float32)->Unit(benchmark::kMillisecond);
BENCHMARK(reorient_permuted)->ArgsProduct({{0, 1, 2, 3, 4}, {0, 1}})->Unit(benchmark::kMillisecond);

}  // namespace
