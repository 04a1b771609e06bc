// SPDX-License-Identifier: Apache-2.0
#include "assay/base/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

#include "assay/base/spawn.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = std::size_t{64} << 20;
constexpr std::size_t kept_error = 4096;
constexpr auto patience = std::chrono::milliseconds(500);  ///< between SIGTERM and SIGKILL

/// Writing to a program that has ended raises SIGPIPE, in this thread only; it is swallowed.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending{};
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

Descriptor opened_for_adding(const std::filesystem::path& file) {
  Descriptor out = open_descriptor(file, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (out.number() < 0)
    throw Error(Error::Kind::io, file,
                "cannot be opened for writing (" + std::generic_category().message(errno) + ")");
  return out;
}

}  // namespace

struct ChildProcess::State {
  State(CommandWords given, const std::filesystem::path& error_file) : command(std::move(given)) {
    if (!error_file.empty()) log = opened_for_adding(error_file);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { stop(); }

  CommandWords command;
  std::string errors{};  ///< the last part of standard error
  std::string received{};
  std::size_t searched = 0;  ///< how much of `received` was searched for a line break
  pid_t process = 0;         ///< 0: not running
  Descriptor in{}, out{}, err{};
  Descriptor log{};  ///< where all of standard error goes, if anywhere

  void start();
  Fault exchange(std::string_view line, Clock::time_point deadline);
  std::string stop();
  Answer fault(Fault what, double timeout_s);

 private:
  bool write_some(std::string_view& rest) const;
  void read_errors();
  bool has_line();
  bool wait_for_end(Clock::time_point deadline) const;
};

void ChildProcess::State::start() {
  Pipe to = make_pipe(), from = make_pipe(), talk = make_pipe();
  process = start_program(command, {to.reading, from.writing, talk.writing});
  in = std::move(to.writing);
  out = std::move(from.reading);
  err = std::move(talk.reading);
  for (const Descriptor* end : {&in, &out, &err}) make_nonblocking(*end);
  received.clear();
  errors.clear();
  searched = 0;
}

/// False when nobody reads the pipe any more.
bool ChildProcess::State::write_some(std::string_view& rest) const {
  const WithoutPipeSignal quiet;
  const auto written = ::write(in.number(), rest.data(), rest.size());
  if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  return written >= 0 || errno == EAGAIN || errno == EINTR;
}

/// A log that can no longer be written must not stop the work that it records.
void ChildProcess::State::read_errors() {
  const std::size_t before = errors.size();
  read_some(err, errors);
  if (log.number() >= 0 && errors.size() > before) [[maybe_unused]]
    const auto written = ::write(log.number(), errors.data() + before, errors.size() - before);
  if (errors.size() > kept_error) errors.erase(0, errors.size() - kept_error);
}

bool ChildProcess::State::has_line() {
  const std::size_t found = received.find('\n', searched);
  searched = std::min(found, received.size());
  return found != std::string::npos;
}

/// Serves all three pipes at once: a program that fills one while we wait for another would never
/// end.
ChildProcess::Fault ChildProcess::State::exchange(std::string_view line,
                                                  Clock::time_point deadline) {
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!has_line()) {
    if (received.size() > longest_line) return Fault::too_long;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < 0) return Fault::timed_out;
    std::array<pollfd, 3> watched = {pollfd{out.number(), POLLIN, 0},
                                     pollfd{err.number(), POLLIN, 0},
                                     pollfd{rest.empty() ? -1 : in.number(), POLLOUT, 0}};
    ::poll(watched.data(), watched.size(), static_cast<int>(std::min<long>(left + 1, 60000)));
    if (watched[1].revents != 0) read_errors();
    // Nobody reads, but its answer may have come.
    if (watched[2].revents != 0 && !write_some(rest)) rest = {};
    if (watched[0].revents != 0 && !read_some(out, received)) return Fault::ended;
  }
  return Fault::none;
}

/// Whether the program has ended; it stays unreaped, so that its group's number is not reused.
bool ChildProcess::State::wait_for_end(Clock::time_point deadline) const {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == process)
      return true;
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// Ends the whole group: by closing its input and SIGTERM, then SIGKILL. Says how it ended.
std::string ChildProcess::State::stop() {
  if (process == 0) return "";
  in.close();
  if (!wait_for_end(Clock::now() + std::chrono::milliseconds(20))) {
    ::kill(-process, SIGTERM);
    wait_for_end(Clock::now() + patience);
  }
  ::kill(-process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  process = 0;
  if (err.number() >= 0) read_errors();
  out.close();
  err.close();
  return ending_of(status);
}

ChildProcess::Answer ChildProcess::State::fault(Fault what, double timeout_s) {
  if (what == Fault::ended) wait_for_end(Clock::now() + patience);  // its status comes a bit later
  const std::string ending = stop();
  std::string seconds = std::to_string(timeout_s);
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.ends_with('.')) seconds.pop_back();
  const std::array<std::string, 5> sentences = {
      "", "did not answer within " + seconds + " s", ending + " instead of answering",
      "answered with a line above 64 MiB", "wrote a line without being asked"};
  const std::string& sentence = sentences[static_cast<std::size_t>(what)];
  std::string detail = "the program " + sentence;
  if (!errors.empty()) detail += "; the end of its standard error: " + errors;
  return {.line = "", .fault = what, .ending = sentence, .detail = std::move(detail)};
}

ChildProcess::ChildProcess(CommandWords command, const std::filesystem::path& error_file)
    : state_(std::make_unique<State>(std::move(command), error_file)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() = default;

ChildProcess::Answer ChildProcess::ask(std::string_view line, double timeout_s) {
  State& state = *state_;
  if (line.find('\n') != line.npos)
    throw Error(Error::Kind::usage, "a question to a program is one line; it has a line break");
  if (state.process == 0) state.start();
  const auto time = std::chrono::duration<double>(std::clamp(timeout_s, 0.0, 1e7));
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  if (!state.received.empty()) return state.fault(Fault::unasked, timeout_s);
  const Fault fault = state.exchange(line, deadline);
  if (fault != Fault::none) return state.fault(fault, timeout_s);
  Answer answer = {.line = state.received.substr(0, state.searched)};
  state.received.erase(0, state.searched + 1);
  state.searched = 0;
  if (answer.line.ends_with('\r')) answer.line.pop_back();
  return answer;
}

std::string ChildProcess::standard_error() const {
  return state_->errors;
}

}  // namespace assay
