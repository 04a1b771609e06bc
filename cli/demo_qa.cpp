// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_qa.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>
#include <sstream>

#include "assay/demo/demo_qa.hpp"
#include "assay/error.hpp"
#include "assay/slide/slide.hpp"
#include "cli/program.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> run_command(const demo::DemoBenchmark& benchmark,
                                     const demo::DemoModel& model, const fs::path& run) {
  return {"assay",         "qa",
          "run",           benchmark.table.string(),
          "--wsi-root",    benchmark.slides.string(),
          "--base-url",    model.base_url(),
          "--model",       "demo",
          "--prices",      benchmark.prices.string(),
          "--budget-usd",  "1",
          "--max-steps",   "5",
          "--concurrency", "2",
          "--out",         run.string(),
          "--anonymous",   "--quiet"};
}

/// This program again, as a separate process that can be killed.
class Victim {
 public:
  explicit Victim(std::vector<std::string> command) {
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    if (posix_spawn(&process_, "/proc/self/exe", nullptr, nullptr, words.data(), environ) != 0)
      throw Error(Error::Kind::io, "the demonstration cannot start a second process");
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  ~Victim() {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

 private:
  pid_t process_ = 0;
};

/// False inside another program (Python), which cannot be started again as a process to kill.
bool is_own_process() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown).filename() == "assay";
}

/// The portable program may run on a machine without OpenSlide, which the rest of the demonstration
/// does not need.
bool can_read_slides(std::ostream& talk) try {
  return !slide::openslide_version().empty();
} catch (const Error& e) {
  talk << "\nquestions about a slide were left out: " << e.what() << '\n';
  return false;
}

}  // namespace

void demo_questions(const fs::path& folder, const Common& common, const Session& session,
                    std::ostream& talk) {
  if (!is_own_process() || !can_read_slides(talk)) return;
  const fs::path run = folder / "run";
  std::error_code absent;
  fs::remove_all(run, absent);  // from an earlier demonstration
  const demo::DemoBenchmark benchmark = demo::write_demo_benchmark(folder);
  demo::DemoModel model;
  const std::vector<std::string> command = run_command(benchmark, model, run);
  constexpr std::size_t answers_before_the_kill = 17, workers = 2;
  model.hold_after(answers_before_the_kill);
  {
    const Victim victim(command);
    if (!model.wait_until_held(workers))
      throw Error(Error::Kind::io, "the demonstration's run did not get to its questions");
  }  // kill -9
  model.release();
  std::ostringstream report;
  run_program(
      [&] {
        std::vector<std::string> again = command;
        again.pop_back();  // --quiet
        return again;
      }(),
      {.out = report, .err = report, .stop = session.stop});
  const std::string headline = report.str().substr(0, report.str().find('\n'));
  if (!common.quiet)
    talk << fmt::format(
        "\n{} questions about a slide, asked of a model on loopback; killed (-9) after {} calls, "
        "then started again\n  {}\n",
        benchmark.questions, answers_before_the_kill, headline);
  talk << fmt::format("  {} calls answered in all, {} calls repeated, ${:.2f} paid twice\n",
                      model.answered(), model.answered_twice(), model.paid_twice_usd());
}

}  // namespace assay::cli
