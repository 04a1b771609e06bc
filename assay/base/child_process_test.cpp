// SPDX-License-Identifier: Apache-2.0
#include "assay/base/child_process.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "assay/base/test_files.hpp"

namespace assay::child_process_test {

using test::refusal;
using test::TemporaryFolder;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using Fault = ChildProcess::Fault;

/// Runs a shell script.
ChildProcess shell(const std::string& script) {
  return ChildProcess({"sh", "-c", script});
}

TEST(ChildProcess, answers_lines_with_lines_and_keeps_running) {
  ChildProcess program =
      shell("n=0; while read -r line; do n=$((n+1)); printf '%s %s\\n' \"$n\" \"$line\"; done");
  EXPECT_EQ(program.ask("one", 10).line, "1 one");
  EXPECT_EQ(program.ask("", 10).line, "2 ");
  EXPECT_EQ(program.ask("a\\b \"c\"", 10).line, "3 a\\b \"c\"");
  EXPECT_THAT(refusal([&] { program.ask("a\nb", 10); }), HasSubstr("line break"));
}

TEST(ChildProcess, lines_larger_than_any_pipe_pass_in_both_directions) {
  ChildProcess program({"cat"});
  const std::string line(5 << 20, 'x');
  EXPECT_EQ(program.ask(line, 30).line, line);
  EXPECT_EQ(program.ask("short", 10).line, "short");
}

TEST(ChildProcess, much_standard_error_does_not_block_and_its_end_is_kept) {
  ChildProcess program = shell(
      "while read -r line; do head -c 1000000 /dev/zero | tr '\\0' e >&2; echo END >&2; echo ok; "
      "done");
  const auto answer = program.ask("x", 30);
  EXPECT_EQ(answer.line, "ok");
  EXPECT_LE(program.standard_error().size(), 4096U);
}

TEST(ChildProcess, an_end_is_told_with_status_and_standard_error_and_it_starts_anew) {
  const TemporaryFolder folder;
  ChildProcess program =
      shell("read line; [ -e " + (folder / "again").string() + " ] && echo yes || { : > " +
            (folder / "again").string() + "; echo no model >&2; exit 3; }");
  const auto answer = program.ask("x", 10);
  EXPECT_EQ(answer.fault, Fault::ended);
  EXPECT_EQ(answer.detail,
            "the program ended with status 3 instead of answering; the end of its standard error: "
            "no model\n");
  EXPECT_EQ(program.ask("x", 10).line, "yes");
}

TEST(ChildProcess, an_absent_program_is_named) {
  EXPECT_EQ(
      refusal([] {
        ChildProcess({"no-such-program-here", "x"}).ask("x", 10);
      }),
      "the program 'no-such-program-here' cannot be started: it is not in any folder of PATH");
}

TEST(ChildProcess, no_shell_sees_the_arguments) {
  const TemporaryFolder folder;
  const std::string hostile = "a;touch " + (folder / "PWNED").string() + ";$(id) 'b \"c";
  ChildProcess program({"sh", "-c", "read -r line; printf '%s\\n' \"$1\"", "sh", hostile});
  EXPECT_EQ(program.ask("x", 10).line, hostile);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(ChildProcess, a_signal_is_told) {
  EXPECT_THAT(shell("kill -9 $$").ask("x", 10).detail, HasSubstr("signal 9"));
}

TEST(ChildProcess, writing_to_a_program_that_does_not_read_raises_no_signal) {
  EXPECT_EQ(shell("exec 0<&-; sleep 0.05").ask(std::string(1 << 20, 'x'), 10).fault, Fault::ended);
  EXPECT_EQ(shell("exec 0<&-; echo early; sleep 1").ask(std::string(1 << 20, 'x'), 10).line,
            "early");
}

TEST(ChildProcess, time_runs_out_and_the_whole_group_is_gone) {
  const TemporaryFolder folder;
  const auto pid_file = folder / "pid";
  ChildProcess program =
      shell("trap '' TERM; sleep 300 & echo $! > " + pid_file.string() + "; wait");
  const auto answer = program.ask("x", 0.3);
  EXPECT_EQ(answer.fault, Fault::timed_out);
  EXPECT_THAT(answer.detail, EndsWith("did not answer within 0.3 s"));
  const auto grandchild = static_cast<pid_t>(std::stol(read_text(pid_file)));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // A container without an init process never reaps it: a zombie counts as gone.
  std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(status), {}};
  EXPECT_TRUE(text.empty() || text.find(") Z ") != std::string::npos) << text;
}

TEST(ChildProcess, no_zombie_is_left) {
  {
    ChildProcess program({"cat"});
    program.ask("x", 10);
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, more_lines_than_questions_are_a_fault) {
  ChildProcess program = shell("while read -r line; do printf 'a\\nb\\n'; done");
  EXPECT_EQ(program.ask("x", 10).line, "a");
  EXPECT_EQ(program.ask("x", 10).fault, Fault::unasked);
}

TEST(ChildProcess, many_threads_start_programs_at_once) {
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) {
        ChildProcess program = shell("read -r line; echo \"$line\"; exec cat >/dev/null");
        if (program.ask("x", 30).line != "x") ++wrong;
      }  // an inherited end of another's pipe would keep a `cat` alive until SIGTERM
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(ChildProcess, can_be_moved) {
  ChildProcess first({"cat"});
  EXPECT_EQ(first.ask("a", 10).line, "a");
  ChildProcess second(std::move(first));
  EXPECT_EQ(second.ask("b", 10).line, "b");
}

}  // namespace assay::child_process_test
