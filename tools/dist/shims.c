// SPDX-License-Identifier: Apache-2.0
/// What GCC 12's C++ library takes from glibc and glibc 2.28 does not have. Hidden: nothing else
/// sees these.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

/// Since 2.32. "Perhaps there are threads" is always right.
HIDDEN char __libc_single_threaded = 0;

/// Since 2.36.
HIDDEN uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getentropy(&value, sizeof value) != 0) abort();
  return value;
}

typedef int (*Clockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);

/// Since 2.30, and taken from there when the machine has it. Else the time that is left, by the
/// clock that pthread_cond_timedwait knows.
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  clockid_t clock, const struct timespec* end) {
  const Clockwait own = (Clockwait)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (own != NULL) return own(condition, mutex, clock, end);
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  const int64_t second = 1000000000;
  int64_t left = (end->tv_sec - now.tv_sec) * second + end->tv_nsec - now.tv_nsec;
  if (left < 0) left = 0;
  const int64_t nanoseconds = real.tv_nsec + left % second;
  real.tv_sec += left / second + nanoseconds / second;
  real.tv_nsec = nanoseconds % second;
  return pthread_cond_timedwait(condition, mutex, &real);
}
