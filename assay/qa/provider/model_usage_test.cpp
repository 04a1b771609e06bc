// SPDX-License-Identifier: Apache-2.0
/// Every shape of usage that is known, as the servers write it, and what it must be read as.
#include "assay/qa/provider/model_usage.hpp"

#include <gtest/gtest.h>

#include "assay/qa/provider/model_api.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::qa {
namespace {

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

}  // namespace
}  // namespace assay::qa
