// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/demo_cohort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "assay/base/file.hpp"
#include "assay/base/own_threads.hpp"
#include "assay/demo/demo_head.hpp"
#include "assay/demo/demo_lesion.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/nifti.hpp"

namespace assay::demo {
namespace {

namespace fs = std::filesystem;

struct Sizes {
  double smallest_ml, largest_ml;
};
/// Totals stay within 1 to 300 mL after losses to the voxel grid and the skull.
constexpr Sizes totals = {1.3, 280}, main_lesions = {4.5, 250}, satellites = {0.1, 1.5};
constexpr double field_of_view_mm = 256;
constexpr double edge_cell = 0.5;

/// The labels of a study's lesions. The core is what lies deeper than this, in units of their
/// radius.
constexpr std::uint8_t core = 1, oedema = 2;
constexpr double core_depth = 0.4;
constexpr std::string_view dataset_json = R"({
  "channel_names": {"0": "T1"},
  "labels": {"background": 0, "core": 1, "oedema": 2},
  "file_ending": ".nii.gz"
}
)";

/// A model, described by its faults, or the one who draws the reference and has none.
struct Observer {
  std::string_view name;
  double shift = 0, jitter = 0;  ///< see Edge
  double blind_below_ml = 0;
  bool hallucinates = false;
  double doubt = 0;  ///< range of depths over which its probabilities rise; 0: it draws labels
};
constexpr Observer truth = {.name = "references"};
constexpr std::array observers = {
    Observer{.name = "good", .jitter = 0.22},
    Observer{.name = "over", .shift = 0.12, .jitter = 0.22, .hallucinates = true, .doubt = 0.5},
    Observer{.name = "misses_small", .jitter = 0.15, .blind_below_ml = 5}};

constexpr std::array<std::string_view, 3> sites = {"north", "south", "coast"};
constexpr std::array<std::string_view, 2> scanners = {"1.5T", "3T"};

struct Case {
  std::string id;
  std::size_t site, scanner;
  std::vector<Lesion> lesions;
  Lesion phantom;      ///< seen only by observers that hallucinate
  double difficulty;   ///< scales every jitter
  std::uint64_t seed;  ///< for what observers see
};

/// Each case has a stream of its own, so that cases can be made in any order.
std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t index) {
  SplitMix64 mixed(seed ^ (index * 0xd1342543de82ef95U));
  return mixed.next();
}

/// A size between the smallest and the largest on a logarithmic scale; `share` is from 0 to 1.
double size_ml(const Sizes& sizes, double share) {
  return sizes.smallest_ml * std::pow(sizes.largest_ml / sizes.smallest_ml, share);
}

/// Evenly spaced on that scale, in random order: the totals of cases, or the main lesions of a
/// study.
std::vector<double> case_volumes_ml(const DemoOptions& options) {
  std::vector<double> volumes(options.cases);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const auto last = static_cast<double>(std::max<std::size_t>(volumes.size() - 1, 1));
    volumes[i] = size_ml(options.as_study ? main_lesions : totals, static_cast<double>(i) / last);
  }
  SplitMix64 random(options.seed);
  for (std::size_t i = volumes.size(); i > 1; --i)
    std::swap(volumes[i - 1], volumes[random.below(i)]);
  return volumes;
}

/// One main lesion and up to three smaller ones.
std::vector<double> lesion_volumes_ml(SplitMix64& random, double total_ml) {
  std::vector<double> volumes = {1};
  for (std::size_t more = random.below(4); more > 0; --more)
    volumes.push_back(random.uniform(0.1, 0.5));
  const double sum = std::accumulate(volumes.begin(), volumes.end(), 0.0);
  for (double& volume : volumes) volume *= total_ml / sum;
  return volumes;
}

/// One main lesion and up to five small ones.
std::vector<double> study_volumes_ml(SplitMix64& random, double main_ml) {
  std::vector<double> volumes = {main_ml};
  for (std::size_t more = random.below(6); more > 0; --more)
    volumes.push_back(size_ml(satellites, random.uniform(0, 1)));
  return volumes;
}

bool is_apart(const Point& place, double radius_mm, const std::vector<Lesion>& others) {
  return std::ranges::all_of(others, [&](const Lesion& other) {
    const Point& c = other.centre_mm;
    const double gap = std::hypot(place[0] - c[0], place[1] - c[1], place[2] - c[2]);
    return gap > 1.25 * (radius_mm + ball_radius_mm(other.volume_ml));
  });
}

Lesion placed_lesion(SplitMix64& random, double volume_ml, const std::vector<Lesion>& others) {
  constexpr int tries = 100;  // a crowded head ends with touching lesions, as real ones do
  Lesion lesion = random_lesion(random, volume_ml);
  const double radius_mm = ball_radius_mm(volume_ml);
  for (int i = 0; i < tries; ++i) {
    lesion.centre_mm = random_place(random, radius_mm);
    if (is_apart(lesion.centre_mm, radius_mm, others)) break;
  }
  return lesion;
}

std::string case_id(std::size_t index) {
  return fmt::format("sub-{:03}", index + 1);
}

Case made_case(const DemoOptions& options, std::size_t index, double total_ml) {
  SplitMix64 random(stream_seed(options.seed, index + 1));
  std::vector<Lesion> lesions;
  for (const double volume_ml :
       options.as_study ? study_volumes_ml(random, total_ml) : lesion_volumes_ml(random, total_ml))
    lesions.push_back(placed_lesion(random, volume_ml, lesions));
  Lesion phantom = placed_lesion(random, random.uniform(0.02, 0.12) * total_ml + 0.3, lesions);
  return {.id = case_id(index),
          .site = random.below(sites.size()),
          .scanner = random.below(scanners.size()),
          .lesions = std::move(lesions),
          .phantom = std::move(phantom),
          .difficulty = random.uniform(0.8, 1.2),
          .seed = random.next()};
}

/// A cube, which for a study is narrowed to the width and height of a head.
Grid demo_grid(const DemoOptions& options) {
  const std::size_t narrow = options.as_study ? options.side * 3 / 4 : options.side;
  Grid grid = {.shape = {narrow, options.side, narrow}, .affine = {}};
  const double step = field_of_view_mm / static_cast<double>(options.side);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.affine[axis][axis] = step;
    grid.affine[axis][3] = -step * static_cast<double>(grid.shape[axis] - 1) / 2;
  }
  return grid;
}

/// An observer looking at a case; `stream` makes different observers see different things.
struct Sight {
  const Case& of;
  const Observer& observer;
  std::uint64_t stream;
};

/// Calls `see` for every lesion that the observer notices.
void look(const Sight& sight, const Grid& grid, double from_depth, const DepthObserver& see) {
  SplitMix64 random(stream_seed(sight.of.seed, sight.stream));
  const Observer& observer = sight.observer;
  const double jitter = observer.jitter * sight.of.difficulty;
  const auto look_at = [&](const Lesion& lesion) {
    observe(lesion, {observer.shift, jitter, SmoothNoise(random, edge_cell)}, grid, from_depth,
            see);
  };
  for (const Lesion& lesion : sight.of.lesions)
    if (lesion.volume_ml >= observer.blind_below_ml) look_at(lesion);
  if (observer.hallucinates) look_at(sight.of.phantom);
}

/// Lesions as an observer draws them; with `core_from` 0 a whole lesion is core.
Volume<std::uint8_t> labels_of(const Sight& sight, const Grid& grid, double core_from) {
  Volume<std::uint8_t> labels(grid);
  look(sight, grid, 0, [&](std::size_t voxel, double depth) {
    std::uint8_t& label = labels.voxels()[voxel];
    if (depth > core_from)
      label = core;
    else if (depth > 0 && label != core)
      label = oedema;
  });
  return labels;
}

/// Writes a probability volume for each class: background, core, oedema.
void write_maps(const fs::path& path, const Sight& sight, const Grid& grid) {
  constexpr std::uint8_t certain = 128;  // a power of two, so that the sum is exactly 1
  const double doubt = sight.observer.doubt;
  const auto likely = [&](double depth) {
    const double t = std::clamp(depth / doubt + 0.5, 0.0, 1.0);
    return static_cast<std::uint8_t>(std::lround(certain * t * t * (3 - 2 * t)));
  };
  const std::size_t count = grid.size();
  std::vector<std::uint8_t> maps(3 * count);
  const std::span<std::uint8_t> background(maps.data(), count),
      cores(maps.data() + core * count, count), others(maps.data() + oedema * count, count);
  look(sight, grid, -doubt / 2, [&](std::size_t voxel, double depth) {
    others[voxel] = std::max(others[voxel], likely(depth));  // for core and oedema together
    cores[voxel] = std::max(cores[voxel], likely(depth - core_depth));
  });
  for (std::size_t i = 0; i < count; ++i) {
    background[i] = static_cast<std::uint8_t>(certain - others[i]);
    others[i] = static_cast<std::uint8_t>(others[i] - cores[i]);
  }
  for (const EncodedFile& file : encode_nifti(path, {.grid = grid,
                                                    .voxels = std::as_bytes(std::span(maps)),
                                                    .volumes = 3,
                                                    .slope = 1.0 / certain}))
    write_atomically(file.path, file.bytes);
}

/// The faults in the files of the first model.
enum class Fault { none, damaged, missing };

Fault fault_of(std::size_t index, std::size_t model, const DemoOptions& options) {
  if (!options.with_faults || model != 0 || options.cases < 3) return Fault::none;
  if (index == options.cases / 3) return Fault::damaged;
  return index == options.cases * 2 / 3 ? Fault::missing : Fault::none;
}

/// Leaves a file as an interrupted copy would.
void cut_short(const fs::path& path) {
  const std::string whole = read_text(path);
  write_atomically(path, std::string_view(whole).substr(0, whole.size() * 3 / 5));
}

/// Writes a model's prediction for a case.
void write_prediction(const fs::path& path, const Sight& sight, const Grid& grid,
                      const DemoOptions& options) {
  if (options.as_study && sight.observer.doubt > 0) return write_maps(path, sight, grid);
  const auto labels = labels_of(sight, grid, options.as_study ? core_depth : 0);
  write_image(path, labels.view());
}

/// A stream that no observer uses.
constexpr std::uint64_t image_stream = 1000;

/// Writes all files of a case and returns its row of the manifest.
std::string write_case(const Case& c, std::size_t index, const DemoCohort& cohort,
                       const DemoOptions& options) {
  const Grid grid = demo_grid(options);
  const std::string file = c.id + ".nii.gz";
  const auto reference = labels_of({c, truth, 0}, grid, options.as_study ? core_depth : 0);
  write_image(cohort.references / file, reference.view());
  if (options.as_study) {
    const auto image = head_image(reference, stream_seed(c.seed, image_stream));
    write_image(cohort.images / file, image.view());
  }
  for (std::size_t m = 0; m < observers.size(); ++m) {
    const fs::path path = cohort.models[m].second / file;
    const Fault fault = fault_of(index, m, options);
    if (fault == Fault::missing) continue;
    write_prediction(path, {c, observers[m], m + 1}, grid, options);
    if (fault == Fault::damaged) cut_short(path);
  }
  const auto background = std::ranges::count(reference.view().voxels, 0);
  const double ml =
      (static_cast<double>(grid.size()) - static_cast<double>(background)) * voxel_ml(grid);
  return fmt::format("{},{},{},{:.3f}\n", c.id, sites[c.site], scanners[c.scanner], ml);
}

/// Distinguishes a folder that we made from one that holds somebody's study.
constexpr const char* marker = ".assay-demo";

/// Claims `folder` or refuses it, so that nothing we did not write is ever touched.
void claim(const fs::path& folder) {
  make_folder(folder);
  if (!fs::is_empty(folder) && !fs::exists(folder / marker))
    throw Error(
        Error::Kind::input, folder,
        "holds files that do not belong to a demo; give an empty or a new folder with --out");
  write_atomically(folder / marker, "made by assay demo; its cases may be overwritten\n");
}

/// Empties the folder of cases. Cases left from an earlier, larger cohort would otherwise be scored
/// with ours.
void prepare(const fs::path& folder) {
  fs::remove_all(folder);
  make_folder(folder);
}

DemoCohort prepared_cohort(const fs::path& folder) {
  DemoCohort cohort = {.references = folder / truth.name,
                       .images = folder / "images",
                       .models = {},
                       .manifest = folder / "cases.csv"};
  claim(folder);
  prepare(cohort.references);
  prepare(cohort.images);
  for (const Observer& observer : observers) {
    cohort.models.emplace_back(observer.name, folder / "models" / observer.name);
    prepare(cohort.models.back().second);
  }
  return cohort;
}

/// The folders of a cohort. Exceptions of the standard library are turned into errors of ours.
DemoCohort cohort_in(const fs::path& folder) {
  try {
    return prepared_cohort(folder);
  } catch (const fs::filesystem_error& e) {
    throw Error(Error::Kind::io, folder,
                "the folders of the cohort cannot be created: " + e.code().message());
  }
}

void require_sensible(const DemoOptions& options) {
  constexpr std::size_t least_side = 16, greatest_side = 1024;
  if (options.cases == 0) throw Error(Error::Kind::usage, "--cases must be 1 or more");
  if (options.side < least_side || options.side > greatest_side)
    throw Error(Error::Kind::usage, fmt::format("--side must be between {} and {}, not {}",
                                                least_side, greatest_side, options.side));
}

}  // namespace

DemoCohort write_demo_cohort(const fs::path& folder, const DemoOptions& options) {
  require_sensible(options);
  DemoCohort cohort = cohort_in(folder);
  const std::vector<double> volumes_ml = case_volumes_ml(options);
  std::vector<std::string> rows(options.cases);
  each_on_own_threads(options.cases, options.jobs, [&](std::size_t i) {
    rows[i] = write_case(made_case(options, i, volumes_ml[i]), i, cohort, options);
  });
  if (options.as_study)
    for (const auto& [model, predictions] : cohort.models)
      write_atomically(predictions / "dataset.json", dataset_json);
  std::string manifest = "id,site,scanner,lesion_ml\n";
  for (const std::string& row : rows) manifest += row;
  write_atomically(cohort.manifest, manifest);
  return cohort;
}

}  // namespace assay::demo
