// SPDX-License-Identifier: Apache-2.0
/// A clock that runs fast: loaded before a program (LD_PRELOAD), it makes $FAST_CLOCK seconds pass
/// in each real one, for whoever asks for the time and for whoever waits. Hours of a run with its
/// retries, time-outs and limits per minute take minutes, and the program is not changed.
///
/// $FAST_CLOCK_SINCE: the two clocks (real time, monotonic; in ns) at the start, so that several
/// programs agree about the time. Built by the tests: c++ -shared -fPIC -o fast_clock.so this file.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

using Nanoseconds = long long;
constexpr Nanoseconds second = 1'000'000'000;

timespec spec_of(Nanoseconds ns) {
  return {static_cast<time_t>(ns / second), static_cast<long>(ns % second)};
}

Nanoseconds ns_of(const timespec& time) {
  return time.tv_sec * second + time.tv_nsec;
}

Nanoseconds true_time(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  return ns_of(now);
}

struct Speed {
  Nanoseconds factor = 1, since_real = 0, since_monotonic = 0;

  Speed() {
    if (const char* text = std::getenv("FAST_CLOCK")) factor = std::max(1LL, std::atoll(text));
    const char* since = std::getenv("FAST_CLOCK_SINCE");
    if (since == nullptr || std::sscanf(since, "%lld %lld", &since_real, &since_monotonic) != 2) {
      since_real = true_time(CLOCK_REALTIME);
      since_monotonic = true_time(CLOCK_MONOTONIC);
    }
  }

  static bool is_wall(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || is_steady(clock);
  }
  static bool is_steady(clockid_t clock) {
    return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
           clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
  }
  Nanoseconds since(clockid_t clock) const {
    return is_steady(clock) ? since_monotonic : since_real;
  }
  Nanoseconds shown(clockid_t clock) const {
    return since(clock) + (true_time(clock) - since(clock)) * factor;
  }
  /// The true time at which the clock shows `time`; rounded up, so that nobody wakes too early.
  timespec true_of(clockid_t clock, const timespec& time) const {
    const Nanoseconds passed = ns_of(time) - since(clock);
    return spec_of(since(clock) + (passed + factor - 1) / factor);
  }
  timespec shortened(const timespec& wait) const {
    return spec_of((ns_of(wait) + factor - 1) / factor);
  }
  int shortened_ms(int wait) const {
    return wait <= 0 ? wait : std::max(1, static_cast<int>(wait / factor));
  }
};

const Speed& speed() {
  static const Speed the_speed;
  return the_speed;
}

template <class Function>
Function next(const char* name, const char* version) {
  return reinterpret_cast<Function>(::dlvsym(RTLD_NEXT, name, version));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* to) noexcept {
  if (!Speed::is_wall(clock)) return static_cast<int>(::syscall(SYS_clock_gettime, clock, to));
  *to = spec_of(speed().shown(clock));
  return 0;
}

int gettimeofday(timeval* to, void*) noexcept {
  const Nanoseconds now = speed().shown(CLOCK_REALTIME);
  *to = {static_cast<time_t>(now / second), static_cast<suseconds_t>(now % second / 1000)};
  return 0;
}

time_t time(time_t* to) noexcept {
  const auto now = static_cast<time_t>(speed().shown(CLOCK_REALTIME) / second);
  if (to != nullptr) *to = now;
  return now;
}

int nanosleep(const timespec* wait, timespec* left) {
  const timespec shorter = speed().shortened(*wait);
  const int result = static_cast<int>(::syscall(SYS_nanosleep, &shorter, left));
  if (result != 0 && left != nullptr) *left = spec_of(ns_of(*left) * speed().factor);
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* wait, timespec* left) {
  const timespec real =
      flags == TIMER_ABSTIME ? speed().true_of(clock, *wait) : speed().shortened(*wait);
  const int result = static_cast<int>(::syscall(SYS_clock_nanosleep, clock, flags, &real, left));
  return result == 0 ? 0 : errno;
}

int poll(pollfd* watched, nfds_t count, int wait) {
  return static_cast<int>(::syscall(SYS_poll, watched, count, speed().shortened_ms(wait)));
}

int __poll_chk(pollfd* watched, nfds_t count, int wait, size_t) {
  return poll(watched, count, wait);
}

int epoll_wait(int file, epoll_event* events, int most, int wait) {
  return static_cast<int>(
      ::syscall(SYS_epoll_pwait, file, events, most, speed().shortened_ms(wait), nullptr, 8));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  static const auto wait =
      next<decltype(&pthread_cond_timedwait)>("pthread_cond_timedwait", "GLIBC_2.3.2");
  const timespec real = speed().true_of(CLOCK_REALTIME, *until);
  return wait(condition, mutex, &real);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  static auto wait =
      next<decltype(&pthread_cond_clockwait)>("pthread_cond_clockwait", "GLIBC_2.34");
  if (wait == nullptr)
    wait = next<decltype(&pthread_cond_clockwait)>("pthread_cond_clockwait", "GLIBC_2.30");
  const timespec real = speed().true_of(clock, *until);
  return wait(condition, mutex, clock, &real);
}

}  // extern "C"
