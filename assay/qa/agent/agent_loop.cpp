// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/agent/agent_loop.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/agent/prompt.hpp"
#include "assay/qa/values/action.hpp"
#include "assay/slide/crop_rules.hpp"

namespace assay::qa {
namespace {

constexpr Named<AgentMode> mode_names[] = {
    {"giant", AgentMode::giant},
    {"thumbnail", AgentMode::thumbnail},
    {"patch", AgentMode::patch},
    {"patch_vote", AgentMode::patch_vote},
};

constexpr const char* kind_names[] = {"thumbnail", "thumbnail", "crop", "patch", "collage"};

ChatMessage said_by(Role role, std::string text) {
  return {role, {std::move(text)}};
}

TrajectoryImage shown_image(const ChatImage& image, const ImageWish& wish,
                            const slide::SlideInfo& slide) {
  const bool part = wish.kind == ImageWish::Kind::crop || wish.kind == ImageWish::Kind::patch;
  return {.sha256 = image.sha256,
          .region = part ? wish.region : slide::SlideRegion{0, 0, slide.width, slide.height},
          .width = image.width,
          .height = image.height,
          .kind = kind_names[static_cast<std::size_t>(wish.kind)]};
}

Outcome outcome_of(ModelReply::Kind kind) {
  switch (kind) {
    case ModelReply::Kind::refused: return Outcome::refused;
    case ModelReply::Kind::truncated: return Outcome::truncated;
    case ModelReply::Kind::answer: break;
  }
  return Outcome::scored;
}

/// Whether a reply without an action answers the question in plain words. One that is about to look
/// closer does not, unless it states an answer all the same.
bool answers_in_words(const std::string& reply, const Item& item) {
  static constexpr std::string_view stating[] = {
      "boxed", "final_answer", "answer", "isup_grade", "lone_token", "response", "json"};
  static constexpr std::string_view looking[] = {"zoom",   "crop",  "closer",  "magnif", "region",
                                                 "let me", "let's", "need to", "action"};
  const std::string lower = ascii_lowered(reply);
  const auto holds = [&](std::string_view words) { return lower.find(words) != lower.npos; };
  if (holds("action_type")) return false;  // an action that could not be read
  const ExtractedAnswer found = extract_label(reply, item.benchmark, item.options);
  if (!found.label) return false;
  return std::ranges::find(stating, found.rule) != std::end(stating) ||
         std::ranges::none_of(looking, holds);
}

using Turns = std::vector<TrajectoryTurn>;

/// A conversation that grows, and the record of it: `turns` outlives it, however it ends.
class Talk {
 public:
  Talk(LoopDoors& doors, std::string rules, Turns& turns) : doors_(doors), turns_(turns) {
    chat_.push_back(said_by(Role::system, std::move(rules)));
  }

  /// Puts text, and then a picture, before the model; they belong to the next turn.
  void show(std::string text, const std::optional<ImageWish>& wish = {}) {
    if (chat_.back().role != Role::user) chat_.push_back({Role::user, {}});
    next_.prompt += (next_.prompt.empty() ? "" : "\n") + text;
    chat_.back().parts.emplace_back(std::move(text));
    if (!wish) return;
    const ChatImage image = doors_.image(*wish);
    next_.images.push_back(shown_image(image, *wish, doors_.slide()));
    chat_.back().parts.emplace_back(image);
  }

  /// Asks; the reply becomes part of the conversation and ends the turn.
  ModelReply ask(CallPlace place) {
    next_.step = place.step;
    turns_.push_back(std::exchange(next_, {}));
    ModelReply reply = doors_.ask(chat_, place);
    chat_.push_back(said_by(Role::assistant, reply.text));
    last_turn().reply = reply.text;
    last_turn().model = reply.model;
    last_turn().request_id = reply.request_id;
    last_turn().usage = reply.usage;
    last_turn().cost_usd = reply.cost_usd;
    return reply;
  }

  TrajectoryTurn& last_turn() { return turns_.back(); }

 private:
  LoopDoors& doors_;
  Chat chat_;
  TrajectoryTurn next_;
  Turns& turns_;
};

/// The navigating agent.
class Navigation {
 public:
  Navigation(const Item& item, const LoopSettings& settings, LoopDoors& doors, Turns& turns)
      : item_(item),
        settings_(settings),
        doors_(doors),
        talk_(doors, navigation_rules(settings.max_steps), turns) {
    talk_.show(question_text(item.prompt, doors.slide()),
               ImageWish{.kind = ImageWish::Kind::guided_thumbnail,
                         .region = {},
                         .regions = {},
                         .longest = settings.thumbnail_size});
  }

  LoopResult run() {
    for (unsigned step = 1; step <= settings_.max_steps && !ended_; ++step) {
      talk_.show(step_text(step, settings_.max_steps, settings_.fixed_steps));
      take_step(step);
    }
    if (!ended_) force_answer();
    return std::move(result_);
  }

 private:
  /// One step: asks until an action can be carried out, then carries it out.
  void take_step(unsigned step) {
    for (unsigned attempt = 0; attempt <= settings_.corrections; ++attempt) {
      const auto action = next_action({step, attempt});
      if (!action) return;
      const std::string problem = problem_of(*action, step);
      if (problem.empty()) return carry_out(*action);
      talk_.last_turn().problem = problem;
      // A crop on the last step is answered by the forced question, not by a correction.
      if (step == settings_.max_steps && std::holds_alternative<CropAction>(action->what)) return;
      talk_.show(correction_text(problem));
    }
    fail("step " + std::to_string(step) + ": no action that can be carried out after " +
         std::to_string(settings_.corrections) +
         " corrections (the last: " + talk_.last_turn().problem + ")");
  }

  /// Nothing when the attempt has ended instead.
  std::optional<Action> next_action(CallPlace place) {
    const ModelReply reply = talk_.ask(place);
    if (reply.kind != ModelReply::Kind::answer) {
      end(outcome_of(reply.kind), reply.text);
      return std::nullopt;
    }
    Action action = parse_action(reply.text);
    // Where an earlier start asked again, its conversation goes on as it was.
    const bool asked_again = doors_.is_recorded({place.step, place.attempt + 1});
    if (!asked_again && std::holds_alternative<InvalidAction>(action.what) &&
        answers_in_words(reply.text, item_))
      action.what = AnswerAction{reply.text};
    if (!action.reasoning.empty()) observations_.push_back(action.reasoning);
    return action;
  }

  std::string problem_of(const Action& action, unsigned step) const {
    const bool last = step == settings_.max_steps;
    if (const auto* invalid = std::get_if<InvalidAction>(&action.what)) return invalid->problem;
    if (const auto* crop = std::get_if<CropAction>(&action.what))
      return last ? "this is the final step; answer now."
                  : slide::crop_problem(crop->region, doors_.slide()).value_or("");
    return settings_.fixed_steps && !last ? "do NOT answer until the final step; ask for a crop."
                                          : "";
  }

  void carry_out(const Action& action) {
    if (const auto* answer = std::get_if<AnswerAction>(&action.what))
      return end(Outcome::scored, answer->text);
    const slide::SlideRegion& region = std::get<CropAction>(action.what).region;
    talk_.last_turn().crop = region;
    talk_.show(crop_text(region), ImageWish{.kind = ImageWish::Kind::crop,
                                            .region = region,
                                            .regions = {},
                                            .longest = settings_.crop_size});
  }

  /// No steps are left. Whatever is said at last is the answer: the rules of extraction judge it.
  void force_answer() {
    constexpr unsigned tries = 3;
    for (unsigned attempt = 0; attempt < tries && !ended_; ++attempt) {
      talk_.show(forced_answer_text(observations_));
      const ModelReply reply = talk_.ask({settings_.max_steps + 1, attempt});
      if (reply.kind != ModelReply::Kind::answer) return end(outcome_of(reply.kind), reply.text);
      const Action action = parse_action(reply.text);
      if (const auto* answer = std::get_if<AnswerAction>(&action.what))
        end(Outcome::scored, answer->text);
      else if (attempt + 1 == tries ||
               (answers_in_words(reply.text, item_) &&
                !doors_.is_recorded({settings_.max_steps + 1, attempt + 1})))
        end(Outcome::scored, reply.text);
      else
        talk_.last_turn().problem = "an answer was due.";
    }
  }

  void end(Outcome outcome, std::string prediction) {
    ended_ = true;
    result_.outcome = outcome;
    result_.prediction = std::move(prediction);
  }

  void fail(std::string error) {
    end(Outcome::errored, talk_.last_turn().reply);
    result_.error = std::move(error);
  }

  const Item& item_;
  const LoopSettings& settings_;
  LoopDoors& doors_;
  Talk talk_;
  LoopResult result_;
  std::vector<std::string> observations_;
  bool ended_ = false;
};

/// One question, one picture, one answer.
LoopResult single_call(const Item& item, LoopDoors& doors, std::string rules, const ImageWish& wish,
                       Turns& turns) {
  Talk talk(doors, std::move(rules), turns);
  talk.show(question_text(item.prompt, doors.slide()), wish);
  const ModelReply reply = talk.ask({1, 0});
  return {.outcome = outcome_of(reply.kind), .prediction = reply.text};
}

PatchSettings patches_of_run(const LoopSettings& settings, unsigned run) {
  PatchSettings out = settings.patches;
  out.seed += run;
  return out;
}

LoopResult giant(const Item& item, unsigned, const LoopSettings& settings, LoopDoors& doors,
                 Turns& turns) {
  return Navigation(item, settings, doors, turns).run();
}

LoopResult thumbnail(const Item& item, unsigned, const LoopSettings& settings, LoopDoors& doors,
                     Turns& turns) {
  return single_call(item, doors, thumbnail_rules(),
                     {.kind = ImageWish::Kind::thumbnail,
                      .region = {},
                      .regions = {},
                      .longest = settings.thumbnail_size},
                     turns);
}

LoopResult patch(const Item& item, unsigned run, const LoopSettings& settings, LoopDoors& doors,
                 Turns& turns) {
  const std::vector<slide::SlideRegion> regions = doors.patches(patches_of_run(settings, run));
  return single_call(item, doors, collage_rules(regions.size()),
                     {.kind = ImageWish::Kind::collage,
                      .region = {},
                      .regions = regions,
                      .longest = settings.patches.size},
                     turns);
}

/// Every patch is asked on its own; what they say most often is the answer.
LoopResult patch_vote(const Item& item, unsigned run, const LoopSettings& settings,
                      LoopDoors& doors, Turns& turns) {
  std::vector<std::optional<std::int64_t>> labels;
  std::vector<std::string> predictions;
  Outcome without_votes = Outcome::scored;
  const std::vector<slide::SlideRegion> regions = doors.patches(patches_of_run(settings, run));
  for (unsigned i = 0; i < regions.size(); ++i) {
    Talk talk(doors, patch_rules(), turns);
    talk.show(question_text(item.prompt, doors.slide()),
              ImageWish{.kind = ImageWish::Kind::patch,
                        .region = regions[i],
                        .regions = {},
                        .longest = settings.patches.size});
    const ModelReply reply = talk.ask({i + 1, 0});
    // A patch without an answer does not vote; the others do.
    const bool answered = reply.kind == ModelReply::Kind::answer;
    if (!answered) without_votes = outcome_of(reply.kind);
    labels.push_back(answered ? extract_label(reply.text, item.benchmark, item.options).label
                              : std::nullopt);
    predictions.push_back(reply.text);
  }
  const bool voted = std::ranges::any_of(labels, &std::optional<std::int64_t>::has_value);
  return {.outcome = voted ? Outcome::scored : without_votes,
          .prediction = majority_vote(labels, predictions).prediction};
}

struct ModeRow {
  AgentMode mode;
  LoopResult (*run)(const Item& item, unsigned run, const LoopSettings& settings, LoopDoors& doors,
                    Turns& turns);
};

constexpr ModeRow modes[] = {
    {AgentMode::giant, giant},
    {AgentMode::thumbnail, thumbnail},
    {AgentMode::patch, patch},
    {AgentMode::patch_vote, patch_vote},
};

LoopResult broken_off(std::string error) {
  return {.outcome = Outcome::errored, .error = std::move(error), .broken_off = true};
}

}  // namespace

std::span<const Named<AgentMode>> agent_modes() {
  return mode_names;
}

LoopResult run_loop(const Item& item, unsigned run, const LoopSettings& settings,
                    LoopDoors& doors) {
  LoopResult out;
  Turns turns;
  try {
    for (const ModeRow& row : modes)
      if (row.mode == settings.mode) out = row.run(item, run, settings, doors, turns);
  } catch (const AttemptFailed& failure) {
    turns.back().problem = failure.error;
    out = broken_off(failure.error);
  } catch (const Error& error) {  // the slide
    out = broken_off(error.what());
  }
  out.turns = std::move(turns);
  return out;
}

}  // namespace assay::qa
