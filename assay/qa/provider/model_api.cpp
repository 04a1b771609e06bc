// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/model_api.hpp"

#include <algorithm>
#include <array>

#include "assay/base/base64.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Private servers often need no key.
Headers bearer_headers(const std::string& key) {
  Headers headers = {{"Content-Type", "application/json"}};
  if (!key.empty()) headers.emplace_back("Authorization", "Bearer " + key);
  return headers;
}

Headers anthropic_headers(const std::string& key) {
  Headers headers = {{"Content-Type", "application/json"}, {"anthropic-version", "2023-06-01"}};
  if (!key.empty()) headers.emplace_back("x-api-key", key);
  return headers;
}

constexpr std::array apis = {
    ModelApi{"chat", "openai", "https://api.openai.com/v1", "/chat/completions", "OPENAI_API_KEY",
             true, false, 1, bearer_headers, chat_body, chat_outcome},
    ModelApi{"responses", "openai", "https://api.openai.com/v1", "/responses", "OPENAI_API_KEY",
             true, false, 1, bearer_headers, responses_body, responses_outcome},
    ModelApi{"messages", "anthropic", "https://api.anthropic.com", "/v1/messages",
             "ANTHROPIC_API_KEY", false, true, 1.25, anthropic_headers, messages_body,
             messages_outcome},
};

[[noreturn]] void refuse_settings(std::string_view agent, std::string_view name) {
  const std::string known = joined(apis, ", ", [](const ModelApi& api) {
    return std::string(api.name).append(" of ").append(api.agent);
  });
  const bool elsewhere = std::ranges::find(apis, name, &ModelApi::name) != std::end(apis);
  const std::string meant = elsewhere ? "" : did_you_mean(name, apis, &ModelApi::name);
  throw Error(Error::Kind::usage, "there is no API '" + std::string(name) + "' of the agent '" +
                                      std::string(agent) + "'" + meant + " (known: " + known + ")");
}

}  // namespace

std::span<const ModelApi> model_apis() {
  return apis;
}

const ModelApi& find_model_api(std::string_view agent, std::string_view name) {
  for (const ModelApi& api : apis)
    if (api.agent == agent && (name.empty() || api.name == name)) return api;
  refuse_settings(agent, name);
}

std::string endpoint(const ModelApi& api, std::string_view base_url) {
  const std::string whole(base_url.empty() ? api.default_base_url : base_url);
  require_http_address(whole, "--base-url");
  const std::size_t question = std::min(whole.find('?'), whole.size());
  std::string base = whole.substr(0, question);
  while (base.ends_with('/')) base.pop_back();
  std::string_view path = api.path;
  if (base.ends_with(path)) path = "";
  if (path.starts_with("/v1/") && base.ends_with("/v1")) path.remove_prefix(3);
  return base + std::string(path) + whole.substr(question);
}

ModelFailure connection_failure(const HttpFailure& failure) {
  return {.kind = failure.certificate ? ModelFailure::Kind::fatal : ModelFailure::Kind::transient,
          .message = failure.message,
          .charged = failure.connected};
}

namespace {

constexpr std::size_t per_part = 120;  ///< keys and brackets around a text or a picture

std::string text_of_tree(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// About how many characters a conversation takes as JSON.
std::size_t json_size(const Chat& chat) {
  std::size_t size = 0;
  for (const ChatMessage& message : chat) {
    size += per_part;
    for (const ChatPart& part : message.parts) {
      const auto* image = std::get_if<ChatImage>(&part);
      size += per_part + (image != nullptr ? base64_size(image->jpeg->size())
                                           : std::get<std::string>(part).size() * 9 / 8);
    }
  }
  return size;
}

Json patch_of(const ModelSettings& settings) {
  if (settings.request_json.empty()) return Json::object();
  Json patch = parse_json(settings.request_json, "--request-json");
  if (!patch.is_object())
    throw Error(Error::Kind::usage,
                R"(--request-json: must be a JSON object, such as '{"temperature": 0}')");
  return patch;
}

}  // namespace

std::string json_string(std::string_view text) {
  return text_of_tree(Json(text));
}

/// In pieces that stay in the first cache.
void append_base64(std::string& text, std::string_view bytes) {
  constexpr std::size_t piece = 3072;
  std::array<char, base64_size(piece)> buffer;
  while (!bytes.empty()) {
    const std::string_view now = bytes.substr(0, piece);
    const char* end = write_base64(now, buffer.data());
    text.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    bytes.remove_prefix(now.size());
  }
}

OpenBody open_body(const Json& fields, std::string_view key, const Chat& chat,
                   const ModelSettings& settings) {
  const Json patch = patch_of(settings);
  Json tree = fields;
  tree.merge_patch(patch);
  const std::string head = text_of_tree(tree);
  if (patch.contains(key)) return {head, true};  // a list is replaced whole, never merged
  OpenBody body;
  body.text.reserve(head.size() + key.size() + json_size(chat) + per_part);
  body.text.append(head, 0, head.size() - 1).append(tree.empty() ? "" : ",");
  body.text.append(json_string(key)).append(":");
  return body;
}

}  // namespace assay::qa
