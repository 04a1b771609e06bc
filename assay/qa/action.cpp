// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/action.hpp"

#include <cmath>
#include <optional>

#include "assay/qa/embedded_json.hpp"

namespace assay {
namespace {

using Json = nlohmann::json;

/// A whole number, as models write them: 12, 12.0, "12".
std::optional<std::int64_t> whole_number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (found->is_number_float()) {
    const double value = found->get<double>();
    constexpr double largest = 9e15;  // beyond this, doubles are not exact
    if (std::abs(value) < largest && value == std::floor(value))
      return static_cast<std::int64_t>(value);
  }
  if (found->is_string()) {
    const auto inner = Json::parse(found->get_ref<const std::string&>(), nullptr, false);
    if (inner.is_number_integer()) return inner.get<std::int64_t>();
  }
  return std::nullopt;
}

std::variant<CropAction, AnswerAction, InvalidAction> crop_of(const Json& action) {
  const auto x = whole_number(action, "x"), y = whole_number(action, "y");
  const auto width = whole_number(action, "width"), height = whole_number(action, "height");
  if (!x || !y || !width || !height)
    return InvalidAction{"a crop needs x, y, width and height as whole numbers (level-0 pixels)."};
  return CropAction{{*x, *y, *width, *height}};
}

std::variant<CropAction, AnswerAction, InvalidAction> answer_of(const Json& action) {
  for (const char* key : {"answer_text", "answer"}) {
    const auto found = action.find(key);
    if (found == action.end() || found->is_null()) continue;
    const std::string text =
        found->is_string() ? found->get<std::string>() : Json{{key, *found}}.dump();
    if (text.find_first_not_of(" \t\r\n") != text.npos) return AnswerAction{text};
  }
  return InvalidAction{"an answer action needs a non-empty answer_text."};
}

struct Kind {
  std::string_view name;
  std::variant<CropAction, AnswerAction, InvalidAction> (*read)(const Json& action);
};

constexpr Kind kinds[] = {{"crop", crop_of}, {"answer", answer_of}};

/// Whether an object is no action but what the question asks for.
bool answers_outright(const Json& object) {
  return object.contains("answer") || object.contains("isup_grade") ||
         object.contains("answer_text");
}

std::optional<Action> action_of(const Json& object, std::string_view reply) {
  const auto envelope = object.find("action");
  const Json& action = envelope != object.end() && envelope->is_object() ? *envelope : object;
  const auto type = action.find("action_type");
  Action out;
  if (const auto said = object.find("reasoning"); said != object.end() && said->is_string())
    out.reasoning = said->get<std::string>();
  if (type == action.end() || !type->is_string()) {
    if (!answers_outright(object)) return std::nullopt;
    out.what = AnswerAction{std::string(reply)};
    return out;
  }
  const auto& name = type->get_ref<const std::string&>();
  for (const Kind& kind : kinds)
    if (kind.name == name) {
      out.what = kind.read(action);
      return out;
    }
  out.what = InvalidAction{"there is no action_type '" + name.substr(0, 40) +
                           "'; use \"crop\" or \"answer\"."};
  return out;
}

}  // namespace

Action parse_action(std::string_view reply) {
  const std::vector<EmbeddedObject> objects = embedded_objects(reply);
  for (auto object = objects.rbegin(); object != objects.rend(); ++object)
    if (auto action = action_of(object->value, reply)) return *action;
  return {.what = InvalidAction{"the reply holds no JSON object with an action."},
          .reasoning = std::string(reply.substr(0, 2000))};
}

}  // namespace assay
