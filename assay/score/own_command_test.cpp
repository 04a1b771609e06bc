// SPDX-License-Identifier: Apache-2.0
#include "assay/score/own_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace own_command_test {

using namespace assay;
using namespace assay::score;

OwnCommand parsed_command(const std::string& more) {
  return parse_own_command("name = \"mine\"\nbetter = \"lower\"\n" + more, "/lab/mine.toml");
}

TEST(OwnCommand, words_are_split_once_and_know_the_folder_of_their_file) {
  const OwnCommand found = parsed_command(
      "command = \"run '{folder}/a b' x\"\n"
      "timeout_s = 2.5\n");
  EXPECT_EQ(found.command, (CommandWords{"run", "/lab/a b", "x"}));
  EXPECT_EQ(found.timeout_s, 2.5);
  EXPECT_EQ(found.declared.kind, "command");
  EXPECT_EQ(found.declared.better, metrics::Better::lower);
}

TEST(OwnCommand, what_cannot_be_meant_names_the_file) {
  for (const char* more : {"", "command = 1\n", "command = \"a\"\ntimeout_s = \"1\"\n",
                           "command = \"a\"\ntimeout_s = -1\n", "command = \"a | b\"\n",
                           "command = \"a\"\nsha256 = \"0\"\n", "command = \"a\"\nrange = 1\n"})
    EXPECT_THAT(test::refusal([&] { parsed_command(more); }), testing::HasSubstr("/lab/mine.toml"))
        << more;
}

TEST(OwnCommand, an_answer_is_a_value_a_reason_or_an_error) {
  EXPECT_EQ(parse_own_answer(R"({"id": 3, "value": 0.5})", 3), (metrics::OwnValue{.value = 0.5}));
  EXPECT_EQ(parse_own_answer(R"({"undefined": "no\nlesion\n"})", 3).failed, false);
  EXPECT_EQ(parse_own_answer(R"({"undefined": true})", 3), metrics::OwnValue{});
  EXPECT_EQ(parse_own_answer(R"({"error": "why"})", 3),
            (metrics::OwnValue{.failed = true, .message = "the program reported: why"}));
  for (const char* line : {"", "0.5", "[]", "{}", R"({"id": 4, "value": 1})", R"({"value": "1"})",
                           R"({"value": null})", R"({"undefined": false})"})
    EXPECT_THROW(parse_own_answer(line, 3), Error) << line;
}

}  // namespace own_command_test
