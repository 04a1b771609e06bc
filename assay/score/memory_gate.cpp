// SPDX-License-Identifier: Apache-2.0
// The estimate counts what is in memory at the same time, in bytes per voxel: the stored voxels of
// both files (even where they are mapped, since pages that were read belong to the process), masks
// or codes, a copy where axes have to be turned, and what shapes and probabilities need. It assumes
// the worst order of reading, so that it lies above what is measured (tests/test_memory.py).
//
// Masks that are read as runs need far less, but no header says how many runs a file has. So where
// the estimate is a large part of the limit, the runs of such files are counted.
#include "assay/score/memory_gate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>

#include "assay/error.hpp"
#include "assay/image/image_size.hpp"
#include "assay/image/layout.hpp"
#include "assay/metrics/bit_volume.hpp"
#include "assay/metrics/lesions.hpp"
#include "assay/score/case_job.hpp"
#include "assay/score/channels.hpp"
#include "assay/score/score_case.hpp"
#include "assay/score/score_tiles.hpp"
#include "assay/score/structure_plan.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// The program itself, its threads and tables.
constexpr std::uint64_t always = std::uint64_t{28} << 20U;

/// Tables by which probabilities are ranked.
constexpr std::uint64_t ranks = std::uint64_t{16} << 20U;

/// The most runs of a file that are worth counting, and the bytes that each takes in growing lists,
/// once as stored and once as labels.
constexpr std::size_t most_runs = std::size_t{1} << 20U;
constexpr std::uint64_t bytes_per_run = 48;

/// Whether the bytes of the file can be used directly as a mask or as codes of labels.
bool serves_as_it_is(const ImageHeader& header) {
  return header.type == VoxelType::u8 && header.channels == 1 && header.scaling.is_identity();
}

/// Bytes per voxel besides the stored voxels.
double extra_bytes(const metrics::ScoreSettings& settings, bool masks, bool as_is) {
  double out = masks ? 0.25 : 0;     // a bit per voxel and side
  if (!as_is) out += masks ? 1 : 4;  // one mask at a time; codes of both sides
  if (metrics::needs_lesions(settings))
    return out + 2;  // needed before the surfaces, which then fit into the same memory
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

/// Returns memory to the system, not only to the allocator.
void release(Workspace& workspace) {
  workspace = Workspace(workspace.threads());
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

/// Structures are kept as spans, so they need little more memory than the files themselves.
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
  // Masks are packed one after the other in the same memory, and codes are made in the same way.
  // Label maps that need no codes are in memory together.
  const std::uint64_t stored = masks || !as_is ? std::max(p, r) : p + r;
  const auto voxels = static_cast<double>(std::max(prediction.grid.size(), reference.grid.size()));
  double extra = extra_bytes(settings, masks, as_is);
  if (is_turned(prediction.grid, reference.grid)) extra += masks || as_is ? 1 : 2;
  const bool is_map = metrics::needs_probability(settings) && may_hold_probabilities(prediction);
  if (is_map) extra += 5;
  if (settings.resampled != metrics::Resampled::nothing) extra += 8;  // codes on both grids
  if (metrics::has_own_metrics(settings))
    extra += 4;  // two masks, and a copy of each for the metric
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

/// The box around the voxels from `first` to before `end`.
metrics::Box box_of_run(std::size_t first, std::size_t end, const Shape& shape) {
  const std::size_t width = shape[0], slab = width * shape[1];
  const auto place = [&](std::size_t voxel) -> metrics::Place {
    return {static_cast<metrics::Index>(voxel % width),
            static_cast<metrics::Index>(voxel % slab / width),
            static_cast<metrics::Index>(voxel / slab)};
  };
  metrics::Box box = {place(first), place(end - 1)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // A run that continues in the next row or slice spans the whole axis.
    const bool wraps = axis < 2 && box.low[axis + 1] != box.high[axis + 1];
    if (wraps || (axis == 0 && box.low[2] != box.high[2])) {
      box.low[axis] = 0;
      box.high[axis] = static_cast<metrics::Index>(shape[axis]) - 1;
    }
    ++box.high[axis];
  }
  return box;
}

/// The box around what is not background.
std::optional<metrics::Box> box_of(const VoxelRuns& runs, const Shape& shape) {
  std::optional<metrics::Box> out;
  std::size_t first = 0;
  for (const Run& run : runs.runs) {
    if (runs.values[run.code] != 0) {
      const metrics::Box box = box_of_run(first, run.end, shape);
      out = out ? metrics::joint_box(*out, box) : box;
    }
    first = run.end;
  }
  return out;
}

/// Whether no step needs the voxels of two images that were read as runs.
bool can_stay_runs(const FilePair& files, const ImageHeader& prediction,
                   const ImageHeader& reference, const metrics::ScoreSettings& settings) {
  return !has_structures(files) && !files.reference.ends_with(".seg.nrrd") && files.volume == 0 &&
         prediction.grid.shape == reference.grid.shape &&
         !is_turned(prediction.grid, reference.grid) && !may_hold_probabilities(prediction) &&
         !may_hold_probabilities(reference) && settings.resampled == metrics::Resampled::nothing;
}

/// The bytes that a pair takes if both files are read as runs.
std::optional<std::uint64_t> bytes_of_runs(const FilePair& files,
                                           const metrics::ScoreSettings& settings) {
  const ImageHeader prediction = read_image_header(files.prediction),
                    reference = read_image_header(files.reference);
  if (!can_stay_runs(files, prediction, reference, settings)) return std::nullopt;
  std::uint64_t bytes = always;
  std::optional<metrics::Box> around;
  for (const std::string& path : {files.prediction, files.reference}) {
    const auto found = read_runs(path, settings.reader, most_runs);
    if (!found) return std::nullopt;
    bytes += bytes_per_run * found->runs.size() + 2 * fs::file_size(path);
    if (const auto box = box_of(*found, reference.grid.shape))
      around = around ? metrics::joint_box(*around, *box) : *box;
  }
  if (!around) return bytes;
  const metrics::Index room =
      metrics::needs_lesions(settings) ? metrics::lesion_room(settings.lesions) : 0;
  double voxels = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    voxels *= static_cast<double>(around->high[axis] - around->low[axis] + 2 * room + 2);
  return bytes + static_cast<std::uint64_t>(voxels * extra_bytes(settings, true, true));
}

/// The greatest need of any file pair of the case, as computed by `need_of`.
template <class NeedOf>
MemoryNeed greatest_need(const CasePlan& plan, const NeedOf& need_of) {
  MemoryNeed most;
  for (const FilePair& files : plan.files) {
    if (files.prediction.empty() || files.reference.empty()) continue;
    try {
      if (MemoryNeed need = need_of(files); need.bytes > most.bytes) most = std::move(need);
    } catch (const Error&) {  // scoring will report what is wrong
    } catch (const fs::filesystem_error&) {
    }
  }
  return most;
}

/// An upper estimate for scoring a case. 0 where a header cannot be read; scoring then reports why.
MemoryNeed need_of_scoring(const CasePlan& plan, const metrics::ScoreSettings& settings) {
  return greatest_need(plan, [&](const FilePair& files) { return need_of_pair(files, settings); });
}

/// The same, but lower for images that are read as runs. These are decompressed to count their
/// runs, which takes little memory.
MemoryNeed need_with_runs(const CasePlan& plan, const metrics::ScoreSettings& settings) {
  return greatest_need(plan, [&](const FilePair& files) {
    MemoryNeed need = need_of_pair(files, settings);
    need.bytes = std::min(need.bytes, bytes_of_runs(files, settings).value_or(need.bytes));
    return need;
  });
}

}  // namespace

MemoryNeed need_of_prediction(const std::vector<fs::path>& files) try {
  constexpr std::uint64_t channel = 4,
                          rest = 6;  // float channels; the channel being prepared, and labels twice
  const ImageHeader header = read_image_header(files.front());
  const std::uint64_t channels = std::max(files.size(), header.channels);
  return {.bytes = always + files.size() * voxel_bytes(header) +
                   (channel * channels + rest) * header.grid.size(),
          .file = files.front(),
          .voxels = voxels_of(header)};
} catch (const Error&) {
  return {};
}

MemoryNeed MemoryGate::alone(const std::function<MemoryNeed()>& look) {
  const std::lock_guard lock(looking_);
  return look();
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
  if (!scorer)
    scorer = [&settings](const CasePlan& plan, Workspace& workspace) {
      return score_case(plan, settings, workspace);
    };
  return [scorer = std::move(scorer), &gate, &settings, predicts](const CasePlan& plan,
                                                                  Workspace& workspace) {
    if (plan.fate != metrics::Fate::scored) return scorer(plan, workspace);
    MemoryNeed need = predicts ? need_of_prediction(image_files(plan.files.front()))
                               : need_of_scoring(plan, settings);
    if (!predicts && gate.is_scarce(need))
      need = gate.alone([&] { return need_with_runs(plan, settings); });
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
