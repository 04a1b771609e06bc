// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa::model_errors_test {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = ModelFailure::Kind;

const ModelApi& api(std::string_view name) {
  return *std::ranges::find(model_apis(), name, &ModelApi::name);
}

ModelFailure failure_of(std::string_view name, const HttpResponse& response) {
  const auto outcome = api(name).outcome(response);
  if (const auto* failure = std::get_if<ModelFailure>(&outcome)) return *failure;
  ADD_FAILURE() << "a reply: " << std::get<ModelReply>(outcome).text;
  return {};
}

std::string openai(const std::string& code, const std::string& message,
                   const std::string& param = "") {
  return R"({"error": {"message": ")" + message +
         R"(", "type": "invalid_request_error", "param": )" +
         (param.empty() ? "null" : "\"" + param + "\"") + R"(, "code": ")" + code + R"("}})";
}

std::string anthropic(const std::string& type, const std::string& message) {
  return R"({"type": "error", "error": {"type": ")" + type + R"(", "message": ")" + message +
         R"("}, "request_id": "req_1"})";
}

struct Case {
  std::string api;
  int status;
  std::string body;
  Kind kind;
  std::string says;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const ModelFailure failure = failure_of(c.api, {.status = c.status, .body = c.body});
    EXPECT_EQ(failure.kind, c.kind) << c.status << " " << c.body << "\n" << failure.message;
    EXPECT_THAT(failure.message, HasSubstr(c.says)) << c.status << " " << c.body;
  }
}

TEST(ModelErrors, thinking_has_rules_of_its_own) {
  check({
      {"messages", 400,
       anthropic("invalid_request_error",
                 "`temperature` may only be set to 1 when thinking is enabled."),
       Kind::fatal, "remove them from --request-json"},
      {"messages", 400,
       anthropic("invalid_request_error",
                 "`max_tokens` must be greater than `thinking.budget_tokens`."),
       Kind::fatal, "--max-output-tokens must be larger"},
      {"chat", 400,
       openai("unsupported_value",
              "Unsupported value: 'temperature' does not support 0 with this model.",
              "temperature"),
       Kind::fatal, R"({"temperature": null})"},
  });
}

TEST(ModelErrors, a_plain_400_may_be_about_the_key_or_a_parameter) {
  const auto google = [](const std::string& message) {
    return R"([{"error": {"code": 400, "message": ")" + message +
           R"(", "status": "INVALID_ARGUMENT"}}])";
  };
  check({
      {"chat", 400, google("API key not valid. Please pass a valid API key."), Kind::fatal,
       "check the key"},
      {"chat", 400, google("API key expired. Please renew the API key."), Kind::fatal,
       "check the key"},
      {"chat", 400, google(R"(Invalid JSON payload received. Unknown name \"seed\": Cannot find.)"),
       Kind::fatal, "change or drop the parameter"},
      {"chat", 400, google("Request contains an invalid argument."), Kind::item,
       "invalid argument"},
      // LiteLLM without a database of keys
      {"chat", 400, R"({"error": {"message": "No connected db.", "type": "no_db_connection"}})",
       Kind::fatal, "check the key"},
      {"messages", 400, anthropic("no_db_connection", "No connected db."), Kind::fatal,
       "check the key"},
  });
}

TEST(ModelErrors, what_stops_the_run_says_what_to_change) {
  const std::string no_credit = "no credit or quota left";
  check({
      {"chat", 401, openai("invalid_api_key", "Incorrect API key provided: abc"), Kind::fatal,
       "check the key"},
      {"messages", 401, anthropic("authentication_error", "invalid x-api-key"), Kind::fatal,
       "check the key"},
      {"chat", 401, "", Kind::fatal, "status 401; check the key"},
      {"chat", 403, openai("unsupported_country", "Country not supported"), Kind::fatal,
       "Country not supported"},
      {"chat", 407, "", Kind::fatal, "proxy"},
      {"chat", 429, openai("insufficient_quota", "You exceeded your current quota"), Kind::fatal,
       no_credit},
      {"chat", 402, R"({"error": {"code": 402, "message": "Insufficient credits"}})", Kind::fatal,
       no_credit},
      {"messages", 400,
       anthropic("invalid_request_error", "Your credit balance is too low to access the API"),
       Kind::fatal, no_credit},
      {"chat", 400,
       openai("unsupported_parameter", "Unsupported parameter: 'temperature'", "temperature"),
       Kind::fatal, R"(--request-json '{"temperature": null}')"},
      {"chat", 400, openai("unsupported_value", "'temperature' does not support 0", "temperature"),
       Kind::fatal, R"({"temperature": null})"},
      {"responses", 400, openai("unknown_parameter", "Unknown parameter: 'seed'.", "seed"),
       Kind::fatal, R"({"seed": null})"},
      {"messages", 400, anthropic("invalid_request_error", "seed: Extra inputs are not permitted"),
       Kind::fatal, R"({"NAME": null})"},
      {"chat", 422,
       R"({"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"],
           "msg": "Extra inputs are not permitted"}]})",
       Kind::fatal, R"({"max_completion_tokens": null, "max_tokens": N})"},
      {"chat", 400,
       openai("unsupported_parameter",
              "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
              "max_tokens"),
       Kind::fatal, R"({"max_tokens": null})"},
      {"chat", 400,
       openai("invalid_value", "max_tokens is too large. It supports at most 9 completion tokens"),
       Kind::fatal, "fewer output tokens"},
      {"messages", 400,
       anthropic("invalid_request_error",
                 "max_tokens: 9 > 8, which is the maximum allowed number of output tokens"),
       Kind::fatal, "fewer output tokens"},
      {"chat", 404, openai("model_not_found", "The model 'x' does not exist"), Kind::fatal,
       "check --model"},
      {"messages", 404, anthropic("not_found_error", "model: x"), Kind::fatal, "check --model"},
      {"chat", 400, R"({"error": {"code": 400, "message": "x is not a valid model ID"}})",
       Kind::fatal, "check --model"},
      {"chat", 404, R"({"detail": "Not Found"})", Kind::fatal, "check --base-url"},
      {"chat", 405, "", Kind::fatal, "check --base-url"},
      {"chat", 301, "", Kind::fatal, "give the final address"},
      {"chat", 500, R"({"error": {"code": 500, "message": "image input is not supported",
                                  "type": "server_error"}})",
       Kind::fatal, "does not accept images"},
      {"chat", 400,
       R"({"object": "error", "message": "At most 1 image(s) may be provided in one request.",
           "type": "BadRequestError", "code": 400})",
       Kind::fatal, "--limit-mm-per-prompt"},
  });
}

TEST(ModelErrors, what_stops_one_item) {
  check({
      {"chat", 400, openai("context_length_exceeded", "too many tokens"), Kind::item, "too many"},
      {"chat", 400, openai("context_length_exceeded", "x"), Kind::item, "fewer --max-steps"},
      {"messages", 400, anthropic("invalid_request_error", "prompt is too long: 9 > 8"), Kind::item,
       "longer than the model accepts"},
      {"messages", 400,
       anthropic("invalid_request_error",
                 "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
       Kind::item, "lower --max-output-tokens"},
      {"chat", 400,
       R"({"object": "error", "message": "This model's maximum context length is 4096 tokens",
           "code": 400})",
       Kind::item, "4096"},
      {"messages", 400, anthropic("invalid_request_error", "prompt is too long: 9 tokens"),
       Kind::item, "too long"},
      {"messages", 413, anthropic("request_too_large", "Request exceeds the maximum size"),
       Kind::item, "413"},
      {"chat", 413, "<html>", Kind::item, "too large for the server"},
      {"responses", 400, openai("invalid_image_format", "bad image"), Kind::item, "bad image"},
      {"chat", 429, openai("rate_limit_exceeded", "Request too large for gpt-x (TPM)"), Kind::item,
       "tokens per minute"},
      {"chat", 400, openai("something_new", "whatever"), Kind::item, "whatever"},
      {"chat", 418, "", Kind::item, "418"},
  });
}

TEST(ModelErrors, what_may_go_through_later) {
  check({
      {"chat", 429, openai("rate_limit_exceeded", "slow down"), Kind::transient, "slow down"},
      {"chat", 429,
       R"([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota, check your billing details."}}])",
       Kind::transient, "resource_exhausted"},
      {"messages", 429, anthropic("rate_limit_error", "slow down"), Kind::transient, "slow down"},
      {"messages", 529, anthropic("overloaded_error", "Overloaded"), Kind::transient, "529"},
      {"chat", 408, "", Kind::transient, "408"},
      {"chat", 409, "", Kind::transient, "409"},
      {"chat", 425, "", Kind::transient, "425"},
      {"chat", 500, "", Kind::transient, "500"},
      {"chat", 502, "<html>Bad gateway</html>", Kind::transient, "502"},
      {"chat", 503, R"({"error": "starting"})", Kind::transient, "starting"},
      {"chat", 524, "", Kind::transient, "524"},
  });
}

TEST(ModelErrors, an_error_inside_a_good_status_is_an_error) {
  check({
      {"chat", 200, R"({"error": {"code": 502, "message": "Provider returned error",
                        "metadata": {"raw": "upstream fell over"}}})",
       Kind::transient, "upstream fell over"},
      {"chat", 200, R"({"error": {"code": 402, "message": "no money"}})", Kind::fatal, "402"},
      {"chat", 200, R"({"choices": [{"error": {"code": 429, "message": "busy"}}]})",
       Kind::transient, "busy"},
      {"chat", 200, R"({"error": "out of memory"})", Kind::transient, "out of memory"},
      {"responses", 200,
       R"({"status": "failed", "error": {"code": "server_error", "message": "oops"}})",
       Kind::transient, "server_error"},
      {"responses", 200,
       R"({"status": "failed", "error": {"code": "image_too_large", "message": "oops"}})",
       Kind::item, "image_too_large"},
      {"messages", 200, anthropic("overloaded_error", "Overloaded"), Kind::transient, "Overloaded"},
  });
}

TEST(ModelErrors, a_rule_against_the_content_is_a_refusal) {
  for (const auto& [name, body] :
       {std::pair("chat", openai("content_filter", "triggering our content management policy")),
        std::pair("responses", openai("invalid_prompt", "flagged as potentially violating")),
        std::pair("chat", std::string(R"({"error": {"code": 403, "message": "requires moderation,
                                          and your input was flagged"}})"))}) {
    const auto outcome = api(name).outcome({.status = 400, .body = body});
    ASSERT_TRUE(std::holds_alternative<ModelReply>(outcome)) << body;
    EXPECT_EQ(std::get<ModelReply>(outcome).kind, ModelReply::Kind::refused);
    EXPECT_EQ(std::get<ModelReply>(outcome).usage, Usage{});
  }
}

TEST(ModelErrors, a_refused_key_is_never_repeated) {
  const ModelFailure failure = failure_of(
      "chat", {.status = 401, .body = openai("invalid_api_key", "Wrong key: my-secret")});
  EXPECT_THAT(failure.message, Not(HasSubstr("my-secret")));
}

TEST(ModelErrors, status_and_request_id_are_kept) {
  const ModelFailure failure =
      failure_of("messages", {.status = 529, .headers = {{"request-id", "req_7"}}, .body = ""});
  EXPECT_EQ(failure.status, 529);
  EXPECT_EQ(failure.request_id, "req_7");
}

TEST(ModelErrors, how_long_to_wait) {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  const struct {
    Headers headers;
    std::string message;
    std::optional<double> seconds;
  } cases[] = {
      {{}, "busy", std::nullopt},
      {{{"retry-after", "7"}}, "", 7},
      {{{"retry-after", "0.5"}}, "", 0.5},
      {{{"retry-after-ms", "250"}, {"retry-after", "9"}}, "", 0.25},
      {{{"retry-after", "Wed, 21 Oct 2015 07:28:30 GMT"},
        {"date", "Wed, 21 Oct 2015 07:28:00 GMT"}},
       "",
       30},
      {{{"retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"}}, "", 0},
      {{{"retry-after", "-5"}}, "", std::nullopt},
      {{{"retry-after", "soon"}}, "", std::nullopt},
      {{{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "1m2.5s"}},
       "",
       62.5},
      {{{"x-ratelimit-remaining-requests", "0"},
        {"x-ratelimit-reset-requests", "120ms"},
        {"x-ratelimit-remaining-tokens", "0"},
        {"x-ratelimit-reset-tokens", "6m0s"}},
       "",
       360},
      {{{"x-ratelimit-remaining-requests", "5"}, {"x-ratelimit-reset-requests", "1h"}},
       "",
       std::nullopt},
      {{}, "Limit reached. Please try again in 1.5s. Visit us.", 1.5},
      {{}, "Please retry in 26s.", 26},
      {{}, "try again in a moment", std::nullopt},
  };
  for (const auto& c : cases) {
    const auto failure =
        failure_of("chat", {.status = 429, .headers = c.headers, .body = openai("x", c.message)});
    ASSERT_EQ(failure.retry_after_s.has_value(), c.seconds.has_value()) << c.message;
    if (c.seconds) EXPECT_NEAR(*failure.retry_after_s, *c.seconds, 1e-9) << c.message;
  }
}

}  // namespace assay::qa::model_errors_test
