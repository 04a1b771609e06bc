// SPDX-License-Identifier: Apache-2.0
// The estimate counts what is in memory at the same time, in bytes per voxel: the stored voxels of
// both files (also where they are mapped: pages that were read are part of the process), masks or
// codes, a copy where axes have to be turned, and what shapes and probabilities take. It is made
// for the worst order of reading, so that it lies above what is measured (tests/test_memory.py).
#include "assay/score/memory_gate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>

#include "assay/error.hpp"
#include "assay/image/image_size.hpp"
#include "assay/image/layout.hpp"
#include "assay/score/case_job.hpp"
#include "assay/score/score_case.hpp"
#include "assay/score/score_tiles.hpp"
#include "assay/score/structure_plan.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// The program itself, its threads and tables.
constexpr std::uint64_t always = std::uint64_t{24} << 20U;

/// Tables by which probabilities are ranked.
constexpr std::uint64_t ranks = std::uint64_t{16} << 20U;

/// Whether the bytes of the file serve as a mask or as codes of labels.
bool serves_as_it_is(const ImageHeader& header) {
  return header.type == VoxelType::u8 && header.channels == 1 && header.scaling.is_identity();
}

/// Bytes per voxel besides the stored voxels.
double extra_bytes(const metrics::ScoreSettings& settings, bool masks, bool as_is) {
  double out = masks ? 0.25 : 0;     // a bit per voxel and side
  if (!as_is) out += masks ? 1 : 4;  // masks one after the other; codes of both sides
  if (metrics::needs_lesions(settings)) return out + 2;  // before the surfaces, which then fit
  return metrics::needs_boundary(settings) ? out + 1.25 : out;
}

/// Where in space an axis of the image mostly points: 1, 2, 3, or backwards -1, -2, -3.
int direction_of(const Grid& grid, std::size_t axis) {
  std::size_t most = 0;
  for (std::size_t row = 1; row < 3; ++row)
    if (std::abs(grid.affine[row][axis]) > std::abs(grid.affine[most][axis])) most = row;
  const int direction = static_cast<int>(most) + 1;
  return grid.affine[most][axis] < 0 ? -direction : direction;
}

/// Whether voxels have to move before the two can be compared.
bool is_turned(const Grid& a, const Grid& b) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (direction_of(a, axis) != direction_of(b, axis)) return true;
  return false;
}

std::string shown_bytes(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  return size >= 1e9 ? fmt::format("{:.1f} GB", size / 1e9) : fmt::format("{:.0f} MB", size / 1e6);
}

/// "2048x2048x2048 voxels of 2 bytes".
std::string voxels_of(const ImageHeader& header) {
  return fmt::format("{} voxels of {}", fmt::join(header.grid.shape, "x"),
                     header.channels * bytes_per_voxel(header.type) == 1
                         ? std::string("1 byte")
                         : fmt::format("{} bytes", header.channels * bytes_per_voxel(header.type)));
}

/// Gives memory back to the system, not only to the allocator.
void release(Workspace& workspace) {
  workspace = Workspace(workspace.threads());
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

/// Structures are kept as spans, so little more than the files themselves is needed.
MemoryNeed need_of_structures(const FilePair& files) {
  std::uint64_t bytes = always;
  for (const std::string& path : {files.prediction, files.reference}) {
    std::error_code trouble;
    const std::uint64_t size = fs::file_size(path, trouble);
    if (!trouble) bytes += size;
  }
  return {.bytes = bytes, .file = files.reference, .voxels = "structures"};
}

MemoryNeed need_of_pair(const FilePair& files, const metrics::ScoreSettings& settings) {
  if (has_structures(files)) return need_of_structures(files);
  const ImageHeader prediction =
                        read_image_header(files.prediction, pictures_of_prediction(settings)),
                    reference = read_image_header(files.reference, settings.pictures);
  if (counts_by_tiles(files, settings))
    return {.bytes = always + bytes_for_tiles(files, settings),
            .file = files.reference,
            .is_reference = true,
            .voxels = voxels_of(reference)};
  const bool masks = !files.region.empty() || only_foreground(settings);
  const std::uint64_t p = voxel_bytes(prediction), r = voxel_bytes(reference);
  const bool as_is = serves_as_it_is(prediction) && serves_as_it_is(reference);
  // Masks are packed one after the other, in the same memory, and codes are made likewise; label
  // maps that need none are there together.
  const std::uint64_t stored = masks || !as_is ? std::max(p, r) : p + r;
  const auto voxels = static_cast<double>(std::max(prediction.grid.size(), reference.grid.size()));
  double extra = extra_bytes(settings, masks, as_is);
  if (is_turned(prediction.grid, reference.grid)) extra += masks || as_is ? 1 : 2;
  const bool is_map = metrics::needs_probability(settings) && may_hold_probabilities(prediction);
  if (is_map) extra += 5;
  if (settings.resampled != metrics::Resampled::nothing) extra += 8;  // codes, here and there
  const bool by_reference = r > p;
  return {
      .bytes = always + (is_map ? ranks : 0) + stored + static_cast<std::uint64_t>(voxels * extra),
      .file = by_reference ? files.reference : files.prediction,
      .is_reference = by_reference || r == p,
      .voxels = voxels_of(by_reference ? reference : prediction),
      .otherwise = allows_tiles(files, settings)
                       ? ", or give --metrics overlap, which is counted part by part"
                       : ", or crop the image"};
}

}  // namespace

MemoryNeed need_of_scoring(const CasePlan& plan, const metrics::ScoreSettings& settings) {
  MemoryNeed most;
  for (const FilePair& files : plan.files) {
    if (files.prediction.empty() || files.reference.empty()) continue;
    try {
      if (MemoryNeed need = need_of_pair(files, settings); need.bytes > most.bytes)
        most = std::move(need);
    } catch (const Error&) {  // scoring says what is wrong with it
    }
  }
  return most;
}

MemoryNeed need_of_prediction(const fs::path& image) try {
  constexpr std::uint64_t prepared = 10;  // two volumes of floats, and labels on two grids
  const ImageHeader header = read_image_header(image);
  return {.bytes = always + voxel_bytes(header) + prepared * header.grid.size(),
          .file = image,
          .voxels = voxels_of(header)};
} catch (const Error&) {
  return {};
}

void MemoryGate::pass(const MemoryNeed& need, const std::function<void()>& work) {
  if (!limit_) return work();
  if (need.bytes > *limit_)
    throw Error(Error::Kind::input, need.file.string(),
                "has " + need.voxels + ", for which about " + shown_bytes(need.bytes) +
                    " of memory are needed, more than the limit of " + shown_bytes(*limit_) +
                    "; raise --max-memory if the machine has more" +
                    (need.otherwise.empty() ? ", or crop the image" : need.otherwise));
  {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return need.bytes <= *limit_ - used_; });
    used_ += need.bytes;
  }
  const auto leave = [&] {
    {
      const std::lock_guard lock(mutex_);
      used_ -= need.bytes;
    }
    left_.notify_all();
  };
  try {
    work();
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

Scorer within_memory(Scorer scorer, MemoryGate& gate, const metrics::ScoreSettings& settings,
                     bool predicts) {
  return [scorer = std::move(scorer), &gate, &settings, predicts](const CasePlan& plan,
                                                                  Workspace& workspace) {
    if (plan.fate != metrics::Fate::scored) return scorer(plan, workspace);
    const MemoryNeed need = predicts ? need_of_prediction(plan.files.front().prediction)
                                     : need_of_scoring(plan, settings);
    metrics::CaseRecord record;
    bool has_passed = false;
    try {
      gate.pass(need, [&] {
        has_passed = true;
        record = scorer(plan, workspace);
        if (gate.is_scarce(need)) release(workspace);  // before others are let in
      });
      return record;
    } catch (const Error& e) {
      if (has_passed) throw;
      const std::string& shown = need.is_reference ? plan.reference : plan.prediction;
      CasePlan refused = plan;
      refused.fate = metrics::Fate::failed;
      refused.error = std::string(need.is_reference ? "reference "
                                  : predicts        ? ""
                                                    : "prediction ") +
                      as_shown(e, need.file, shown).what();
      record = score_case(refused, settings, workspace);
      record.reference_at_fault = need.is_reference;
      return record;
    }
  };
}

}  // namespace assay::score
