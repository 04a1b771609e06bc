// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal_writer.hpp"

#include <new>
#include <system_error>
#include <utility>

namespace assay {

JournalWriter::JournalWriter(Journal journal, std::chrono::milliseconds interval)
    : journal_(std::move(journal)), interval_(interval) {
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::system_error&) {  // no thread can be started: whoever submits, commits
  } catch (const std::bad_alloc&) {
  }
}

JournalWriter::~JournalWriter() {
  thread_.request_stop();
}

void JournalWriter::add(std::string record) {
  const std::lock_guard lock(mutex_);
  submit(std::move(record), true);
}

void JournalWriter::add_lightly(std::string record) {
  const std::lock_guard lock(mutex_);
  submit(std::move(record), false);
}

void JournalWriter::add_durably(std::string record) {
  std::unique_lock lock(mutex_);
  const std::size_t ours = submit(std::move(record), true);
  committed_.wait(lock, [&] { return committed_count_ >= ours || error_ != nullptr; });
  if (committed_count_ < ours) std::rethrow_exception(error_);
}

std::size_t JournalWriter::submit(std::string record, bool commits) {
  if (error_) std::rethrow_exception(error_);  // do not notice a full disk only hours later
  waiting_.push_back(std::move(record));
  needs_commit_ = needs_commit_ || commits;
  const std::size_t ours = ++added_count_;
  if (thread_.joinable()) {
    wake_.notify_one();
  } else {
    try {
      write(std::exchange(waiting_, {}), std::exchange(needs_commit_, false));
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
    committed_count_ = ours;
  }
  return ours;
}

void JournalWriter::write(const std::vector<std::string>& batch, bool commits) {
  if (commits)
    journal_.commit(batch);
  else if (!batch.empty())
    journal_.append(batch);
}

void JournalWriter::finish() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void JournalWriter::run(const std::stop_token& stop) {
  for (bool more = true; more;) {
    std::vector<std::string> batch;
    bool commits = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, stop, [&] { return !waiting_.empty(); });
      more = !stop.stop_requested();
      batch.swap(waiting_);
      commits = std::exchange(needs_commit_, false);
    }
    try {
      write(batch, commits);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      committed_.notify_all();
      return;
    }
    // Sleeps here, so that records that arrive in the meantime share the next commit. A stop wakes
    // it, and so do very many records, which would otherwise fill the memory.
    constexpr std::size_t many = 1000;
    std::unique_lock lock(mutex_);
    committed_count_ += batch.size();
    committed_.notify_all();
    wake_.wait_for(lock, stop, interval_, [&] { return waiting_.size() >= many; });
  }
}

}  // namespace assay
