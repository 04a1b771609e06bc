// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_progress.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <new>
#include <system_error>
#include <utility>

#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/qa_journal.hpp"

namespace assay::qa {

std::string dollar_text(double usd) {
  return usd > 0 && usd < 0.01 ? fmt::format("${:.4f}", usd) : fmt::format("${:.2f}", usd);
}

std::string money_and_errors(const QaProgress& progress) {
  std::vector<std::string> parts;
  if (progress.spent_usd > 0 || progress.budget_usd)
    parts.push_back(dollar_text(progress.spent_usd) +
                    (progress.budget_usd ? " of " + dollar_text(*progress.budget_usd) : ""));
  if (progress.retried > 0)
    parts.push_back(progress.retried == 1 ? "1 retry"
                                          : fmt::format("{} retries", progress.retried));
  return joined(parts);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string utc_text(double seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}Z", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::optional<std::string> MinuteLines::line(double now_s, const QaProgress& progress) {
  if (now_s < due_s_) return std::nullopt;
  // One line after a long silence, not one for each minute that was missed.
  due_s_ += interval_s_ * (std::floor((now_s - due_s_) / interval_s_) + 1);
  const std::string details = money_and_errors(progress);
  return fmt::format("{}: {} of {} done{}, {} ({:.1f}/min){}{}", utc_text(now_s), progress.done,
                     counted(progress.total, "attempt"),
                     progress.failed == 0 ? "" : fmt::format(", {} failed", progress.failed),
                     counted(progress.calls, "call"),
                     60 * static_cast<double>(progress.calls) / (now_s - started_s_),
                     details.empty() ? "" : ", ", details);
}

std::string host_hash() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  constexpr std::size_t enough = 12;
  return sha256(std::string_view(name.data())).substr(0, enough);
}

RunPulse::RunPulse(Parts parts, StartEvent start) : parts_(std::move(parts)) {
  start.at_s = parts_.now();
  start.host = host_hash();
  add(start);
  due_ = std::chrono::steady_clock::now() + parts_.second * parts_.seconds_per_pulse;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::system_error&) {  // catch_up() has to do
  } catch (const std::bad_alloc&) {
  }
}

void RunPulse::catch_up() {
  const auto now = std::chrono::steady_clock::now();
  if (thread_.joinable() || now < due_) return;
  due_ = now + parts_.second * parts_.seconds_per_pulse;
  add(PulseEvent{parts_.now()});
}

void RunPulse::waits(double wait_s, int status) {
  constexpr double short_s = 1;
  if (wait_s < short_s) return;
  const double now_s = parts_.now();
  add(WaitEvent{.at_s = now_s, .until_s = now_s + wait_s, .status = status});
}

void RunPulse::end(const std::string& why, bool interrupted) {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  add(StopEvent{.at_s = parts_.now(), .why = why, .interrupted = interrupted});
}

/// A full disk is a reason to stop, whoever notices it.
void RunPulse::add(const QaEvent& event) try {
  parts_.journal.add_lightly(qa_record_text(event));
} catch (const Error& error) {
  parts_.stop.raise(error.what());
}

void RunPulse::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (unsigned second = 1;; ++second) {
    wake_.wait_for(lock, stop, parts_.second, [] { return false; });
    if (stop.stop_requested()) return;
    try {
      if (second % parts_.seconds_per_pulse == 0) add(PulseEvent{parts_.now()});
      if (parts_.each_second) parts_.each_second();
    } catch (const std::bad_alloc&) {  // a sign of life is no reason to end a run
    }
  }
}

}  // namespace assay::qa
