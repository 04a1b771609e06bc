// SPDX-License-Identifier: Apache-2.0
/// The agent itself: shows a model a slide, carries out what it asks for, and comes back with an
/// answer. It owns no slide, no network and no disk: it sees them through doors, so that a recorded
/// conversation replays through the very same code.
#pragma once

#include <string>
#include <vector>

#include "assay/image/picture.hpp"
#include "assay/qa.hpp"
#include "assay/qa/values/chat.hpp"
#include "assay/qa/values/mode.hpp"
#include "assay/qa/values/trajectory.hpp"
#include "assay/slide/slide_info.hpp"

namespace assay::qa {

/// A picture of the slide that the agent is to be shown.
struct ImageWish {
  enum class Kind { thumbnail, guided_thumbnail, crop, patch, collage };

  Kind kind = Kind::thumbnail;
  slide::SlideRegion region{};                ///< of a crop or a patch
  std::vector<slide::SlideRegion> regions{};  ///< of a collage
  std::int64_t longest = 0;                   ///< pixels of the longer side
};

/// Which call of an attempt: the step, and the how-manieth try at it.
struct CallPlace {
  unsigned step = 0, attempt = 0;

  bool operator==(const CallPlace&) const = default;
};

/// Thrown by `ask` to end an attempt that got no answer.
struct AttemptFailed {
  std::string error;
};

/// What the loop needs from outside. AttemptFailed and Error end the attempt with what was done so
/// far; whatever else these throw passes through.
class LoopDoors {
 public:
  virtual ~LoopDoors() = default;
  virtual const slide::SlideInfo& slide() = 0;
  virtual ChatImage image(const ImageWish& wish) = 0;
  virtual std::vector<slide::SlideRegion> patches(const PatchSettings& settings) = 0;
  virtual ModelReply ask(const Chat& chat, CallPlace place) = 0;
  /// Whether the reply to that call is known from an earlier start.
  virtual bool is_recorded(CallPlace) const { return false; }
};

struct LoopResult {
  Outcome outcome = Outcome::scored;  ///< scored here means: answered, not yet parsed
  std::string prediction{};
  std::string error{};
  std::vector<TrajectoryTurn> turns{};  ///< the last is without a reply when none came
  bool broken_off = false;              ///< errored between two calls, not by what was said
};

/// One attempt at one item.
LoopResult run_loop(const Item& item, unsigned run, const LoopSettings& settings, LoopDoors& doors);

}  // namespace assay::qa
