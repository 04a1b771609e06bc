// SPDX-License-Identifier: Apache-2.0
/// How much memory the machine, or the container that we run in, has left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace assay {

/// Bytes that can be allocated now: what the kernel calls available, or less where a control group
/// (version 1 or 2) or a resource limit allows less. Memory that can be reclaimed from caches
/// counts as free. Nothing when the system does not say. `root` is where /proc and /sys are.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace assay
