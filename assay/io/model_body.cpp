// SPDX-License-Identifier: Apache-2.0
#include "assay/core/error.hpp"
#include "assay/io/base64.hpp"
#include "assay/io/detail/model_reply.hpp"

namespace assay::detail {
namespace {

constexpr std::size_t per_part = 120;  ///< keys and brackets around a text or a picture

std::string text_of_tree(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
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

void append_base64(std::string& text, std::string_view bytes) {
  const std::size_t at = text.size();
  text.resize(at + base64_size(bytes.size()));
  write_base64(bytes, text.data() + at);
}

std::string merged_body(const Json& fields, std::string_view key, std::string_view conversation,
                        const ModelSettings& settings) {
  const Json patch = patch_of(settings);
  Json tree = fields;
  tree.merge_patch(patch);
  std::string text = text_of_tree(tree);
  if (patch.contains(key)) return text;  // a list is replaced whole, never merged
  text.pop_back();
  text.reserve(text.size() + conversation.size() + key.size() + 8);
  if (!tree.empty()) text += ',';
  text.append(json_string(key)).append(":").append(conversation).append("}");
  return text;
}

}  // namespace assay::detail
