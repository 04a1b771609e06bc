// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_attempt.hpp"

#include <algorithm>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/trajectory.hpp"

namespace assay::qa {
namespace {

AttemptKey key_of(const AttemptTask& task) {
  return {task.item.benchmark, task.item.id, task.run};
}

/// Where the loop gets its data: slides from disk, answers from the journal or from the model.
class Doors : public LoopDoors {
 public:
  Doors(const AttemptTask& task, const AttemptParts& parts, Answerer& answerer, AttemptState& state)
      : task_(task),
        parts_(parts),
        answerer_(answerer),
        state_(state),
        pictures_(task.slide, parts.shelf) {}

  const slide::SlideInfo& slide() override { return pictures_.info(); }
  ChatImage image(const ImageWish& wish) override {
    try {
      return pictures_.image(wish);
    } catch (const PictureNotStored& failure) {
      parts_.stop.raise(failure.why);
      throw RunStopping{};
    }
  }
  std::vector<slide::SlideRegion> patches(const PatchSettings& settings) override {
    return pictures_.patches(settings);
  }

  ModelReply ask(const Chat& chat, CallPlace place) override {
    const std::string hash = chat.empty() ? sha256(task_.item.prompt) : request_sha256(chat);
    const auto recorded = std::ranges::find(state_.calls, place, &CallRecord::place);
    if (recorded != state_.calls.end() && !is_outdated(*recorded, hash))
      return replayed(*recorded, hash);
    ModelReply reply =
        parts_.calls.answer(answerer_, {task_.item, task_.run, task_.slide, chat},
                            {.key = key_of(task_), .place = place, .request_sha256 = hash});
    state_.totals.add(reply);
    return reply;
  }

  bool is_recorded(CallPlace place) const override {
    return std::ranges::find(state_.calls, place, &CallRecord::place) != state_.calls.end();
  }

 private:
  /// Whether a recorded call was part of a conversation that is not held any more: one before it
  /// was lost with a damaged journal, or version 0.1 told the model an implausible pixel size.
  bool is_outdated(const CallRecord& record, const std::string& hash) {
    if (record.request_sha256 == hash) return false;
    if (state_.has_gaps) return true;
    if (!parts_.converses) return false;
    const slide::SlideInfo& info = pictures_.info();
    return info.microns_per_pixel && !info.plausible_microns_per_pixel();
  }

  /// An answer belongs to its question: a slide or a library that changed in between must not be
  /// mixed in silently.
  ModelReply replayed(const CallRecord& record, const std::string& hash) {
    if (record.request_sha256 == hash) return record.reply;
    parts_.stop.raise(task_.item.benchmark + "/" + task_.item.id +
                      ": its recorded calls do not match what would be asked now; " +
                      (task_.slide.empty() ? "the question" : task_.slide.string()) +
                      " has changed. Restore it, or choose another --out");
    throw RunStopping{};
  }

  const AttemptTask& task_;
  const AttemptParts& parts_;
  Answerer& answerer_;
  AttemptState& state_;
  SlidePictures pictures_;
};

/// An agent that takes an item as a whole is asked once.
LoopResult asked_once(const Item& item, Doors& doors) try {
  const ModelReply reply = doors.ask({}, {1, 0});
  LoopResult result{.outcome = Outcome::scored, .prediction = reply.text, .error = {}, .turns = {}};
  if (reply.kind == ModelReply::Kind::refused) result.outcome = Outcome::refused;
  if (reply.kind == ModelReply::Kind::truncated) result.outcome = Outcome::truncated;
  result.turns.push_back({.step = 1,
                          .prompt = item.prompt,
                          .reply = reply.text,
                          .model = reply.model,
                          .request_id = reply.request_id,
                          .usage = reply.usage,
                          .cost_usd = reply.cost_usd});
  return result;
} catch (const AttemptFailed& failure) {
  return {.outcome = Outcome::errored,
          .error = failure.error,
          .turns = {{.step = 1, .prompt = item.prompt, .problem = failure.error}},
          .broken_off = true};
}

Trajectory trajectory_of(const AttemptTask& task, const LoopResult& result, Doors& doors,
                         bool converses) {
  const slide::SlideInfo slide = converses ? doors.slide() : slide::SlideInfo{};
  return {.benchmark = task.item.benchmark,
          .item_id = task.item.id,
          .run = task.run,
          .question = task.item.prompt,
          .slide = task.item.image_path,
          .slide_width = slide.width,
          .slide_height = slide.height,
          .turns = result.turns,
          .final_answer = result.prediction,
          .outcome = std::string(
              result.outcome == Outcome::scored ? "answered" : name_in(outcomes(), result.outcome)),
          .error = result.error};
}

}  // namespace

void do_attempt(const AttemptTask& task, const AttemptParts& parts, Answerer& answerer,
                AttemptState& state) {
  Doors doors(task, parts, answerer, state);
  const LoopResult result = parts.converses ? run_loop(task.item, task.run, parts.loop, doors)
                                            : asked_once(task.item, doors);
  AttemptRecord record{.key = key_of(task),
                       .outcome = result.outcome,
                       .prediction = result.prediction,
                       .error = result.error,
                       .trajectory_file = {},
                       .resumable = result.broken_off};
  if (!result.turns.empty()) {
    const std::string name = trajectory_name(task.item.benchmark, task.item.id, task.run);
    write_atomically(parts.trajectories / name,
                     trajectory_text(trajectory_of(task, result, doors, parts.converses)));
    record.trajectory_file = (parts.trajectories.filename() / name).generic_string();
  }
  parts.calls.record(record);
  state.calls = {};
  state.end = std::move(record);
}

}  // namespace assay::qa
