// SPDX-License-Identifier: Apache-2.0
/// Chat completions: OpenAI's older protocol, and what vLLM, OpenRouter, llama.cpp … speak.
#include <array>

#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
namespace {

constexpr std::array<std::string_view, 3> role_names = {"system", "user", "assistant"};

void append_chat_part(std::string& text, const ChatPart& part, const std::string& detail) {
  if (const auto* words = std::get_if<std::string>(&part)) {
    text.append(R"({"type":"text","text":)").append(json_string(*words)).append("}");
    return;
  }
  text += R"({"type":"image_url","image_url":{"url":"data:image/jpeg;base64,)";
  append_base64(text, *std::get<ChatImage>(part).jpeg);
  if (!detail.empty()) text.append(R"(","detail":")").append(detail);
  text += R"("}})";
}

/// Older servers take a list of parts from users only, so a single text is sent as it is.
void append_content(std::string& text, const std::vector<ChatPart>& parts,
                    const std::string& detail) {
  if (parts.size() == 1 && std::holds_alternative<std::string>(parts.front())) {
    text += json_string(std::get<std::string>(parts.front()));
    return;
  }
  text += '[';
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += ',';
    append_chat_part(text, parts[i], detail);
  }
  text += ']';
}

std::string content_text(const Json& content) {
  if (!content.is_array()) return text_of(content);
  std::string text;
  for (const Json& part : content) text += text_of(member(part, "text"));
  return text;
}

constexpr std::array chat_endings = {
    Ending{"length", ModelReply::Kind::truncated},
    Ending{"content_filter", ModelReply::Kind::refused},
};

ModelReply chat_reply(const Json& choice) {
  const Json& message = member(choice, "message");
  ModelReply reply = {.text = content_text(member(message, "content")),
                      .finish_reason = text_of(member(choice, "finish_reason"))};
  reply.kind = kind_of(reply.finish_reason, chat_endings);
  const std::string refusal = text_of(member(message, "refusal"));
  if (refusal.empty()) return reply;
  reply.kind = ModelReply::Kind::refused;
  if (reply.text.empty()) reply.text = refusal;
  return reply;
}

}  // namespace

std::string chat_body(const Chat& chat, const ModelSettings& settings) {
  auto [text, whole] =
      open_body({{"model", settings.model}, {"max_completion_tokens", settings.max_output_tokens}},
                "messages", chat, settings);
  if (whole) return std::move(text);
  text += '[';
  for (const ChatMessage& message : chat) {
    text += text.back() == '[' ? "" : ",";
    text.append(R"({"role":")").append(role_names[static_cast<std::size_t>(message.role)]);
    text += R"(","content":)";
    append_content(text, message.parts, settings.image_detail);
    text += '}';
  }
  text += "]}";
  return std::move(text);
}

ModelOutcome chat_outcome(const HttpResponse& response) {
  auto parsed = good_body(response);
  if (auto* bad = std::get_if<ModelOutcome>(&parsed)) return std::move(*bad);
  const Json& body = std::get<Json>(parsed);
  const Json& choices = member(body, "choices");
  if (!choices.is_array() || choices.empty()) return garbled(response, "has no choices");
  const Json& choice = choices.front();
  if (!member(choice, "error").is_null()) return error_outcome(response, choice);
  if (!member(choice, "message").is_object()) return garbled(response, "has no message");
  ModelReply reply = chat_reply(choice);
  reply.usage = reported_usage(member(body, "usage"));
  reply.provider = text_of(member(body, "provider"));
  return with_origin(std::move(reply), response, body);
}

}  // namespace assay::qa
