// SPDX-License-Identifier: Apache-2.0
/// Writes results where experiment trackers look for them: MLflow's file store, TensorBoard's event
/// files, a table. Only files are written. None of these tools is needed, and nothing leaves the
/// machine. docs/trackers.md describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/named.hpp"
#include "assay/results.hpp"

namespace assay::results {

/// The mean of one metric over cases.
struct TrackedMean {
  std::string metric, label;  ///< label "": the average over labels
  std::size_t n = 0;
  double mean = 0;
  std::optional<double> std{};
};

/// What a tracker is told about one scoring run.
struct TrackedRun {
  std::string model{};
  std::vector<TrackedMean> means{};
  std::vector<std::pair<std::string, std::string>> settings{}, tags{};
  std::string started{};  ///< ISO 8601, UTC
  std::int64_t start_ms = 0, end_ms = 0;
  std::string id{};  ///< 32 hex digits
};

/// Start and end of a run in ms since 1970, for `tracked_run`, which turns a result into a run and
/// leaves out means without a value.
struct RunTimes {
  std::int64_t start_ms = 0, end_ms = 0;
};
TrackedRun tracked_run(const metrics::SegmentationResult& result, const Provenance& provenance,
                       const RunTimes& times);

/// Writes a run below a folder, or appends it to a table. Throws Error::io.
using WriteTracked = void (*)(const TrackedRun& run, const std::filesystem::path& place);

/// The trackers by name.
std::span<const Named<WriteTracked>> trackers();

/// TensorBoard's file of such a run.
std::string tensorboard_events(const TrackedRun& run);

/// CRC-32C (Castagnoli), which guards the records of event files.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace assay::results
