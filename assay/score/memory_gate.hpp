// SPDX-License-Identifier: Apache-2.0
/// Keeps cases within the available memory. The need of each is estimated from the headers of its
/// images, or from their runs, before anything is allocated. A case that needs more than there is
/// fails. Cases that do not fit together wait for one another.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/image.hpp"
#include "assay/score.hpp"

namespace assay::score {

/// The memory that a piece of work takes, and the file that accounts for most of it.
struct MemoryNeed {
  std::uint64_t bytes = 0;
  std::filesystem::path file{};
  bool is_reference = false;  ///< of the file
  std::string voxels{};       ///< "512x512x300"
  std::string otherwise{};    ///< what needs less, as the end of a sentence: ", or crop the image"
};

/// An upper estimate for preparing an image for a model and writing its labels, without the model's
/// own memory, which is not known here. 0 where a header cannot be read.
MemoryNeed need_of_prediction(const std::vector<std::filesystem::path>& files);

class MemoryGate {
 public:
  /// No limit when empty.
  explicit MemoryGate(std::optional<std::uint64_t> limit) : limit_(limit) {}

  /// Calls work() as soon as its need fits beside those of the others, in no guaranteed order.
  /// Throws an Error::input when it can never fit.
  void pass(const MemoryNeed& need, const std::function<void()>& work);

  /// Calls look(), which takes some memory itself, for one case at a time.
  MemoryNeed alone(const std::function<MemoryNeed()>& look);

  /// Whether the need is so large that its memory must be released afterwards.
  bool is_scarce(const MemoryNeed& need) const { return limit_ && need.bytes > *limit_ / 4; }

 private:
  std::optional<std::uint64_t> limit_;
  std::uint64_t used_ = 0;
  std::mutex mutex_, looking_;
  std::condition_variable left_;
};

using Scorer = std::function<metrics::CaseRecord(const CasePlan& plan, Workspace& workspace)>;

/// A scorer whose cases go through the gate; score_case by default. Gate and settings must outlive
/// it.
Scorer within_memory(Scorer scorer, MemoryGate& gate, const metrics::ScoreSettings& settings,
                     bool predicts);

}  // namespace assay::score
