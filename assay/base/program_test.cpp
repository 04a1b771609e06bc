// SPDX-License-Identifier: Apache-2.0
#include "assay/base/program.hpp"

#include <gmock/gmock.h>

#include "assay/base/test_files.hpp"

namespace assay::program_test {

using test::refusal;

TEST(RunProgram, gives_output_errors_and_status_apart) {
  const ProgramEnd good = run_program({"sh", "-c", "echo out; echo err >&2"}, 10);
  EXPECT_TRUE(good.succeeded);
  EXPECT_EQ(good.output, "out\n");
  EXPECT_EQ(good.errors, "err\n");
  const ProgramEnd bad = run_program({"sh", "-c", "exit 3"}, 10);
  EXPECT_FALSE(bad.succeeded);
  EXPECT_EQ(bad.ending, "ended with status 3");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, 10).ending, "was ended by signal 9");
}

TEST(RunProgram, arguments_arrive_as_they_are) {
  const CommandWords words = {"printf", "%s|", "a b", "", "'", "$(touch x)", ";", "*"};
  EXPECT_EQ(run_program(words, 10).output, "a b||'|$(touch x)|;|*|");
}

TEST(RunProgram, has_no_input_and_may_write_much) {
  EXPECT_EQ(run_program({"cat"}, 10).output, "");
  const ProgramEnd end =
      run_program({"sh", "-c", "head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2"}, 30);
  EXPECT_EQ(end.output.size(), 3000000U);
  EXPECT_EQ(end.errors.size(), 2000000U);
}

TEST(RunProgram, ends_with_the_program_not_with_what_it_left_behind) {
  EXPECT_EQ(run_program({"sh", "-c", "sleep 60 & echo done"}, 30).output, "done\n");
  const ProgramEnd late = run_program({"sleep", "60"}, 0.2);
  EXPECT_TRUE(late.timed_out);
  EXPECT_FALSE(late.succeeded);
}

TEST(RunProgram, what_cannot_be_started_is_named) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "text", "no program\n");
  EXPECT_EQ(
      refusal([] { run_program({"no-such-program-here"}, 10); }),
      "the program 'no-such-program-here' cannot be started: it is not in any folder of PATH");
  EXPECT_EQ(refusal([] { run_program({"./none here"}, 10); }),
            "the program './none here' cannot be started: there is no such file, or the "
            "interpreter in its first line does not exist");
  const std::string text = (folder / "text").string();
  EXPECT_EQ(refusal([&] { run_program({text}, 10); }),
            "the program '" + text + "' cannot be started: it is not executable (chmod +x)");
  std::filesystem::permissions(text, std::filesystem::perms::owner_all);
  EXPECT_EQ(refusal([&] { run_program({text}, 10); }),
            "the program '" + text +
                "' cannot be started: it is not a program; a script begins with a line such as "
                "#!/bin/sh");
}

TEST(FindProgram, takes_the_first_that_may_be_run) {
  const test::TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"}) std::filesystem::create_directory(folder / name);
  write_atomically(folder / "a/tool", "not executable\n");
  std::filesystem::create_directory(folder / "b/tool");
  write_atomically(folder / "c/tool", "#!/bin/sh\n");
  std::filesystem::permissions(folder / "c/tool", std::filesystem::perms::owner_all);
  const std::string path =
      (folder / "a").string() + ":" + (folder / "b").string() + "::" + (folder / "c").string();
  EXPECT_EQ(find_program("tool", path), folder / "c/tool");
  EXPECT_EQ(find_program("tool", ""), "");
  EXPECT_NE(find_program("sh"), "");
}

}  // namespace assay::program_test
