// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/model_api.hpp"

#include <gmock/gmock.h>

#include "assay/base/base64.hpp"
#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"

namespace assay::qa::model_api_test {
using test::refusal;
using ::testing::HasSubstr;

ChatImage image(const std::string& bytes) {
  return {
      .jpeg = std::make_shared<const std::string>(bytes), .sha256 = "", .width = 1, .height = 1};
}

const ModelApi& api(std::string_view name) {
  return *std::ranges::find(model_apis(), name, &ModelApi::name);
}

/// A system text, a question with a picture, an answer, a second question.
Chat conversation() {
  return {{Role::system, {"Be brief."}},
          {Role::user, {"What is \"this\"?\n", image("foobar")}},
          {Role::assistant, {"A lung."}},
          {Role::user, {"Sure?"}}};
}

TEST(ModelApi, bodies_of_the_three_protocols) {
  const std::pair<std::string, std::string> cases[] = {
      {"chat", R"({"model": "m", "max_completion_tokens": 100, "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [
          {"type": "text", "text": "What is \"this\"?\n"},
          {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,Zm9vYmFy"}}]},
        {"role": "assistant", "content": "A lung."},
        {"role": "user", "content": "Sure?"}]})"},
      {"responses", R"({"model": "m", "max_output_tokens": 100, "store": false, "input": [
        {"role": "system", "content": [{"type": "input_text", "text": "Be brief."}]},
        {"role": "user", "content": [
          {"type": "input_text", "text": "What is \"this\"?\n"},
          {"type": "input_image", "image_url": "data:image/jpeg;base64,Zm9vYmFy"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "A lung."}]},
        {"role": "user", "content": [{"type": "input_text", "text": "Sure?"}]}]})"},
      {"messages", R"({"model": "m", "max_tokens": 100, "system": "Be brief.", "messages": [
        {"role": "user", "content": [
          {"type": "text", "text": "What is \"this\"?\n"},
          {"type": "image", "source":
            {"type": "base64", "media_type": "image/jpeg", "data": "Zm9vYmFy"}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "A lung."}]},
        {"role": "user", "content": [{"type": "text", "text": "Sure?"}]}]})"},
  };
  for (const auto& [name, expected] : cases)
    EXPECT_EQ(Json::parse(api(name).body(conversation(), {.model = "m", .max_output_tokens = 100})),
              Json::parse(expected))
        << name;
}

TEST(ModelApi, detail_of_pictures_and_marks_for_the_cache) {
  const ModelSettings settings = {.model = "m", .image_detail = "low", .marks_cache = true};
  const auto body = [&](const char* name) {
    return Json::parse(api(name).body(conversation(), settings));
  };
  EXPECT_EQ(body("chat")["messages"][1]["content"][1]["image_url"]["detail"], "low");
  EXPECT_EQ(body("responses")["input"][1]["content"][1]["detail"], "low");
  Json marked = body("messages");
  Json& last = marked["messages"].back()["content"].back();
  EXPECT_EQ(last["cache_control"], Json::parse(R"({"type": "ephemeral"})"));
  last.erase("cache_control");
  EXPECT_EQ(marked, Json::parse(api("messages").body(conversation(), {.model = "m"})))
      << "one mark, at the end, and nothing else";
  const Json picture_last =
      Json::parse(api("messages").body({{Role::user, {"a", image("x")}}}, settings));
  EXPECT_EQ(picture_last["messages"][0]["content"][1]["cache_control"]["type"], "ephemeral");
  EXPECT_TRUE(Json::accept(api("messages").body({}, settings)));
}

TEST(ModelApi, messages_of_one_role_are_merged_and_empty_texts_left_out) {
  const Chat chat = {{Role::user, {"a"}},
                     {Role::user, {"b", image("x")}},
                     {Role::assistant, {""}},
                     {Role::user, {"", "c"}},
                     {Role::assistant, {"d"}}};
  const Json body = Json::parse(api("messages").body(chat, {.model = "m"}));
  ASSERT_EQ(body["messages"].size(), 2U);
  EXPECT_EQ(body["messages"][0]["content"].size(), 4U);
  EXPECT_EQ(body["messages"][1]["content"][0]["text"], "d");
  EXPECT_FALSE(body.contains("system"));
  EXPECT_EQ(Json::parse(api("messages").body({}, {.model = "m"}))["messages"], Json::array());
}

TEST(ModelApi, request_json_is_merged_last_and_null_removes) {
  for (const ModelApi& each : model_apis()) {
    const Json plain = Json::parse(each.body(conversation(), {.model = "m"}));
    const Json body = Json::parse(
        each.body(conversation(),
                  {.model = "m",
                   .request_json = R"({"model": null, "temperature": 0, "a": {"b": 1, "c": null},
                             "max_tokens": null, "max_completion_tokens": null,
                             "max_output_tokens": null})"}));
    const std::string key = plain.contains("input") ? "input" : "messages";
    EXPECT_EQ(body[key], plain[key]) << each.name;
    EXPECT_EQ(body["temperature"], 0);
    EXPECT_EQ(body["a"], Json::parse(R"({"b": 1})"));
    for (const char* gone : {"model", "max_tokens", "max_completion_tokens", "max_output_tokens"})
      EXPECT_FALSE(body.contains(gone)) << each.name;
    const Json replaced = Json::parse(
        each.body(conversation(), {.model = "m", .request_json = "{\"" + key + "\": [1]}"}));
    EXPECT_EQ(replaced[key], Json::parse("[1]"));
    const ModelSettings wrong = {.model = "m", .request_json = "[1]"};
    EXPECT_THAT(refusal([&] { each.body({}, wrong); }), HasSubstr("must be a JSON object"));
    const ModelSettings broken = {.model = "m", .request_json = "{"};
    EXPECT_THAT(refusal([&] { each.body({}, broken); }), HasSubstr("--request-json"));
  }
}

TEST(ModelApi, any_bytes_of_texts_and_pictures_make_valid_json) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const ModelApi& each : model_apis()) {
    const std::string body =
        each.body({{Role::user, {bytes, image(bytes), image("")}}}, {.model = bytes});
    EXPECT_TRUE(Json::accept(body)) << each.name;
    EXPECT_THAT(body, HasSubstr(base64(bytes)));
  }
}

TEST(ModelApi, keys_stand_in_the_header_of_the_protocol) {
  const auto has = [](const auto& headers, const std::string& name, const std::string& value) {
    return std::ranges::count(headers, std::pair(name, value)) == 1;
  };
  EXPECT_TRUE(has(api("chat").headers("k"), "Authorization", "Bearer k"));
  EXPECT_TRUE(has(api("responses").headers("k"), "Authorization", "Bearer k"));
  EXPECT_TRUE(has(api("messages").headers("k"), "x-api-key", "k"));
  EXPECT_TRUE(has(api("messages").headers("k"), "anthropic-version", "2023-06-01"));
  EXPECT_EQ(api("chat").headers("").size(), 1U) << "a server of one's own needs no key";
}

TEST(ModelApi, is_found_by_agent_and_name) {
  EXPECT_EQ(find_model_api("openai", "").name, "chat");
  EXPECT_EQ(find_model_api("openai", "responses").path, "/responses");
  EXPECT_EQ(find_model_api("anthropic", "").name, "messages");
  EXPECT_EQ(refusal([] { find_model_api("openai", "respones"); }),
            "there is no API 'respones' of the agent 'openai'; did you mean 'responses'? (known: "
            "chat of openai, responses of openai, messages of anthropic)");
}

TEST(ModelApi, endpoints) {
  const struct {
    std::string api, base, expected;
  } cases[] = {
      {"chat", "", "https://api.openai.com/v1/chat/completions"},
      {"chat", "http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/chat/completions"},
      {"chat", "http://127.0.0.1:8000/v1//", "http://127.0.0.1:8000/v1/chat/completions"},
      {"chat", "http://h/v1/chat/completions", "http://h/v1/chat/completions"},
      {"chat", "https://h/d?api-version=1", "https://h/d/chat/completions?api-version=1"},
      {"responses", "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/responses"},
      {"messages", "", "https://api.anthropic.com/v1/messages"},
      {"messages", "https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"},
      {"messages", "http://h/v1/messages", "http://h/v1/messages"},
  };
  for (const auto& c : cases) EXPECT_EQ(endpoint(api(c.api), c.base), c.expected) << c.base;
  EXPECT_THAT(refusal([] { endpoint(api("chat"), "ftp://h"); }),
              HasSubstr("--base-url is not a web"));
}

TEST(ModelApi, a_broken_connection_is_transient_unless_no_one_can_be_trusted) {
  EXPECT_EQ(connection_failure({.message = "m"}).kind, ModelFailure::Kind::transient);
  EXPECT_EQ(connection_failure({.message = "m", .certificate = true}).kind,
            ModelFailure::Kind::fatal);
}

}  // namespace assay::qa::model_api_test
