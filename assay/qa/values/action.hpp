// SPDX-License-Identifier: Apache-2.0
/// The next action of a navigating agent, read from its reply.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "assay/slide/slide_info.hpp"

namespace assay::qa {

struct CropAction {
  slide::SlideRegion region;
};

struct AnswerAction {
  std::string text;
};

/// No action could be read; a sentence for the model says what is wrong.
struct InvalidAction {
  std::string problem;
};

struct Action {
  std::variant<CropAction, AnswerAction, InvalidAction> what;
  std::string reasoning{};  ///< the agent's words
};

/// Reads the JSON object that the rules ask for, wherever it is in the reply: fenced, after words,
/// or the action without its envelope. An object that answers the question outright (`{"answer":
/// 3}`) is an answer. If there are several actions, the last counts: models think aloud.
Action parse_action(std::string_view reply);

}  // namespace assay::qa
