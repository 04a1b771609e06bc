// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/action.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "assay/qa/values/json_value.hpp"

namespace assay::qa {
namespace {

using Read = std::variant<CropAction, AnswerAction, InvalidAction>;

/// A whole number, as models write them: 12, 12.0, "12".
std::optional<std::int64_t> whole_number(const JsonValue& object, std::string_view key) {
  const JsonValue* found = object.member(key);
  if (found == nullptr) return std::nullopt;
  std::string text;
  if (const auto* number = std::get_if<JsonNumber>(&found->content)) text = number->text;
  if (const auto* quoted = std::get_if<std::string>(&found->content)) text = *quoted;
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double largest = 9e15;  // beyond this, doubles are not exact
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() ||
      !(std::abs(value) < largest) || value != std::floor(value))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Read crop_of(const JsonValue& action, std::string_view) {
  const auto x = whole_number(action, "x"), y = whole_number(action, "y");
  const auto width = whole_number(action, "width"), height = whole_number(action, "height");
  if (!x || !y || !width || !height)
    return InvalidAction{"a crop needs x, y, width and height as whole numbers (level-0 pixels)."};
  return CropAction{{*x, *y, *width, *height}};
}

Read answer_of(const JsonValue& action, std::string_view reply) {
  for (const char* key : {"answer_text", "answer"}) {
    const JsonValue* found = action.member(key);
    if (found == nullptr || found->is_null()) continue;
    std::string text = "{\"answer\": ";
    if (const auto* said = std::get_if<std::string>(&found->content))
      text = *said;
    else
      text.append(reply.substr(found->span.first, found->span.second - found->span.first))
          .append("}");
    if (text.find_first_not_of(" \t\r\n") != text.npos) return AnswerAction{text};
  }
  return InvalidAction{"an answer action needs a non-empty answer_text."};
}

struct ActionKind {
  std::string_view name;
  Read (*read)(const JsonValue& action, std::string_view reply);
};

constexpr ActionKind action_kinds[] = {{"crop", crop_of}, {"answer", answer_of}};

/// Whether an object is not an action but the answer to the question.
bool answers_outright(const JsonValue& object) {
  return object.member("answer") != nullptr || object.member("isup_grade") != nullptr ||
         object.member("answer_text") != nullptr;
}

std::optional<Action> action_of(const JsonValue& object, std::string_view reply) {
  const JsonValue* envelope = object.member("action");
  const JsonValue& action = envelope != nullptr && envelope->is_object ? *envelope : object;
  const JsonValue* type = action.member("action_type");
  const auto* name = type == nullptr ? nullptr : std::get_if<std::string>(&type->content);
  Action out;
  if (const JsonValue* said = object.member("reasoning"); said != nullptr)
    if (const auto* text = std::get_if<std::string>(&said->content)) out.reasoning = *text;
  if (name == nullptr) {
    if (!answers_outright(object)) return std::nullopt;
    out.what = AnswerAction{std::string(reply)};
    return out;
  }
  for (const ActionKind& kind : action_kinds)
    if (kind.name == *name) {
      out.what = kind.read(action, reply);
      return out;
    }
  out.what = InvalidAction{"there is no action_type '" + name->substr(0, 40) +
                           "'; use \"crop\" or \"answer\"."};
  return out;
}

}  // namespace

Action parse_action(std::string_view reply) {
  const std::vector<JsonValue> objects = json_objects_in(reply);
  for (auto object = objects.rbegin(); object != objects.rend(); ++object)
    if (auto action = action_of(*object, reply)) return *action;
  return {.what = InvalidAction{"the reply holds no JSON object with an action."},
          .reasoning = std::string(reply.substr(0, 2000))};
}

}  // namespace assay::qa
