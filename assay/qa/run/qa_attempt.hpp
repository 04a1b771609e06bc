// SPDX-License-Identifier: Apache-2.0
/// One attempt at one question: the loop, with its recorded calls replayed and new ones made.
#pragma once

#include <filesystem>
#include <string>

#include "assay/qa/agent/agent_loop.hpp"
#include "assay/qa/run/qa_calls.hpp"
#include "assay/qa/run/qa_pictures.hpp"
#include "assay/qa/run/qa_state.hpp"

namespace assay::qa {

/// What the attempts of a run share.
struct AttemptParts {
  const LoopSettings& loop;
  bool converses = true;
  QaCalls& calls;
  PictureShelf& shelf;
  StopSign& stop;
  std::filesystem::path trajectories;  ///< folder
};

struct AttemptTask {
  const Item& item;
  unsigned run = 0;
  std::filesystem::path slide{};
};

/// Does the attempt, writes its trajectory and records its end; `state` says what was done before
/// and takes what is new. Throws RunStopping when it stays unfinished.
void do_attempt(const AttemptTask& task, const AttemptParts& parts, Answerer& answerer,
                AttemptState& state);

}  // namespace assay::qa
