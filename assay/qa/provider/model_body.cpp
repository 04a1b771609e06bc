// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "assay/base/base64.hpp"
#include "assay/error.hpp"
#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
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
