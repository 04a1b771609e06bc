// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/secrets.hpp"

#include <gtest/gtest.h>

#include "assay/base/base64.hpp"

namespace assay::qa::secrets_test {

const std::string key = "sk-proj-Qz7Wx91LmNp+/uT4=";

TEST(Secrets, whole_and_in_part_are_hidden) {
  const Secrets secrets(key, {});
  EXPECT_EQ(secrets.redacted("a " + key + " b"), "a [key] b");
  EXPECT_EQ(secrets.redacted(key), "[key]");
  for (std::size_t at = 0; at + 8 <= key.size(); ++at)
    for (std::size_t size = 8; at + size <= key.size(); ++size)
      EXPECT_EQ(secrets.redacted("<" + key.substr(at, size) + ">"), "<[key]>");
  EXPECT_EQ(secrets.redacted(key.substr(0, 7) + " and nothing"), key.substr(0, 7) + " and nothing");
  EXPECT_EQ(secrets.redacted("Grade group 4, adenocarcinoma"), "Grade group 4, adenocarcinoma");
}

TEST(Secrets, encoded_they_are_hidden_too) {
  const Secrets secrets(key, {});
  EXPECT_EQ(secrets.redacted("?k=sk-proj-Qz7Wx91LmNp%2B%2FuT4%3D&x"), "?k=[key]&x");
  EXPECT_EQ(secrets.redacted("?k=sk-proj-Qz7Wx91LmNp%2b%2fuT4%3d&x"), "?k=[key]&x");
  for (const std::string before : {"", ":", "me:", "user:", "a:", "someone:"}) {
    const std::string echoed = secrets.redacted("Basic " + base64(before + key) + ".");
    // What is left are letters that the neighbours decide.
    EXPECT_LE(echoed.size(), std::string("Basic [key].").size() + base64(before).size() + 4);
    EXPECT_NE(echoed.find("[key]"), echoed.npos) << before;
  }
}

TEST(Secrets, ends_beside_a_mask_are_hidden) {
  const Secrets secrets("abcdefghijklmnop1234", {});
  for (const char* text : {"provided: abcd****1234.", "provided: abcd...1234.",
                           "provided: abcd…1234.", "provided: abc********234."})
    EXPECT_EQ(secrets.redacted(text), "provided: [key].") << text;
  EXPECT_EQ(secrets.redacted("ab**34 and **bold** and x..."), "ab**34 and **bold** and x...");
}

TEST(Secrets, headers_count_where_they_are_credentials) {
  const Secrets secrets("", {{"Authorization", "Bearer token-12345-xyz"},
                             {"X-Proxy-Auth", "Basic dXNlcjpTM2NyM3RQYXNz"},
                             {"X-Org", "org9f3k2l1m0p8q7"},
                             {"anthropic-beta", "prompt-caching-2024-07-31"},
                             {"X-Title", "pathology-benchmark"}});
  EXPECT_EQ(secrets.redacted("got token-12345-xyz"), "got [key]");
  EXPECT_EQ(secrets.redacted("got user:S3cr3tPass"), "got [key]");
  EXPECT_EQ(secrets.redacted("got S3cr3tPass"), "got [key]");
  EXPECT_EQ(secrets.redacted("got 9f3k2l1m0"), "got [key]");
  EXPECT_EQ(secrets.redacted("by pathology alone"), "by pathology alone");
  EXPECT_EQ(secrets.redacted("caching-2024"), "caching-2024");
}

TEST(Secrets, every_text_of_an_outcome_is_looked_at) {
  const Secrets secrets(key, {{"X-Title", "pathology-benchmark"}});
  ModelOutcome reply = ModelReply{
      .text = key, .model = key, .provider = key, .request_id = key, .finish_reason = key};
  secrets.redact(reply);
  const auto& read = std::get<ModelReply>(reply);
  for (const std::string& text :
       {read.text, read.model, read.provider, read.request_id, read.finish_reason})
    EXPECT_EQ(text, "[key]");
  ModelOutcome failure =
      ModelFailure{.message = "no " + key + " of pathology-benchmark", .request_id = key};
  secrets.redact(failure);
  EXPECT_EQ(std::get<ModelFailure>(failure).message, "no [key] of [key]");
  EXPECT_EQ(std::get<ModelFailure>(failure).request_id, "[key]");
}

TEST(Secrets, nothing_is_hidden_without_a_secret) {
  const Secrets secrets("", {{"Content-Type", "application/json"}});
  EXPECT_EQ(secrets.redacted("application/json ****"), "application/json ****");
}

}  // namespace assay::qa::secrets_test
