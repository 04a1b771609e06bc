// SPDX-License-Identifier: Apache-2.0
#include "tests/qa/protocols.hpp"

#include <array>
#include <stdexcept>

namespace assay::test_server {
namespace {

using nlohmann::json;

constexpr int created = 1'700'000'000;  // seconds since 1970; the same in every reply

/// Tokens are a function of the request, so that costs can be foretold.
struct Tokens {
  std::size_t input, cached, output, reasoning;
};

Tokens tokens(const Question& question, const Reply& reply) {
  const std::size_t input = question.text_bytes / 4 + question.images * 100 + 1;
  return {input, question.assistant_turns > 0 ? input / 2 : 0, reply.text.size() / 4 + 10, 5};
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

void add_text(Question& question, const json& message, const std::string& text) {
  question.text_bytes += text.size();
  if (message.at("role") != "user") return;
  if (question.assistant_turns == 0) question.first_text += text;
  question.last_text += text;
}

void add_image(Question& question, const std::string& data) {
  ++question.images;
  question.image_bytes += data.size() / 4 * 3;
  require(data.starts_with("/9j/"), "a picture is no JPEG");  // FF D8 FF in base64
}

void begin_message(Question& question, const json& message) {
  question.last_text.clear();
  if (message.at("role") == "assistant") ++question.assistant_turns;
}

std::string data_of(const std::string& url) {
  const std::string head = "data:image/jpeg;base64,";
  require(url.starts_with(head), "a picture is no data URL");
  return url.substr(head.size());
}

Question chat_question(const json& body) {
  Question question = {.model = body.at("model"), .first_text = "", .last_text = ""};
  for (const json& message : body.at("messages")) {
    begin_message(question, message);
    const json& content = message.at("content");
    if (content.is_string()) {
      add_text(question, message, content);
      continue;
    }
    for (const json& part : content) {
      if (part.at("type") == "text") add_text(question, message, part.at("text"));
      if (part.at("type") == "image_url")
        add_image(question, data_of(part.at("image_url").at("url")));
    }
  }
  return question;
}

Question responses_question(const json& body) {
  Question question = {.model = body.at("model"), .first_text = "", .last_text = ""};
  require(body.at("store") == false, "store must be false");
  for (const json& message : body.at("input")) {
    begin_message(question, message);
    const bool ours = message.at("role") == "assistant";
    for (const json& part : message.at("content")) {
      if (part.at("type") == "input_image") {
        add_image(question, data_of(part.at("image_url")));
        continue;
      }
      require(part.at("type") == (ours ? "output_text" : "input_text"), "wrong type of a part");
      add_text(question, message, part.at("text"));
    }
  }
  return question;
}

Question messages_question(const json& body) {
  Question question = {.model = body.at("model"), .first_text = "", .last_text = ""};
  require(body.at("max_tokens").is_number_integer(), "max_tokens is required");
  std::string role = "assistant";
  for (const json& message : body.at("messages")) {
    begin_message(question, message);
    require(message.at("role") != role, "roles must alternate between user and assistant");
    role = message.at("role");
    for (const json& part : message.at("content")) {
      if (part.at("type") == "image") {
        add_image(question, part.at("source").at("data"));
        continue;
      }
      require(part.at("text") != "", "text content blocks must be non-empty");
      add_text(question, message, part.at("text"));
    }
  }
  return question;
}

json chat_reply(const Question& question, const Reply& reply) {
  constexpr std::array reasons = {"stop", "length", "content_filter"};
  const Tokens used = tokens(question, reply);
  json body = {
      {"id", "chatcmpl-test"},
      {"object", "chat.completion"},
      {"created", created},
      {"model", question.model + "-served"},
      {"provider", "loopback"},
      {"choices",
       json::array({{{"index", 0},
                     {"finish_reason", reasons[std::size_t(reply.end)]},
                     {"logprobs", nullptr},
                     {"message",
                      {{"role", "assistant"}, {"content", reply.text}, {"refusal", nullptr}}}}})}};
  if (!reply.with_usage) return body;
  body["usage"] = {{"prompt_tokens", used.input},
                   {"completion_tokens", used.output},
                   {"total_tokens", used.input + used.output},
                   {"prompt_tokens_details", {{"cached_tokens", used.cached}}},
                   {"completion_tokens_details", {{"reasoning_tokens", used.reasoning}}}};
  if (reply.cost_usd) body["usage"]["cost"] = *reply.cost_usd;
  return body;
}

json responses_reply(const Question& question, const Reply& reply) {
  constexpr std::array reasons = {"", "max_output_tokens", "content_filter"};
  const Tokens used = tokens(question, reply);
  const bool whole = reply.end == Reply::End::stop;
  json body = {{"id", "resp_test"},
               {"object", "response"},
               {"created_at", created},
               {"parallel_tool_calls", true},
               {"tool_choice", "auto"},
               {"tools", json::array()},
               {"model", question.model + "-served"},
               {"status", whole ? "completed" : "incomplete"},
               {"error", nullptr},
               {"incomplete_details", nullptr},
               {"output",
                json::array({{{"id", "rs_test"}, {"type", "reasoning"}, {"summary", json::array()}},
                             {{"id", "msg_test"},
                              {"type", "message"},
                              {"role", "assistant"},
                              {"status", whole ? "completed" : "incomplete"},
                              {"content", json::array({{{"type", "output_text"},
                                                        {"annotations", json::array()},
                                                        {"text", reply.text}}})}}})}};
  if (!whole) body["incomplete_details"] = {{"reason", reasons[std::size_t(reply.end)]}};
  if (reply.with_usage)
    body["usage"] = {
        {"input_tokens", used.input},
        {"input_tokens_details", {{"cached_tokens", used.cached}, {"cache_write_tokens", 0}}},
        {"output_tokens", used.output},
        {"output_tokens_details", {{"reasoning_tokens", used.reasoning}}},
        {"total_tokens", used.input + used.output}};
  return body;
}

json messages_reply(const Question& question, const Reply& reply) {
  constexpr std::array reasons = {"end_turn", "max_tokens", "refusal"};
  const Tokens used = tokens(question, reply);
  json body = {{"id", "msg_test"},
               {"type", "message"},
               {"role", "assistant"},
               {"model", question.model + "-served"},
               {"stop_reason", reasons[std::size_t(reply.end)]},
               {"stop_sequence", nullptr},
               {"content", json::array({{{"type", "text"}, {"text", reply.text}}})}};
  if (reply.with_usage)
    body["usage"] = {{"input_tokens", used.input - used.cached},
                     {"cache_creation_input_tokens", 0},
                     {"cache_read_input_tokens", used.cached},
                     {"output_tokens", used.output}};
  return body;
}

json openai_error(const std::string& code, const std::string& message) {
  const bool parameter = code == "unsupported_parameter";
  return {{"error",
           {{"message", message},
            {"type", "test_error"},
            {"param", parameter ? json("temperature") : json()},
            {"code", code}}}};
}

json anthropic_error(const std::string& code, const std::string& message) {
  return {{"type", "error"}, {"error", {{"type", code}, {"message", message}}}};
}

}  // namespace

std::span<const Protocol> protocols() {
  static constexpr std::array table = {
      Protocol{"/chat/completions", "authorization", chat_question, chat_reply, openai_error},
      Protocol{"/responses", "authorization", responses_question, responses_reply, openai_error},
      Protocol{"/messages", "x-api-key", messages_question, messages_reply, anthropic_error},
  };
  return table;
}

}  // namespace assay::test_server
