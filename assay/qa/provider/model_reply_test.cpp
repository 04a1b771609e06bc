// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/model_reply.hpp"

#include <gmock/gmock.h>

namespace assay::qa {
namespace {

using ::testing::HasSubstr;
using Kind = ModelReply::Kind;

ModelReply reply_to(std::string_view api, const std::string& body) {
  const auto found = std::ranges::find(model_apis(), api, &ModelApi::name);
  const auto outcome = found->outcome({.status = 200, .body = body});
  if (const auto* failure = std::get_if<ModelFailure>(&outcome)) {
    ADD_FAILURE() << failure->message;
    return {};
  }
  return std::get<ModelReply>(outcome);
}

TEST(ModelReply, chat) {
  const std::string body = R"({"id": "chatcmpl-1", "model": "gpt-x-2026", "provider": "Azure",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "{\"answer\": 3}", "refusal": null}}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "cost": 0.0125,
              "prompt_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 100},
              "completion_tokens_details": {"reasoning_tokens": 20}}})";
  const ModelReply reply = reply_to("chat", body);
  EXPECT_EQ(reply.kind, Kind::answer);
  EXPECT_EQ(reply.text, R"({"answer": 3})");
  EXPECT_EQ(reply.usage, (Usage{300, 100, 600, 50, 20}));
  EXPECT_EQ(reply.reported.charged, 0.0125);
  EXPECT_EQ(reply.model, "gpt-x-2026");
  EXPECT_EQ(reply.provider, "Azure");
  EXPECT_EQ(reply.request_id, "chatcmpl-1");
  EXPECT_EQ(reply.finish_reason, "stop");
  const auto with_header = std::get<ModelReply>(
      chat_outcome({.status = 200, .headers = {{"x-request-id", "req-9"}}, .body = body}));
  EXPECT_EQ(with_header.request_id, "req-9");
  EXPECT_EQ(with_header.reported.estimate, std::nullopt);
  for (const ModelApi& api : model_apis()) {
    const char* const answer =
        R"({"choices": [{"message": {"content": "3"}}], "status": "completed",
      "output": [{"type": "message", "content": [{"type": "output_text", "text": "3"}]}],
      "content": [{"type": "text", "text": "3"}], "stop_reason": "end_turn"})";
    const auto priced = std::get<ModelReply>(api.outcome(
        {.status = 200, .headers = {{"x-litellm-response-cost", "0.5"}}, .body = answer}));
    EXPECT_EQ(priced.reported.estimate, 0.5) << api.name;
  }
}

TEST(ModelReply, responses) {
  const ModelReply reply = reply_to("responses", R"({"id": "resp_1", "status": "completed",
    "error": null, "incomplete_details": null, "model": "o-x",
    "output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hidden"}]},
               {"type": "message", "content": [{"type": "output_text", "text": "one "},
                                               {"type": "output_text", "text": "two"}]}],
    "usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40},
              "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 25}}})");
  EXPECT_EQ(reply.kind, Kind::answer);
  EXPECT_EQ(reply.text, "one two");
  EXPECT_EQ(reply.usage, (Usage{60, std::nullopt, 40, 30, 25}));
  EXPECT_EQ(reply.model, "o-x");
  EXPECT_EQ(reply.request_id, "resp_1");
}

TEST(ModelReply, messages) {
  const ModelReply reply = reply_to("messages", R"({"id": "msg_1", "type": "message",
    "model": "claude-x", "stop_reason": "end_turn",
    "content": [{"type": "thinking", "thinking": "hidden"}, {"type": "text", "text": "Yes."}],
    "usage": {"input_tokens": 10, "cache_creation_input_tokens": 20,
              "cache_read_input_tokens": 30, "output_tokens": 40}})");
  EXPECT_EQ(reply.kind, Kind::answer);
  EXPECT_EQ(reply.text, "Yes.");
  EXPECT_EQ(reply.usage, (Usage{10, 20, 30, 40, std::nullopt}));
  EXPECT_EQ(reply.usage.total(), 100);
}

/// A reply of a protocol with its reason for ending and its text.
std::string ending(std::string_view api, const std::string& reason) {
  if (api == "chat")
    return R"({"choices": [{"finish_reason": ")" + reason + R"(", "message": {"content": "t"}}]})";
  if (api == "messages")
    return R"({"stop_reason": ")" + reason + R"(", "content": [{"type": "text", "text": "t"}]})";
  return R"({"status": "incomplete", "incomplete_details": {"reason": ")" + reason +
         R"("}, "output": [{"type": "message", "content": [{"text": "t"}]}]})";
}

TEST(ModelReply, endings_are_classes_of_their_own) {
  const struct {
    std::string api, reason;
    Kind kind;
  } cases[] = {
      {"chat", "stop", Kind::answer},
      {"chat", "tool_calls", Kind::answer},
      {"chat", "length", Kind::truncated},
      {"chat", "content_filter", Kind::refused},
      {"responses", "max_output_tokens", Kind::truncated},
      {"responses", "content_filter", Kind::refused},
      {"messages", "stop_sequence", Kind::answer},
      {"messages", "max_tokens", Kind::truncated},
      {"messages", "model_context_window_exceeded", Kind::truncated},
      {"messages", "refusal", Kind::refused},
  };
  for (const auto& c : cases) {
    const ModelReply reply = reply_to(c.api, ending(c.api, c.reason));
    EXPECT_EQ(reply.kind, c.kind) << c.api << " " << c.reason;
    EXPECT_EQ(reply.finish_reason, c.reason);
    EXPECT_EQ(reply.text, "t");
    EXPECT_EQ(reply.usage, Usage{}) << "unknown is nothing, never 0";
    EXPECT_EQ(reply.cost_usd, std::nullopt);
  }
}

TEST(ModelReply, refusals_come_in_fields_of_their_own_too) {
  const ModelReply chat = reply_to("chat", R"({"choices": [{"finish_reason": "stop",
    "message": {"content": null, "refusal": "I cannot."}}]})");
  const ModelReply responses = reply_to("responses", R"({"status": "completed", "output": [
    {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}]})");
  for (const ModelReply& reply : {chat, responses}) {
    EXPECT_EQ(reply.kind, Kind::refused);
    EXPECT_EQ(reply.text, "I cannot.");
  }
}

TEST(ModelReply, content_may_be_a_list_or_null) {
  EXPECT_EQ(reply_to("chat", R"({"choices": [{"message": {"content":
    [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]})")
                .text,
            "ab");
  EXPECT_EQ(reply_to("chat", R"({"choices": [{"message": {"content": null}}]})").text, "");
}

TEST(ModelReply, usage_that_makes_no_sense_is_unknown) {
  const auto usage = [](const std::string& text) {
    return reply_to("chat", R"({"choices": [{"message": {}}], "usage": )" + text + "}").usage;
  };
  EXPECT_EQ(usage("null"), Usage{});
  EXPECT_EQ(usage("[]"), Usage{});
  EXPECT_EQ(usage(R"({"prompt_tokens": -1, "completion_tokens": 1.5})"), Usage{});
  EXPECT_EQ(usage(R"({"prompt_tokens": "12", "completion_tokens": 1e300})"), Usage{});
  EXPECT_EQ(usage(R"({"prompt_tokens": 5.0, "prompt_tokens_details": null})").input, 5);
}

TEST(ModelReply, what_is_no_reply_may_be_one_the_next_time) {
  const std::string bodies[] = {"",
                                "<html>",
                                "[]",
                                "3",
                                "{}",
                                R"({"choices": []})",
                                R"({"choices": [{}]})",
                                R"({"choices": [{"message": "x"}]})",
                                R"({"status": "in_progress", "output": []})",
                                R"({"content": "x"})",
                                std::string(300000, '['),
                                std::string("\0\xff\xfe", 3)};
  for (const ModelApi& api : model_apis())
    for (const std::string& body : bodies) {
      const auto outcome = api.outcome({.status = 200, .body = body});
      ASSERT_TRUE(std::holds_alternative<ModelFailure>(outcome)) << api.name << " " << body;
      const auto& failure = std::get<ModelFailure>(outcome);
      EXPECT_EQ(failure.kind, ModelFailure::Kind::transient);
      EXPECT_THAT(failure.message, HasSubstr("the server's response"));
      EXPECT_LT(failure.message.size(), 400U);
    }
}

TEST(ModelReply, server_text_is_shown_short_printable_and_without_keys) {
  EXPECT_EQ(shown("a\n\t b\x1b[31m"), "a b [31m");
  EXPECT_EQ(shown("key sk-abcDEF123456, 'hf_abcdefgh' and Bearer abc.def=ghi."),
            "key [key], '[key]' and [key]");
  EXPECT_EQ(shown("Incorrect API key: sk-pro***********xyz1."), "Incorrect API key: [key]");
  EXPECT_EQ(shown("a task-oriented risk-free text"), "a task-oriented risk-free text");
  EXPECT_EQ(shown("\xff"), "\xEF\xBF\xBD");
  const std::string umlauts = shown("a" + [] {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "ä";
    return text;
  }());
  EXPECT_EQ(umlauts.size(), 1 + 2 * 99 + std::string(" …").size()) << "no half character";
}

}  // namespace
}  // namespace assay::qa
