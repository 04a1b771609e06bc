// SPDX-License-Identifier: Apache-2.0
/// Responses: OpenAI's newer protocol. Nothing is stored on the server; every call sends the whole
/// conversation.
#include <array>

#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
namespace {

struct RoleWords {
  std::string_view role, text_type;
};

/// What the assistant said earlier is output, even when it is sent.
constexpr std::array<RoleWords, 3> roles = {
    {{"system", "input_text"}, {"user", "input_text"}, {"assistant", "output_text"}}};

void append_response_part(std::string& text, const ChatPart& part, const RoleWords& role,
                          const std::string& detail) {
  if (const auto* words = std::get_if<std::string>(&part)) {
    text.append(R"({"type":")").append(role.text_type).append(R"(","text":)");
    text.append(json_string(*words)).append("}");
    return;
  }
  text += R"({"type":"input_image","image_url":"data:image/jpeg;base64,)";
  append_base64(text, *std::get<ChatImage>(part).jpeg);
  if (!detail.empty()) text.append(R"(","detail":")").append(detail);
  text += R"("})";
}

/// The text of all messages; a refusal's when there is no other.
void add_output(ModelReply& reply, const Json& output) {
  std::string refusal;
  for (const Json& item : output) {
    if (member(item, "type") != "message") continue;  // reasoning, for example
    for (const Json& part : member(item, "content")) {
      reply.text += text_of(member(part, "text"));
      refusal += text_of(member(part, "refusal"));
    }
  }
  if (refusal.empty()) return;
  reply.kind = ModelReply::Kind::refused;
  if (reply.text.empty()) reply.text = refusal;
}

constexpr std::array response_endings = {
    Ending{"max_output_tokens", ModelReply::Kind::truncated},
    Ending{"content_filter", ModelReply::Kind::refused},
};

}  // namespace

std::string responses_body(const Chat& chat, const ModelSettings& settings) {
  auto [text, whole] = open_body({{"model", settings.model},
                                  {"max_output_tokens", settings.max_output_tokens},
                                  {"store", false}},
                                 "input", chat, settings);
  if (whole) return std::move(text);
  text += '[';
  for (const ChatMessage& message : chat) {
    const RoleWords& role = roles[static_cast<std::size_t>(message.role)];
    text.append(text.back() == '[' ? "" : ",").append(R"({"role":")").append(role.role);
    text += R"(","content":[)";
    for (std::size_t i = 0; i < message.parts.size(); ++i) {
      if (i > 0) text += ',';
      append_response_part(text, message.parts[i], role, settings.image_detail);
    }
    text += "]}";
  }
  text += "]}";
  return std::move(text);
}

ModelOutcome responses_outcome(const HttpResponse& response) {
  auto parsed = good_body(response);
  if (auto* bad = std::get_if<ModelOutcome>(&parsed)) return std::move(*bad);
  const Json& body = std::get<Json>(parsed);
  const std::string status = text_of(member(body, "status"));
  const Json& output = member(body, "output");
  if (!output.is_array() || (status != "completed" && status != "incomplete"))
    return garbled(response, "is not completed");
  const std::string reason = text_of(member(member(body, "incomplete_details"), "reason"));
  ModelReply reply = {.text = "", .finish_reason = reason.empty() ? status : reason};
  reply.kind = kind_of(reply.finish_reason, response_endings);
  if (status == "incomplete" && reason.empty()) reply.kind = ModelReply::Kind::truncated;
  add_output(reply, output);
  reply.usage = reported_usage(member(body, "usage"));
  return with_origin(std::move(reply), response, body);
}

}  // namespace assay::qa
