// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_settings.hpp"

#include <algorithm>
#include <array>

#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/qa/agent/prompt.hpp"

namespace assay::qa {
namespace {

constexpr std::string_view limit_name = "max_output_tokens", request_name = "request_json";

/// Where servers take the limit of an answer and the effort of reasoning.
constexpr std::array changeable = {"/max_tokens",
                                   "/max_completion_tokens",
                                   "/max_output_tokens",
                                   "/reasoning_effort",
                                   "/reasoning",
                                   "/thinking",
                                   "/output_config/effort",
                                   "/chat_template_kwargs/enable_thinking",
                                   "/extra_body/google/thinking_config"};

using Pointer = Json::json_pointer;

/// Removes it, and the objects around it that are empty then.
void remove_place(Json& json, Pointer place) {
  while (!place.empty() && json.contains(place)) {
    const std::string key = place.back();
    place = place.parent_pointer();
    Json& owner = json.at(place);
    owner.erase(key);
    if (!owner.empty()) return;
  }
}

struct Request {
  Json lasting, changing = Json::object();
};

Request taken_apart(const std::string& request_json) {
  Request out{.lasting = parse_json(request_json, "--request-json")};
  if (!out.lasting.is_object()) return out;
  for (const char* path : changeable) {
    const Pointer place(path);
    if (!out.lasting.contains(place)) continue;
    out.changing[place] = out.lasting.at(place);
    remove_place(out.lasting, place);
  }
  if (out.lasting.empty()) out.lasting = Json();
  return out;
}

Json prices_json(const Prices& prices) {
  return {{"input", prices.input},
          {"output", prices.output},
          {"cache_write", prices.cache_write.value_or(prices.input)},
          {"cache_read", prices.cache_read.value_or(prices.input)},
          {"image_tokens", or_null(prices.image_tokens)}};
}

}  // namespace

SettingsRecord relevant_settings(const QaRunSettings& s, const ItemTable& table) {
  const LoopSettings& loop = s.loop;
  const Json all = {
      {"agent", s.agent},
      {"api", s.api},
      {"model", s.model.model},
      {"command", s.command},
      {request_name,
       s.model.request_json.empty() ? Json() : parse_json(s.model.request_json, "--request-json")},
      {limit_name, s.model.max_output_tokens},
      {"image_detail", or_null(s.model.image_detail)},
      {"mode", name_in(agent_modes(), loop.mode)},
      {"max_steps", loop.max_steps},
      {"enforce_fixed_iterations", loop.fixed_steps},
      {"corrections", loop.corrections},
      {"thumbnail_size", loop.thumbnail_size},
      {"crop_size", loop.crop_size},
      {"jpeg_quality", s.jpeg_quality},
      {"patches", loop.patches.count},
      {"patch_size", loop.patches.size},
      {"seed", loop.patches.seed},
      {"prompts_sha256", sha256(prompt_templates())},
      {"table_sha256", table.sha256},
  };
  SettingsRecord record;
  for (const auto& [name, value] : all.items())
    record.values.emplace_back(name, to_text(value, {.indent = 0}));
  return record;
}

SettingsRecord lasting_settings(const SettingsRecord& settings) {
  SettingsRecord out;
  for (const auto& [name, value] : settings.values) {
    if (name == limit_name) continue;
    out.values.emplace_back(
        name, name == request_name ? to_text(taken_apart(value).lasting, {.indent = 0}) : value);
  }
  return out;
}

std::string asked_with(const SettingsRecord& settings, const Prices* prices) {
  Json out = Json::object();
  for (const auto& [name, value] : settings.values) {
    if (name == limit_name) out[name] = parse_json(value, name);
    if (name != request_name) continue;
    if (Json changing = taken_apart(value).changing; !changing.empty())
      out[name] = std::move(changing);
  }
  if (prices != nullptr) out["prices"] = prices_json(*prices);
  return to_text(out, {.indent = 0});
}

}  // namespace assay::qa
