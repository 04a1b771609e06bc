// SPDX-License-Identifier: Apache-2.0
/// Messages: Anthropic's protocol. The system text is a separate field; roles must alternate.
#include <array>

#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
namespace {

bool is_empty(const ChatPart& part) {
  const auto* words = std::get_if<std::string>(&part);
  return words != nullptr && words->empty();
}

void append_message_part(std::string& text, const ChatPart& part) {
  if (const auto* words = std::get_if<std::string>(&part)) {
    text.append(R"({"type":"text","text":)").append(json_string(*words)).append("}");
    return;
  }
  text += R"({"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":")";
  append_base64(text, *std::get<ChatImage>(part).jpeg);
  text += R"("}})";
}

std::string system_text(const Chat& chat) {
  std::string text;
  for (const ChatMessage& message : chat) {
    if (message.role != Role::system) continue;
    for (const ChatPart& part : message.parts)
      if (const auto* words = std::get_if<std::string>(&part))
        text += (text.empty() ? "" : "\n\n") + *words;
  }
  return text;
}

/// Neighbours of one role become one message. The server takes no empty text, so a turn in which
/// the model said nothing is left out. A mark at the end lets the server keep all before it, and
/// the next call finds that as the beginning of its own conversation.
void append_messages(std::string& text, const Chat& chat, bool marks_cache) {
  text += '[';
  std::optional<Role> open;
  for (const ChatMessage& message : chat) {
    if (message.role == Role::system) continue;
    for (const ChatPart& part : message.parts) {
      if (is_empty(part)) continue;
      if (open != message.role) {
        text += !open ? "" : "]},";
        text += message.role == Role::user ? R"({"role":"user","content":[)"
                                           : R"({"role":"assistant","content":[)";
      } else {
        text += ',';
      }
      append_message_part(text, part);
      open = message.role;
    }
  }
  if (open && marks_cache) {
    text.pop_back();
    text += R"(,"cache_control":{"type":"ephemeral"}})";
  }
  text += open ? "]}]" : "]";
}

constexpr std::array message_endings = {
    Ending{"max_tokens", ModelReply::Kind::truncated},
    Ending{"model_context_window_exceeded", ModelReply::Kind::truncated},
    Ending{"refusal", ModelReply::Kind::refused},
};

}  // namespace

std::string messages_body(const Chat& chat, const ModelSettings& settings) {
  Json fields = {{"model", settings.model}, {"max_tokens", settings.max_output_tokens}};
  if (std::string system = system_text(chat); !system.empty()) fields["system"] = std::move(system);
  auto [text, whole] = open_body(fields, "messages", chat, settings);
  if (whole) return std::move(text);
  append_messages(text, chat, settings.marks_cache);
  text += '}';
  return std::move(text);
}

ModelOutcome messages_outcome(const HttpResponse& response) {
  auto parsed = good_body(response);
  if (auto* bad = std::get_if<ModelOutcome>(&parsed)) return std::move(*bad);
  const Json& body = std::get<Json>(parsed);
  const Json& content = member(body, "content");
  if (!content.is_array()) return garbled(response, "has no content");
  ModelReply reply = {.text = "", .finish_reason = text_of(member(body, "stop_reason"))};
  reply.kind = kind_of(reply.finish_reason, message_endings);
  for (const Json& block : content)
    if (member(block, "type") == "text") reply.text += text_of(member(block, "text"));
  reply.usage = reported_usage(member(body, "usage"), CacheTokens::beside_input);
  return with_origin(std::move(reply), response, body);
}

}  // namespace assay::qa
