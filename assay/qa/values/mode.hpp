// SPDX-License-Identifier: Apache-2.0
/// How an agent is shown a slide.
#pragma once

#include <cstdint>
#include <span>

#include "assay/base/named.hpp"

namespace assay::qa {

///   giant       the whole slide, then crops of the agent's choice, up to max_steps
///   thumbnail   the whole slide only
///   patch       random patches of tissue side by side, one call
///   patch_vote  each patch in a call of its own; the labels vote
enum class AgentMode { giant, thumbnail, patch, patch_vote };

std::span<const Named<AgentMode>> agent_modes();

struct PatchSettings {
  std::size_t count = 30;
  std::int64_t size = 224;  ///< level-0 pixels
  std::uint32_t seed = 42;
};

/// Everything about the loop that can change an answer.
struct LoopSettings {
  AgentMode mode = AgentMode::giant;
  unsigned max_steps = 20;
  bool fixed_steps = false;  ///< no answer before the last step
  unsigned corrections = 3;  ///< of an action that cannot be carried out, per step
  std::int64_t thumbnail_size = 1024, crop_size = 1000;  ///< longer side, pixels
  PatchSettings patches{};                               ///< the run's number is added to the seed
};

}  // namespace assay::qa
