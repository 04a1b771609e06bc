// SPDX-License-Identifier: Apache-2.0
/// oneTBB starts its threads one from another, and when the system refuses one, an exception leaves
/// the thread that asked and ends the program. So threads are tried out first; then oneTBB starts
/// as many as there could be, at once, before anything else takes their places; and it is never
/// asked for more.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "assay/error.hpp"
#include "assay/threads.hpp"

namespace assay {
namespace {

/// The threads of this process, if the system tells.
std::ptrdiff_t running_threads() {
  std::error_code untold;
  const std::filesystem::directory_iterator tasks("/proc/self/task", untold);
  return untold ? 0 : std::distance(begin(tasks), end(tasks));
}

/// A thread that has been joined still counts for a moment.
void wait_until_as_few_as(std::ptrdiff_t threads) {
  for (int i = 0; i < 200 && running_threads() > threads; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Starts that many threads at once and ends them. Returns how many there were.
unsigned try_out(unsigned threads) {
  const std::ptrdiff_t before = running_threads();
  std::atomic<bool> may_end = false;
  unsigned started = 0;
  {
    std::vector<std::jthread> running;
    running.reserve(threads);
    try {
      for (; started < threads; ++started) running.emplace_back([&] { may_end.wait(false); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    may_end = true;
    may_end.notify_all();
  }
  wait_until_as_few_as(before);
  return started;
}

/// Has oneTBB start its threads: each task waits for the others. They stay until the program ends.
void start_pool(unsigned threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  const auto latest = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  std::atomic<unsigned> there = 0;
  const auto meet = [&](unsigned) {
    ++there;
    while (there < threads && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
  };
  arena.execute([&] { tbb::parallel_for(0U, threads, meet, tbb::simple_partitioner{}); });
}

/// What was found out about this process. Threads of oneTBB stay, so each is tried out once.
struct TriedThreads {
  std::mutex mutex{};
  unsigned wanted = 1, startable = 1;
};

}  // namespace

unsigned startable_threads(unsigned jobs) {
  static TriedThreads tried;  // as there is one oneTBB in a process
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  const std::lock_guard lock(tried.mutex);
  if (jobs > tried.wanted && tried.startable == tried.wanted) {
    tried.startable += try_out(jobs - tried.wanted);
    tried.wanted = jobs;
    if (tried.startable > 1) start_pool(tried.startable);
  }
  return std::min(jobs, tried.startable);
}

Executor tbb_executor(unsigned jobs) {
  const unsigned threads = startable_threads(jobs);
  if (threads == 1) return {};
  return [threads](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    // Also allows more threads than cores, which oneTBB would complain about on standard error.
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena arena(static_cast<int>(threads));
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, tasks, task); });
  };
}

Executor stoppable(Executor executor, const std::atomic<bool>& stop) {
  return [executor = std::move(executor), &stop](std::size_t tasks,
                                                 const std::function<void(std::size_t)>& task) {
    if (stop) throw Error(Error::Kind::usage, "interrupted");
    run_tasks(executor, tasks, task);
  };
}

}  // namespace assay
