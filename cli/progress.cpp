// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "assay/report/text/terminal_stream.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t bar_width = 24;
constexpr std::chrono::milliseconds between_drawings{100};

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

std::string speed(double per_second) {
  if (per_second >= 10) return fmt::format("{:.0f}/s", per_second);
  if (per_second >= 1) return fmt::format("{:.1f}/s", per_second);
  return fmt::format("{:.1f}/min", per_second * 60);
}

}  // namespace

void Progress::update(std::size_t done, std::size_t total, bool failed) {
  failed_ += failed ? 1U : 0U;
  if (!before_) before_ = done - std::min<std::size_t>(done, 1);
  draw(done, total, "");
}

void Progress::show(std::size_t done, std::size_t total, std::size_t failed,
                    const std::string& details) {
  failed_ = failed;
  if (!before_) before_ = done;
  draw(done, total, details);
}

void Progress::draw(std::size_t done, std::size_t total, const std::string& details) {
  const auto now = Clock::now();
  if (!visible_ || (done < total && now - last_drawn_ < between_drawings)) return;
  last_drawn_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double rate = static_cast<double>(done - *before_) / std::max(seconds, 1e-9);
  const std::size_t filled = bar_width * done / std::max<std::size_t>(total, 1);
  stream_ << report::clear_line
          << fmt::format("[{}{}]  {}/{}  {}{}{}{}", std::string(filled, '#'),
                         std::string(bar_width - filled, '-'), done, total, speed(rate),
                         rate > 0 ? "  " + time_left(static_cast<double>(total - done) / rate) : "",
                         failed_ != 0 ? fmt::format("  {} failed", failed_) : "",
                         details.empty() ? "" : "  " + details)
          << std::flush;
}

void Progress::clear() {
  if (drawn_) stream_ << report::clear_line << std::flush;
  drawn_ = false;
}

}  // namespace assay::cli
