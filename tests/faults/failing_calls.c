/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the n-th call of a kind fail: LD_PRELOAD=libfailing_calls.so. Calls count from the start of main, so what the
 * dynamic loader and static initialisers do is never disturbed. Children of the program are not disturbed either.
 *
 *   FAIL_CALL    open, read, write, sync, rename, map, close, lock, thread or alloc; absent: nothing fails
 *   FAIL_NTH     which of them, from 1
 *   FAIL_ONWARD  1: that one and all later ones; otherwise that one only
 *   FAIL_HOW     error (default); short: half of the bytes; interrupted: EINTR; torn: half of the bytes, then the error;
 *                limit: a thread is refused while FAIL_NTH - 1 others run, as a limit on processes does
 *   FAIL_ERROR   ENOSPC, EIO, EMFILE, ENOMEM, EAGAIN, EACCES, ENOLCK or EOPNOTSUPP (default: EIO)
 *   FAIL_BELOW   only files below this folder count (an absolute path); for threads and memory it means nothing
 *   FAIL_SPARES  libraries whose allocations do not count, as beginnings of file names: "libcrypto libglib"
 *   FAIL_ONLY    libraries whose allocations alone count, likewise; they are not spared
 *   FAIL_COUNTS  a file that gets a line "failed KIND" when a call is made to fail, and "KIND COUNT" lines at the end
 *
 * Calls that glibc makes inside itself (fopen, opendir) do not pass here. A close that fails has closed the file, as on
 * Linux. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { k_open, k_read, k_write, k_sync, k_rename, k_map, k_close, k_lock, k_thread, k_alloc, kinds };
static const char* const kind_names[kinds] = {"open",  "read",  "write", "sync",   "rename",
                                              "map",   "close", "lock",  "thread", "alloc"};
enum how { how_error, how_short, how_interrupted, how_torn, how_limit, hows };
static const char* const how_names[] = {"error", "short", "interrupted", "torn", "limit"};
static const struct {
  const char* name;
  int number;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EMFILE", EMFILE},
              {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EACCES", EACCES},
              {"ENOLCK", ENOLCK}, {"EOPNOTSUPP", EOPNOTSUPP}};

static atomic_int counting;
static atomic_long counts[kinds];
static atomic_int tears[1024]; /* descriptors whose next write fails */
static int failing = -1, onward, how = how_error, error_number = EIO, counts_file = -1;
static long nth;
static char below[PATH_MAX], spares[256], only[256];
static size_t below_size;

/* Straight to the kernel: what the shim does itself does not count. */
static void say(const char* text, long number) {
  char line[64];
  int size = number < 0 ? snprintf(line, sizeof line, "failed %s\n", text)
                        : snprintf(line, sizeof line, "%s %ld\n", text, number);
  if (counts_file >= 0) syscall(SYS_write, counts_file, line, (size_t)size);
}

static int is_below(const char* path) {
  return below_size == 0 || (strncmp(path, below, below_size) == 0 &&
                             (path[below_size] == '/' || path[below_size] == 0));
}

static int path_counts(const char* path) {
  char whole[2 * PATH_MAX];
  if (!atomic_load(&counting)) return 0;
  if (path[0] == '/') return is_below(path);
  if (syscall(SYS_getcwd, whole, (size_t)PATH_MAX) < 0) return 0;
  strcat(whole, "/");
  strncat(whole, path, PATH_MAX - 1);
  return is_below(whole);
}

static int file_counts(int file) {
  char link[64], path[PATH_MAX];
  if (!atomic_load(&counting) || file < 0 || file == counts_file) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long size = syscall(SYS_readlink, link, path, sizeof path - 1);
  if (size <= 0 || path[0] != '/') return 0; /* a pipe or a socket */
  path[size] = 0;
  return is_below(path);
}

/* Whether this call of that kind is to fail. */
static int falls(enum kind kind) {
  long count = atomic_fetch_add(&counts[kind], 1) + 1;
  if ((int)kind != failing || (onward ? count < nth : count != nth)) return 0;
  if (!onward || count == nth) say(kind_names[kind], -1);
  return 1;
}

static long fails_with(int number) {
  errno = number;
  return -1;
}
static int plain_error(void) { return how == how_interrupted ? EINTR : error_number; }

/* The bytes that a read or a write is left with: all of them, half of them, or none (errno is set). */
static size_t left_of(enum kind kind, int file, size_t size) {
  if (kind == k_write && file >= 0 && file < 1024 && atomic_exchange(&tears[file], 0)) {
    errno = error_number;
    return 0;
  }
  if (size == 0 || !file_counts(file) || !falls(kind)) return size;
  if (how == how_torn && file < 1024) atomic_store(&tears[file], 1);
  if ((how == how_short || how == how_torn) && size > 1) return size / 2;
  if (how == how_short) return size;
  errno = plain_error();
  return 0;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);
  va_end(rest);
  if (path_counts(path) && falls(k_open)) return (int)fails_with(plain_error());
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);
  va_end(rest);
  const int counts_here = path[0] == '/' || folder == AT_FDCWD ? path_counts(path) : file_counts(folder);
  if (counts_here && falls(k_open)) return (int)fails_with(plain_error());
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

ssize_t read(int file, void* bytes, size_t size) {
  const size_t left = left_of(k_read, file, size);
  return size != 0 && left == 0 ? -1 : syscall(SYS_read, file, bytes, left);
}
ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  const size_t left = left_of(k_read, file, size);
  return size != 0 && left == 0 ? -1 : syscall(SYS_pread64, file, bytes, left, at);
}
ssize_t pread64(int file, void* bytes, size_t size, off_t at) __attribute__((alias("pread")));

ssize_t write(int file, const void* bytes, size_t size) {
  const size_t left = left_of(k_write, file, size);
  return size != 0 && left == 0 ? -1 : syscall(SYS_write, file, bytes, left);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  const size_t left = left_of(k_write, file, size);
  return size != 0 && left == 0 ? -1 : syscall(SYS_pwrite64, file, bytes, left, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at) __attribute__((alias("pwrite")));

/* The standard library's file streams write with it. Half of it is its first piece. */
ssize_t writev(int file, const struct iovec* pieces, int count) {
  const size_t left = left_of(k_write, file, 2);
  if (left == 0) return -1;
  return left == 2 ? syscall(SYS_writev, file, pieces, count)
                   : syscall(SYS_write, file, pieces->iov_base, pieces->iov_len);
}

int fsync(int file) {
  if (file_counts(file) && falls(k_sync)) return (int)fails_with(plain_error());
  return (int)syscall(SYS_fsync, file);
}
int fdatasync(int file) {
  if (file_counts(file) && falls(k_sync)) return (int)fails_with(plain_error());
  return (int)syscall(SYS_fdatasync, file);
}

int rename(const char* from, const char* to) {
  if (path_counts(to) && falls(k_rename)) return (int)fails_with(plain_error());
  return (int)syscall(SYS_rename, from, to);
}

void* mmap(void* at, size_t size, int allowed, int flags, int file, off_t offset) {
  if (file_counts(file) && falls(k_map)) {
    errno = plain_error();
    return MAP_FAILED;
  }
  return (void*)syscall(SYS_mmap, at, size, allowed, flags, file, offset);
}
void* mmap64(void* at, size_t size, int allowed, int flags, int file, off_t offset) __attribute__((alias("mmap")));

int close(int file) {
  const int fails = file_counts(file) && falls(k_close);
  if (file >= 0 && file < 1024) atomic_store(&tears[file], 0);
  const int status = (int)syscall(SYS_close, file);
  return fails ? (int)fails_with(plain_error()) : status;
}

int flock(int file, int operation) {
  if (file_counts(file) && falls(k_lock)) return (int)fails_with(plain_error());
  return (int)syscall(SYS_flock, file, operation);
}

void* __libc_malloc(size_t);
void __libc_free(void*);

static atomic_long threads_running;
struct thread_start {
  void* (*work)(void*);
  void* argument;
};
static void* counted_thread(void* given) {
  const struct thread_start start = *(struct thread_start*)given;
  __libc_free(given);
  void* result = start.work(start.argument);
  atomic_fetch_sub(&threads_running, 1);
  return result;
}

typedef int thread_starter(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static thread_starter* real_pthread_create;

static int thread_is_refused(void) {
  if (!atomic_load(&counting)) return 0;
  if (failing != k_thread || how != how_limit) return falls(k_thread);
  atomic_fetch_add(&counts[k_thread], 1);
  if (atomic_load(&threads_running) < nth - 1) return 0;
  say(kind_names[k_thread], -1);
  return 1;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* settings, void* (*work)(void*), void* argument) {
  if (thread_is_refused()) return EAGAIN;
  struct thread_start* start = __libc_malloc(sizeof *start);
  if (start == NULL) return EAGAIN;
  *start = (struct thread_start){work, argument};
  atomic_fetch_add(&threads_running, 1);
  const int status = real_pthread_create(thread, settings, counted_thread, start);
  if (status != 0) atomic_fetch_sub(&threads_running, 1);
  return status;
}

void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static int begins_with_one_of(const char* name, const char* words) {
  for (const char* word = words; *word != 0; word += strspn(word, " ")) {
    const size_t size = strcspn(word, " ");
    if (strncmp(name, word, size) == 0) return 1;
    word += size;
  }
  return 0;
}

/* By the library that the caller is in. */
static int is_in_spared_library(void* caller) {
  Dl_info found;
  if (dladdr(caller, &found) == 0 || found.dli_fname == NULL) return only[0] != 0;
  const char* slash = strrchr(found.dli_fname, '/');
  const char* name = slash == NULL ? found.dli_fname : slash + 1;
  return only[0] != 0 ? !begins_with_one_of(name, only) : begins_with_one_of(name, spares);
}

/* The same; asking the loader each time would take most of the time of a run. */
static int is_spared(void* caller) {
  static _Atomic(uintptr_t) known[8192]; /* addresses times two, plus the answer */
  if (spares[0] == 0 && only[0] == 0) return 0;
  const uintptr_t address = (uintptr_t)caller;
  _Atomic(uintptr_t)* const place = &known[address * 2654435761U % 8192];
  const uintptr_t found = atomic_load_explicit(place, memory_order_relaxed);
  if (found >> 1 == address) return (int)(found & 1);
  const int answer = is_in_spared_library(caller);
  atomic_store_explicit(place, address << 1 | (uintptr_t)answer, memory_order_relaxed);
  return answer;
}

static int no_memory(void* caller) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed) || is_spared(caller) || !falls(k_alloc))
    return 0;
  errno = ENOMEM;
  return 1;
}
#define NO_MEMORY no_memory(__builtin_return_address(0))
void* malloc(size_t size) { return NO_MEMORY ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return NO_MEMORY ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return NO_MEMORY ? NULL : __libc_realloc(old, size); }
void* memalign(size_t step, size_t size) { return NO_MEMORY ? NULL : __libc_memalign(step, size); }
void* aligned_alloc(size_t step, size_t size) {
  return NO_MEMORY ? NULL : __libc_memalign(step, size);
}
int posix_memalign(void** out, size_t step, size_t size) {
  void* got = NO_MEMORY ? NULL : __libc_memalign(step, size);
  if (got == NULL) return ENOMEM;
  *out = got;
  return 0;
}

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value == NULL ? "" : value;
}

static int place_in(const char* const* names, int count, const char* name) {
  for (int i = 0; i < count; ++i)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

__attribute__((constructor)) static void read_settings(void) {
  unsetenv("LD_PRELOAD"); /* children run undisturbed */
  real_pthread_create = (thread_starter*)dlsym(RTLD_NEXT, "pthread_create");
  failing = place_in(kind_names, kinds, setting("FAIL_CALL"));
  how = place_in(how_names, hows, setting("FAIL_HOW"));
  if (how < 0) how = how_error;
  nth = atol(setting("FAIL_NTH"));
  onward = strcmp(setting("FAIL_ONWARD"), "1") == 0;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (strcmp(errors[i].name, setting("FAIL_ERROR")) == 0) error_number = errors[i].number;
  strncpy(below, setting("FAIL_BELOW"), sizeof below - 1);
  below_size = strlen(below);
  strncpy(spares, setting("FAIL_SPARES"), sizeof spares - 1);
  strncpy(only, setting("FAIL_ONLY"), sizeof only - 1);
  if (setting("FAIL_COUNTS")[0] != 0)
    counts_file = (int)syscall(SYS_openat, AT_FDCWD, setting("FAIL_COUNTS"),
                               O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

__attribute__((destructor)) static void tell_counts(void) {
  for (int i = 0; i < kinds; ++i) say(kind_names[i], atomic_load(&counts[i]));
}

typedef int main_function(int, char**, char**);
static main_function* real_main;
static int main_that_counts(int count, char** words, char** surroundings) {
  atomic_store(&counting, 1);
  return real_main(count, words, surroundings);
}

int __libc_start_main(main_function* program, int count, char** words, void (*start)(void), void (*end)(void),
                      void (*loader_end)(void), void* stack) {
  typedef int starter(main_function*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  starter* const real = (starter*)dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = program;
  return real(main_that_counts, count, words, start, end, loader_end, stack);
}
