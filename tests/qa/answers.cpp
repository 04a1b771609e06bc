// SPDX-License-Identifier: Apache-2.0
#include "tests/qa/answers.hpp"

#include <cctype>

#include "assay/base/sha256.hpp"

namespace assay::test_server {
namespace {

using nlohmann::json;

/// The number behind the first '#', or one that the text gives.
unsigned long number_of(const std::string& text) {
  const std::size_t at = text.find('#');
  if (at + 1 < text.size() && at != std::string::npos &&
      std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0)
    return std::stoul(text.substr(at + 1, 9));
  return std::stoul(sha256(text).substr(0, 7), nullptr, 16);
}

std::string final_answer(const Settings& settings, const Question& question) {
  if (settings.has("answer")) return settings.text("answer");
  const auto options = static_cast<unsigned long>(settings.number("options", 4));
  return json({{"answer", number_of(question.first_text) % options + 1}}).dump();
}

json crop(const Settings& settings, std::size_t step, bool bad) {
  const auto given = settings.list("crop");
  const auto part = [&](std::size_t i, long otherwise) {
    return i < given.size() ? std::stol(given[i]) : otherwise;
  };
  return {{"action_type", "crop"},
          {"x", bad ? 1000000000 : part(0, 0) + 16 * static_cast<long>(step)},
          {"y", part(1, 0)},
          {"width", part(2, 256)},
          {"height", part(3, 256)}};
}

}  // namespace

std::string answer_to(const Settings& settings, const Question& question) {
  if (!settings.has("crops")) return final_answer(settings, question);
  const auto bad = static_cast<std::size_t>(settings.number("bad-crops", 0));
  const auto crops = static_cast<std::size_t>(settings.number("crops", 0)) + bad;
  const std::size_t step = question.assistant_turns;
  const json action =
      step < crops
          ? crop(settings, step, step < bad)
          : json({{"action_type", "answer"}, {"answer_text", final_answer(settings, question)}});
  return json({{"reasoning", "step " + std::to_string(step)}, {"action", action}}).dump();
}

}  // namespace assay::test_server
