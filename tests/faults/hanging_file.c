// SPDX-License-Identifier: Apache-2.0
/// A file that hangs, as one of a network file system does: loaded before a program (LD_PRELOAD),
/// it lets whoever opens a path that ends with $HANGING_FILE wait for as long as $HANGING_HOLD
/// exists. A file of that name with ".waits" added says that somebody waits.
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends_with(const char* text, const char* end) {
  const size_t all = strlen(text), part = strlen(end);
  return part <= all && strcmp(text + all - part, end) == 0;
}

static int open_truly(const char* path, int flags, int mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void hang(const char* path) {
  const char* const file = getenv("HANGING_FILE");
  const char* const hold = getenv("HANGING_HOLD");
  char waits[PATH_MAX];
  if (file == NULL || hold == NULL || !ends_with(path, file)) return;
  snprintf(waits, sizeof waits, "%s.waits", hold);
  for (; access(hold, F_OK) == 0; usleep(10000)) {
    const int sign = open_truly(waits, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (sign >= 0) close(sign);
  }
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);  // whatever is there, when there is none
  va_end(rest);
  hang(path);
  return open_truly(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));
