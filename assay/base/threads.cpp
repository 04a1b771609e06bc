// SPDX-License-Identifier: Apache-2.0
/// A pool of threads that cannot deadlock. A caller that runs tasks works on them itself and could
/// do all of them alone; the pool's threads help while they have nothing else to do. At the end the
/// caller waits only for tasks that a helper has begun. So a task may run tasks of its own, there
/// are never more threads than were asked for, and everything gets done with fewer threads, or
/// none. After the threads have started, the only allocation is a place in the list of open
/// batches.
#include "assay/threads.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "assay/base/own_threads.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

/// Tasks of one call, on the stack of its caller.
struct Batch {
  const std::function<void(std::size_t)>& task;
  const std::size_t tasks;
  std::atomic<std::size_t> next = 0;
  std::size_t helpers = 0;       // guarded by the pool's mutex, as is:
  std::exception_ptr trouble{};  // the first

  bool has_more() const { return next < tasks; }
};

class ThreadPool {
 public:
  /// Starts the threads that are needed besides the calling one, or as many as the system allows.
  explicit ThreadPool(unsigned threads) {
    running_.reserve(threads - 1);
    try {
      while (running_.size() + 1 < threads) running_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {  // a limit on processes
    } catch (const std::bad_alloc&) {
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    news_.notify_all();
  }

  unsigned threads() const { return static_cast<unsigned>(running_.size()) + 1; }

  void run(std::size_t tasks, const std::function<void(std::size_t)>& task) {
    Batch batch = {.task = task, .tasks = tasks};
    {
      const std::lock_guard lock(mutex_);
      open_.push_back(&batch);
    }
    news_.notify_all();
    work_on(batch);
    std::unique_lock lock(mutex_);
    std::erase(open_, &batch);
    ends_.wait(lock, [&] { return batch.helpers == 0; });
    if (batch.trouble) std::rethrow_exception(batch.trouble);
  }

 private:
  /// The loop of a thread of the pool.
  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      Batch* batch = nullptr;
      news_.wait(lock, [&] { return is_ending_ || (batch = unfinished()) != nullptr; });
      if (batch == nullptr) return;
      ++batch->helpers;
      lock.unlock();
      work_on(*batch);
      lock.lock();
      if (--batch->helpers == 0) ends_.notify_all();
    }
  }

  /// The latest batch first, because earlier ones wait for it.
  Batch* unfinished() const {
    const auto found =
        std::find_if(open_.rbegin(), open_.rend(), [](const Batch* b) { return b->has_more(); });
    return found == open_.rend() ? nullptr : *found;
  }

  void work_on(Batch& batch) {
    try {
      for (std::size_t i = 0; (i = batch.next.fetch_add(1)) < batch.tasks;) batch.task(i);
    } catch (...) {
      batch.next = batch.tasks;
      const std::lock_guard lock(mutex_);
      if (!batch.trouble) batch.trouble = std::current_exception();
    }
  }

  std::mutex mutex_;
  std::condition_variable news_, ends_;
  std::vector<Batch*> open_;
  bool is_ending_ = false;
  std::vector<std::jthread> running_;  // last: they use all of the above
};

}  // namespace

Executor thread_executor(unsigned jobs, const std::function<void(const std::string&)>& warn) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  if (jobs == 1) return {};
  const auto pool = std::make_shared<ThreadPool>(jobs);  // an executor can be copied
  if (pool->threads() < jobs && warn) warn(few_threads(pool->threads(), jobs));
  if (pool->threads() == 1) return {};
  return [pool](std::size_t tasks, const std::function<void(std::size_t)>& task) {
    if (tasks == 1) return task(0);
    if (tasks > 1) pool->run(tasks, task);
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
