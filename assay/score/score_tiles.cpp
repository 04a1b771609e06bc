// SPDX-License-Identifier: Apache-2.0
// Overlap and volume metrics need only the number of times that each pair of stored values occurs.
// These counts can be summed over parts in any order, and few different pairs occur in masks and
// label maps. What a value means (a label, foreground, a map that needs a threshold) is decided
// afterwards, once for each different value, by the same code as for whole images. So the results
// are the same.
//
// A block is a part of the image that is read from both files, whatever their tiles. It is at least
// as large as a tile of either file, so that few tiles are decompressed more than once. It is small
// enough that memory stays bounded.
#include "assay/score/score_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "assay/base/own_threads.hpp"
#include "assay/image/map_signs.hpp"
#include "assay/image/pictures.hpp"
#include "assay/image/stored.hpp"
#include "assay/image/tiled.hpp"

namespace assay::score {
namespace {

constexpr std::size_t most_voxels_at_once = std::size_t{1}
                                            << 24;  ///< larger pairs are read by tiles
constexpr std::size_t wanted_block = std::size_t{1} << 22, largest_block = std::size_t{1} << 26;
constexpr std::uint64_t memory_of_blocks = std::uint64_t{384} << 20;
constexpr std::size_t most_pairs = std::size_t{1} << 20;
constexpr std::size_t most_voxels = std::size_t{1} << 37;

struct TiledPair {
  std::unique_ptr<TiledImage> prediction, reference;
};

TiledPair open_pair(const FilePair& files, const metrics::ScoreSettings& settings) {
  return {open_tiled(files.prediction, settings.prediction_level),
          open_tiled(files.reference, settings.pictures.level)};
}

/// Whether an image has one number per voxel that can be taken at face value.
bool is_plain(const TiledImage& image) {
  return !image.layout().is_colored && image.layout().header.channels == 1;
}

/// Both images, if they can be counted by tiles at all. Errors in opening them are left to the code
/// that reads whole images.
std::optional<TiledPair> find_pair(const FilePair& files,
                                   const metrics::ScoreSettings& settings) try {
  TiledPair pair = open_pair(files, settings);
  if (!pair.prediction || !pair.reference || !is_plain(*pair.prediction) ||
      !is_plain(*pair.reference))
    return std::nullopt;
  return pair;
} catch (const Error&) {
  return std::nullopt;
}

std::size_t voxels_of(const TiledImage& image) {
  return image.layout().header.grid.size();
}

// ---- Blocks.

std::size_t voxels_in(const Shape& shape) {
  return shape[0] * shape[1] * shape[2];
}

/// The size of a block: whole tiles of both files where that is not too much.
Shape block_shape(const TiledPair& pair) {
  const Shape& whole = pair.reference->shape();
  Shape block{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    block[axis] = std::min(std::max(pair.prediction->tile()[axis], pair.reference->tile()[axis]),
                           whole[axis]);
  while (voxels_in(block) > largest_block) {
    std::size_t& longest = *std::ranges::max_element(block);
    longest = (longest + 1) / 2;
  }
  for (const std::size_t axis : {0U, 1U, 2U})
    while (block[axis] < whole[axis] && voxels_in(block) < wanted_block)
      block[axis] = std::min(2 * block[axis], whole[axis]);
  return block;
}

class Blocks {
 public:
  explicit Blocks(const TiledPair& pair)
      : whole_(pair.reference->shape()), block_(block_shape(pair)) {}

  const Shape& shape() const { return block_; }
  std::size_t count() const { return along(0) * along(1) * along(2); }
  ImagePart part(std::size_t index) const {
    const Shape at = {index % along(0), index / along(0) % along(1), index / along(0) / along(1)};
    ImagePart part{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      part.first[axis] = at[axis] * block_[axis];
      part.size[axis] = std::min(block_[axis], whole_[axis] - part.first[axis]);
    }
    return part;
  }

 private:
  std::size_t along(std::size_t axis) const {
    return (whole_[axis] + block_[axis] - 1) / block_[axis];
  }
  Shape whole_, block_;
};

/// The memory of one thread: a block and a tile of both files, and codes of wide numbers.
std::uint64_t bytes_of_thread(const TiledPair& pair) {
  std::uint64_t bytes = 0;
  for (const auto* image : {pair.prediction.get(), pair.reference.get()})
    bytes +=
        voxels_in(block_shape(pair)) * (image->voxel_size() + (image->voxel_size() > 1 ? 2 : 0)) +
        2 * image->tile_size();
  return bytes;
}

std::size_t threads_for(const TiledPair& pair, std::size_t most) {
  return std::clamp<std::size_t>(memory_of_blocks / bytes_of_thread(pair), 1,
                                 std::max<std::size_t>(most, 1));
}

// ---- Counting.

/// How often each pair of stored values occurs, with their bits as labels.
using PairCounts = std::map<std::pair<Label, Label>, std::int64_t>;

/// Describes the stored bits of a voxel as a whole number of the same width.
ImageHeader header_of_bits(ImageHeader header, const Shape& shape) {
  constexpr std::array types = {VoxelType::u8, VoxelType::u16, VoxelType::u32, VoxelType::i64};
  const std::size_t width = bytes_per_voxel(header.type);
  header.type = types[width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3];
  header.grid = {.shape = shape};
  return header;
}

/// Merges the values on either side of a threshold, of which there may be very many.
void merge_values(std::span<std::byte> voxels, ImageHeader& header, double threshold) {
  visit_stored(header, [&]<class T, bool swapped>() {
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t i = 0; i < voxels.size(); i += sizeof(T)) {
        T value = load<T, swapped>(voxels.data() + i);
        if (std::isfinite(value))
          value = static_cast<double>(value) >= threshold ? std::numeric_limits<T>::max()
                                                          : std::numeric_limits<T>::lowest();
        std::memcpy(voxels.data() + i, &value, sizeof value);
      }
      header.byte_swapped = false;
    }
  });
}

/// Reads one side of blocks for one thread.
class SideReader {
 public:
  SideReader(std::unique_ptr<TiledImage> image, std::optional<double> threshold)
      : image_(std::move(image)), threshold_(threshold) {}

  /// Valid until the next call.
  LabelView read(const ImagePart& part) {
    ImageHeader header = image_->layout().header;
    const std::span<std::byte> room =
        room_in(voxels_, part.voxels() * bytes_per_voxel(header.type));
    read_box(*image_, part, room, tile_);
    if (threshold_) merge_values(room, header, *threshold_);
    stored_.emplace(header_of_bits(header, part.size), std::move(voxels_), 0);
    const LabelView view = labels_of_bits();
    return view;
  }
  /// Gives the memory back for the next part.
  void done() {
    voxels_ = std::move(*stored_).release();
    stored_.reset();
  }

 private:
  LabelView labels_of_bits() try {
    return labels(*stored_, codes_, values_);
  } catch (const Error&) {
    throw Error(Error::Kind::input,
                "holds more different values than masks and label maps do; give a segmentation, or "
                "--threshold T to count every value >= T of a map of probabilities");
  }

  std::unique_ptr<TiledImage> image_;
  std::optional<double> threshold_;
  Buffer voxels_, tile_, codes_;
  std::vector<Label> values_;
  std::optional<Image> stored_;
};

/// An error in a block, and the side that it occurred on.
struct BlockTrouble {
  std::size_t block;
  const PairRole* role;
  Error error;
};

/// Counts all blocks on several threads. The result does not depend on how many.
class PairCounter {
 public:
  explicit PairCounter(const CaseJob& job, const Blocks& blocks) : job_(job), blocks_(blocks) {}

  PairCounts count(std::size_t threads) {
    on_own_threads(threads, [&] { work(); });
    if (trouble_)
      on_side(*trouble_->role, job_.plan, job_.files, job_.record,
              [&](const auto&) { throw trouble_->error; });
    return std::move(counts_);
  }

 private:
  void work() {
    TiledPair pair = open_pair(job_.files, job_.settings);
    SideReader prediction(std::move(pair.prediction), job_.settings.threshold),
        reference(std::move(pair.reference), std::nullopt);
    PairCounts own;
    for (std::size_t i = 0; (i = next_.fetch_add(1)) < last_;) {
      const PairRole* role = &of_prediction;
      try {
        const LabelView p = prediction.read(blocks_.part(i));
        role = &of_reference;
        const LabelView r = reference.read(blocks_.part(i));
        for (const metrics::JointCount& each : metrics::joint_counts(p, r))
          own[{each.prediction, each.reference}] += each.voxels;
        prediction.done(), reference.done();
        require_few(own);
      } catch (const Error& e) {
        return note({i, role, e});
      }
    }
    add(own);
  }
  void add(const PairCounts& own) {
    const std::lock_guard lock(mutex_);
    for (const auto& [pair, voxels] : own) counts_[pair] += voxels;
  }
  static void require_few(const PairCounts& counts) {
    if (counts.size() > most_pairs)
      throw Error(Error::Kind::input,
                  "holds too many different values for counting by tiles; give a segmentation");
  }
  /// The first failing block is the one reported, so all blocks before it are still read.
  void note(const BlockTrouble& trouble) {
    const std::lock_guard lock(mutex_);
    if (!trouble_ || trouble.block < trouble_->block) trouble_ = trouble;
    last_ = std::min(last_.load(), trouble.block);
  }

  const CaseJob& job_;
  const Blocks& blocks_;
  std::atomic<std::size_t> next_ = 0, last_ = blocks_.count();
  std::mutex mutex_;
  PairCounts counts_;
  std::optional<BlockTrouble> trouble_;
};

// ---- What the values mean.

template <class T>
void append_bits(std::span<std::byte> out, std::size_t index, Label bits) {
  const auto stored = static_cast<T>(bits);
  std::memcpy(out.data() + index * sizeof stored, &stored, sizeof stored);
}

/// An image that holds each of the values once.
Image image_of_values(std::span<const Label> bits, ImageHeader header) {
  header.grid = {.shape = {bits.size(), 1, 1}};
  header.byte_swapped = false;
  Buffer buffer;
  const std::size_t width = bytes_per_voxel(header.type);
  const std::span<std::byte> out = room_in(buffer, bits.size() * width);
  for (std::size_t i = 0; i < bits.size(); ++i) switch (width) {
      case 1: append_bits<std::uint8_t>(out, i, bits[i]); break;
      case 2: append_bits<std::uint16_t>(out, i, bits[i]); break;
      case 4: append_bits<std::uint32_t>(out, i, bits[i]); break;
      default: append_bits<std::uint64_t>(out, i, bits[i]); break;
    }
  return {header, std::move(buffer), 0};
}

/// Errors of whole images name a voxel. Here only the value is known, so the message names that.
[[noreturn]] void refuse_values(std::span<const double> all, const Reading& how, const Error& why) {
  const auto is_odd = [](double value) { return !std::isfinite(value); };
  if (std::ranges::any_of(all, is_odd))
    throw Error(Error::Kind::input,
                "holds NaN or infinity; replace them (by 0 for background) and score again");
  const auto fraction =
      std::ranges::find_if(all, [](double value) { return !assay::is_whole(value); });
  if (fraction == all.end()) throw why;
  if (how.as_labels)
    throw Error(
        Error::Kind::input,
        fmt::format("holds {:.6g}, which is not a whole number that can be a label; if this is a "
                    "map, such as one of probabilities, give --threshold T or --foreground "
                    "nonzero instead of labels",
                    *fraction));
  refuse_map(fmt::format("{:.6g}", *fraction), how.mask);
}

/// What the values of one side mean, by their bits.
struct Meanings {
  std::vector<Label> bits;
  SettledVoxels settled;

  Label of(Label stored) const {
    const auto at = std::ranges::lower_bound(bits, stored) - bits.begin();
    return settled.values[settled.codes[static_cast<std::size_t>(at)]];
  }
};

Meanings meanings(std::vector<Label> bits, const ImageHeader& header, const Reading& how,
                  Workspace& workspace) {
  std::ranges::sort(bits);
  bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
  Image image = image_of_values(bits, header);
  const std::vector<double> all = values(image);
  try {
    SettledVoxels settled = settle_voxels(std::move(image), how, workspace);
    return {std::move(bits), std::move(settled)};
  } catch (const Error& e) {
    refuse_values(all, how, e);
  }
}

/// The meanings of one side of the counted pairs.
template <class Side>
Meanings settle_side(const PairCounts& counts, const ImageHeader& header, const PairRole& role,
                     const CaseJob& job, Side side) {
  const bool is_prediction = role.file == &FilePair::prediction;
  const bool as_labels = !job.scores_a_mask();
  const Reading how =
      is_prediction ? job.reading_of_prediction(as_labels) : job.reading_of_reference(as_labels);
  std::vector<Label> bits;
  for (const auto& [pair, voxels] : counts) bits.push_back(side(pair));
  Meanings out = on_side(role, job.plan, job.files, job.record, [&](const auto&) {
    return meanings(std::move(bits), header, how, job.workspace);
  });
  if (!as_labels) note_reading(out.settled.is_map, out.settled.oddities, role, job);
  return out;
}

std::vector<metrics::JointCount> joint_of(const PairCounts& counts, const Meanings& prediction,
                                          const Meanings& reference) {
  PairCounts merged;
  for (const auto& [pair, voxels] : counts)
    merged[{prediction.of(pair.first), reference.of(pair.second)}] += voxels;
  std::vector<metrics::JointCount> out;
  for (const auto& [pair, voxels] : merged) out.push_back({pair.first, pair.second, voxels});
  return out;
}

/// The grid of one side. Throws Error when its size is absurd.
Grid grid_of(const TiledImage& image, const PictureRules& pictures) {
  if (voxels_of(image) > most_voxels)
    throw Error(Error::Kind::unsupported,
                fmt::format("has {} voxels, more than assay counts; crop it", voxels_of(image)));
  return sized_header(image.layout(), pictures).grid;
}

}  // namespace

bool allows_tiles(const FilePair& files, const metrics::ScoreSettings& settings) {
  if (files.volume != 0 || settings.resampled != metrics::Resampled::nothing) return false;
  if (settings.reader == VoxelReader::runs || settings.reader == VoxelReader::buffer) return false;
  const auto pair = find_pair(files, settings);
  return pair && (settings.reader == VoxelReader::tiles ||
                  std::max(voxels_of(*pair->prediction), voxels_of(*pair->reference)) >
                      most_voxels_at_once);
}

bool counts_by_tiles(const FilePair& files, const metrics::ScoreSettings& settings) {
  return !needs_shapes(settings) && !metrics::has_own_metrics(settings) &&
         !metrics::needs_probability(settings) && allows_tiles(files, settings);
}

std::uint64_t bytes_for_tiles(const FilePair& files, const metrics::ScoreSettings& settings) {
  const auto pair = find_pair(files, settings);
  if (!pair) return 0;
  return bytes_of_thread(*pair) *
         threads_for(*pair, std::max(1U, std::thread::hardware_concurrency()));
}

void score_tiles(const CaseJob& job) {
  const TiledPair pair = open_pair(job.files, job.settings);
  const auto grid_on = [&](const PairRole& role, const TiledImage& image,
                           const PictureRules& pictures) {
    return on_side(role, job.plan, job.files, job.record,
                   [&](const auto&) { return grid_of(image, pictures); });
  };
  const Grid predicted =
      grid_on(of_prediction, *pair.prediction, pictures_of_prediction(job.settings));
  const Grid referred = grid_on(of_reference, *pair.reference, job.settings.pictures);
  const Alignment alignment = aligned(predicted, referred, job.settings.allow_affine_mismatch);

  const Blocks blocks(pair);
  const std::size_t threads = threads_for(pair, std::min(job.workspace.threads(), blocks.count()));
  const PairCounts counts = PairCounter(job, blocks).count(threads);
  const Meanings reference = settle_side(counts, pair.reference->layout().header, of_reference, job,
                                         [](const auto& both) { return both.second; });
  const Meanings prediction = settle_side(counts, pair.prediction->layout().header, of_prediction,
                                          job, [](const auto& both) { return both.first; });
  note_grid(alignment, job);
  const std::vector<metrics::JointCount> joint = joint_of(counts, prediction, reference);
  if (!job.scores_a_mask()) return static_cast<void>(count_regions(joint, job));
  const std::string& key =
      job.files.region.empty() ? job.settings.regions.front().key : job.files.region;
  const metrics::Confusion confusion = metrics::confusion(joint, {key, key, {}}, {});
  job.record.counts[key] = confusion;
  job.record.voxels = confusion.total();
}

}  // namespace assay::score
