// SPDX-License-Identifier: Apache-2.0
/// The client's half of the protocols against the test server's, which was written apart from it.
#include "tests/qa/protocols.hpp"

#include <gtest/gtest.h>

#include "assay/qa/provider/model_api.hpp"

namespace assay::test_server::protocols_test::protocols_test {

const std::string jpeg = "\xFF\xD8\xFF picture!";

qa::Chat conversation() {
  const qa::ChatImage image = {.jpeg = std::make_shared<const std::string>(jpeg), .sha256 = ""};
  return {{qa::Role::system, {"Be brief."}},
          {qa::Role::user, {"Question #17", image}},
          {qa::Role::assistant, {"A crop, please."}},
          {qa::Role::user, {"Here it is.", image}}};
}

const Protocol& protocol_of(const qa::ModelApi& api) {
  return *std::ranges::find_if(protocols(),
                               [&](const Protocol& each) { return api.path.ends_with(each.path); });
}

TEST(Protocols, the_server_understands_what_the_client_sends) {
  for (const qa::ModelApi& api : qa::model_apis()) {
    const std::string body = api.body(conversation(), {.model = "m"});
    const Question question = protocol_of(api).question(nlohmann::json::parse(body));
    EXPECT_EQ(question.model, "m") << api.name;
    EXPECT_EQ(question.first_text, "Question #17");
    EXPECT_EQ(question.last_text, "Here it is.");
    EXPECT_EQ(question.images, 2U);
    EXPECT_EQ(question.image_bytes, 2 * jpeg.size());
    EXPECT_EQ(question.assistant_turns, 1U);
  }
}

TEST(Protocols, the_client_understands_what_the_server_answers) {
  const Question question = {
      .model = "m", .first_text = "", .last_text = "", .text_bytes = 400, .assistant_turns = 1};
  const struct {
    Reply::End end;
    qa::ModelReply::Kind kind;
  } ends[] = {{Reply::End::stop, qa::ModelReply::Kind::answer},
              {Reply::End::truncated, qa::ModelReply::Kind::truncated},
              {Reply::End::refused, qa::ModelReply::Kind::refused}};
  for (const qa::ModelApi& api : qa::model_apis())
    for (const auto& [end, kind] : ends) {
      const auto body = protocol_of(api).reply(question, {.text = "yes", .end = end});
      const auto outcome = api.outcome({.status = 200, .body = body.dump()});
      ASSERT_TRUE(std::holds_alternative<qa::ModelReply>(outcome)) << api.name;
      const auto& reply = std::get<qa::ModelReply>(outcome);
      EXPECT_EQ(reply.kind, kind) << api.name;
      EXPECT_EQ(reply.text, "yes");
      EXPECT_EQ(reply.model, "m-served");
      EXPECT_EQ(reply.usage.input, 51) << "101 tokens, of which 50 come from the cache";
      EXPECT_EQ(reply.usage.cache_read, 50);
      EXPECT_EQ(reply.usage.output, 10);
    }
}

}  // namespace assay::test_server::protocols_test::protocols_test
