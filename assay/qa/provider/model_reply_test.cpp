// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/model_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/qa/provider/model_api.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa::model_reply_test {

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

/// Every shape of usage that is known, as the servers write it, and what it must be read as.

constexpr auto none = std::nullopt;

struct Shape {
  std::string server, usage;
  Usage expected;  ///< input, cache_write, cache_read, output, reasoning
};

const Shape among_input[] = {
    {"OpenAI chat, no reasoning",
     R"({"prompt_tokens": 1000, "completion_tokens": 50,
      "total_tokens": 1050, "prompt_tokens_details": {"cached_tokens": 600, "audio_tokens": 0},
      "completion_tokens_details": {"reasoning_tokens": 0, "accepted_prediction_tokens": 0}})",
     {400, none, 600, 50, 0}},
    {"OpenAI chat, reasoning in the completion",
     R"({"prompt_tokens": 1000,
      "completion_tokens": 650, "total_tokens": 1650,
      "completion_tokens_details": {"reasoning_tokens": 600}})",
     {1000, none, none, 650, 600}},
    {"Azure",
     R"({"completion_tokens": 200, "completion_tokens_details":
      {"accepted_prediction_tokens": 0, "audio_tokens": 0, "reasoning_tokens": 128,
       "rejected_prediction_tokens": 0}, "prompt_tokens": 300,
      "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0}, "total_tokens": 500})",
     {300, none, 0, 200, 128}},
    {"responses",
     R"({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40},
      "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 25},
      "total_tokens": 130})",
     {60, none, 40, 30, 25}},
    {"responses without a total",
     R"({"input_tokens": 100, "output_tokens": 30})",
     {100, none, none, 30, none}},
    {"vLLM",
     R"({"prompt_tokens": 12, "total_tokens": 20, "completion_tokens": 8,
      "prompt_tokens_details": null})",
     {12, none, none, 8, none}},
    {"Ollama",
     R"({"prompt_tokens": 12, "completion_tokens": 8, "total_tokens": 20})",
     {12, none, none, 8, none}},
    {"OpenRouter",
     R"({"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050,
      "cost": 0.0125, "is_byok": false,
      "prompt_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 100},
      "cost_details": {"upstream_inference_cost": null},
      "completion_tokens_details": {"reasoning_tokens": 20, "image_tokens": 0}})",
     {300, 100, 600, 50, 20}},
    {"the issue's: reasoning beside the completion",
     R"({"prompt_tokens": 2000,
      "completion_tokens": 50, "total_tokens": 8050,
      "completion_tokens_details": {"reasoning_tokens": 6000}})",
     {2000, none, none, 6050, 6000}},
    {"xAI without a total",
     R"({"prompt_tokens": 2000, "completion_tokens": 50,
      "completion_tokens_details": {"reasoning_tokens": 6000}})",
     {2000, none, none, 6050, 6000}},
    {"Gemini's compatible endpoint: thoughts only in the total",
     R"({"prompt_tokens": 2000,
      "completion_tokens": 50, "total_tokens": 8050})",
     {2000, none, none, 6050, none}},
    {"Perplexity: reasoning outside of the total",
     R"({"prompt_tokens": 33,
      "completion_tokens": 7163, "total_tokens": 7196, "reasoning_tokens": 73997})",
     {33, none, none, 81160, 73997}},
    {"reasoning beside the completion but no larger: only the total tells",
     R"({
      "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 180,
      "completion_tokens_details": {"reasoning_tokens": 30}})",
     {100, none, none, 80, 30}},
    {"DeepSeek",
     R"({"prompt_tokens": 100, "prompt_cache_hit_tokens": 64,
      "prompt_cache_miss_tokens": 36, "completion_tokens": 9, "total_tokens": 109,
      "prompt_tokens_details": {"cached_tokens": 64}})",
     {36, none, 64, 9, none}},
    {"LiteLLM before Anthropic",
     R"({"prompt_tokens": 5000, "completion_tokens": 9,
      "total_tokens": 5009, "cache_creation_input_tokens": 1000, "cache_read_input_tokens": 3000,
      "prompt_tokens_details": {"cached_tokens": 3000, "cache_creation_tokens": 1000}})",
     {1000, 1000, 3000, 9, none}},
    {"a gateway that keeps Anthropic's sums",
     R"({"prompt_tokens": 5000, "completion_tokens": 9,
      "cache_creation_input_tokens": 1000, "cache_read_input_tokens": 3000})",
     {5000, 1000, 3000, 9, none}},
    {"a cache that cannot be a part of the input",
     R"({"prompt_tokens": 5, "completion_tokens": 1,
      "total_tokens": 15, "prompt_tokens_details": {"cached_tokens": 9}})",
     {5, none, 9, 1, none}},
    {"a total below its parts",
     R"({"prompt_tokens": 100, "completion_tokens": 50,
      "total_tokens": 60})",
     {100, none, none, 50, none}},
    {"no completion but a total",
     R"({"prompt_tokens": 100, "total_tokens": 160})",
     {100, none, none, 60, none}},
    {"no input", R"({"completion_tokens": 50, "total_tokens": 60})", {none, none, none, 50, none}},
    {"nothing", "{}", {}},
    {"no object", "[1]", {}},
};

TEST(ReportedUsage, of_every_known_shape) {
  for (const Shape& shape : among_input)
    EXPECT_EQ(reported_usage(parse_json(shape.usage, "usage")), shape.expected) << shape.server;
}

TEST(ReportedUsage, of_anthropics_messages) {
  const Shape shapes[] = {
      {"Anthropic",
       R"({"input_tokens": 10, "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 30, "output_tokens": 40, "service_tier": "standard",
        "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 0}})",
       {10, 20, 30, 40, none}},
      {"without a cache",
       R"({"input_tokens": 10, "output_tokens": 40})",
       {10, none, none, 40, none}},
      {"a gateway that adds a total",
       R"({"input_tokens": 10, "cache_read_input_tokens": 30,
        "output_tokens": 40, "total_tokens": 100})",
       {10, none, 30, 60, none}},
      {"details beside the input as well",
       R"({"input_tokens": 50, "output_tokens": 40,
        "input_tokens_details": {"cached_tokens": 30}})",
       {50, none, 30, 40, none}},
  };
  for (const Shape& shape : shapes)
    EXPECT_EQ(reported_usage(parse_json(shape.usage, "usage"), CacheTokens::beside_input),
              shape.expected)
        << shape.server;
}

TEST(ReportedUsage, each_protocol_reads_its_own) {
  const std::string usage = R"(, "usage": {"input_tokens": 100, "output_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 40}, "cost": 0.5, "is_byok": true,
    "cost_details": {"upstream_inference_cost": 2}}})";
  const std::pair<std::string_view, std::string> bodies[] = {
      {"chat", R"({"choices": [{"message": {"content": "x"}}])" + usage},
      {"responses", R"({"status": "completed", "output": [])" + usage},
      {"messages", R"({"content": [])" + usage},
  };
  for (const auto& [name, body] : bodies) {
    const ModelApi& api = *std::ranges::find(model_apis(), name, &ModelApi::name);
    const auto reply = std::get<ModelReply>(api.outcome({.status = 200, .body = body}));
    EXPECT_EQ(reply.usage.input, name == "messages" ? 100 : 60) << name;
    EXPECT_EQ(reply.reported.total(), 2.5) << name;
    EXPECT_EQ(reply.cost_usd, none) << name << ": that is for the price table to say";
  }
}

struct CostShape {
  std::string usage;
  std::optional<double> total, billed;  ///< reported; with a price of $3 by usage
};

TEST(ReportedCost, and_what_counts_instead) {
  const Usage used = {.input = 1'000'000, .output = 1'000'000};
  const Prices prices = {.input = 1, .output = 2};
  const CostShape shapes[] = {
      {"{}", none, 3},
      {R"({"cost": 0.0125})", 0.0125, 0.0125},
      {R"({"cost": 0.0125, "is_byok": false, "cost_details": {"upstream_inference_cost": null}})",
       0.0125, 0.0125},
      {R"({"cost": 0.0125, "is_byok": false, "cost_details": {"upstream_inference_cost": 0.0125}})",
       0.0125, 0.0125},
      // One's own key: the gateway's fee, and what the provider bills.
      {R"({"cost": 0, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.05}})", 0.05,
       0.05},
      {R"({"cost": 0.002, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.05}})",
       0.052, 0.052},
      {R"({"is_byok": true, "cost_details": {"upstream_inference_cost": 0.05}})", 0.05, 0.05},
      {R"({"cost": 0, "cost_details": {"upstream_inference_cost": 0.05}})", 0.05, 0.05},
      // A fee without what the provider bills: the price counts as well.
      {R"({"cost": 0.002, "is_byok": true})", none, 3.002},
      {R"({"cost": 0, "is_byok": true, "cost_details": {"upstream_inference_cost": null}})", none,
       3},
      {R"({"cost": 0, "is_byok": true, "cost_details": {"upstream_inference_cost": 0}})", 0.0, 3},
      // A cost of 0 never replaces a price.
      {R"({"cost": 0})", 0.0, 3},
      {R"({"cost": 0.0, "is_byok": false})", 0.0, 3},
      {R"({"cost": -1})", none, 3},
      {R"({"cost": "0.5"})", none, 3},
      {R"({"cost": Infinity})", none, 3},
      {R"({"cost": NaN, "cost_details": [1]})", none, 3},
  };
  for (const CostShape& shape : shapes) {
    const ReportedCost cost = reported_cost(parse_json(shape.usage, "usage"));
    ASSERT_EQ(cost.total().has_value(), shape.total.has_value()) << shape.usage;
    if (shape.total) EXPECT_DOUBLE_EQ(*cost.total(), *shape.total) << shape.usage;
    EXPECT_EQ(billed_usd(cost, used, nullptr), cost.total()) << shape.usage;
    EXPECT_DOUBLE_EQ(billed_usd(cost, used, &prices).value(), *shape.billed) << shape.usage;
  }
  EXPECT_EQ(billed_usd({.charged = 0}, {}, &prices), none) << "usage is unknown, and 0 is no cost";
  EXPECT_EQ(billed_usd({.charged = 0.5}, {}, &prices), 0.5);
  EXPECT_EQ(billed_usd({.charged = 0}, {}, nullptr), 0.0) << "free, and no price says otherwise";
}

TEST(ReportedCost, an_estimate_counts_only_where_nothing_else_is_known) {
  const auto estimate = [](const std::string& header) {
    return estimated_cost({.headers = {{"x-litellm-response-cost", header}}});
  };
  EXPECT_EQ(estimate("0.00022500000000000002"), 0.00022500000000000002);
  EXPECT_EQ(estimate("2.5e-05"), 2.5e-05);
  for (const char* unknown : {"", "0", "0.0", "-1", "None", "1 USD", "nan", "inf"})
    EXPECT_EQ(estimate(unknown), none) << unknown;
  const Usage used = {.input = 1'000'000, .output = 1'000'000};
  const Prices prices = {.input = 1, .output = 2};
  EXPECT_EQ(billed_usd({.estimate = 0.5}, used, nullptr), 0.5);
  EXPECT_EQ(billed_usd({.estimate = 0.5}, used, &prices), 3) << "a price is the user's own word";
  EXPECT_EQ(billed_usd({.charged = 0.25, .estimate = 0.5}, used, nullptr), 0.25);
  EXPECT_EQ(billed_usd({.estimate = 0.5}, {}, &prices), none) << "usage is unknown";
}

TEST(ReportedCost, the_issues_replies_are_billed_in_full) {
  const Prices prices = {.input = 1.25, .output = 10};
  const Json thinking = parse_json(R"({"prompt_tokens": 2000, "completion_tokens": 50,
    "total_tokens": 8050, "completion_tokens_details": {"reasoning_tokens": 6000}})",
                                   "usage");
  EXPECT_DOUBLE_EQ(billed_usd(reported_cost(thinking), reported_usage(thinking), &prices).value(),
                   0.063);
}

}  // namespace assay::qa::model_reply_test
