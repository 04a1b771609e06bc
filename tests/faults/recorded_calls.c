/* SPDX-License-Identifier: Apache-2.0
 * Records what a program does to the files below one folder, and when it speaks to others, so that
 * tests/power_cuts.py can work out what a power cut at any moment would have left on the disk.
 *
 * Preloaded (LD_PRELOAD). ASSAY_RECORD_FOLDER is the folder, ASSAY_RECORD_LOG the file that the
 * records are appended to. A record is a line of words, followed by `length` bytes where the last
 * word is a length:
 *
 *   create INODE PATH            a file that did not exist
 *   write INODE OFFSET LENGTH    then the bytes
 *   size INODE SIZE              the file was made shorter or longer
 *   sync INODE                   the content of a file, or the names in a folder
 *   rename FROM TO, link FROM TO, unlink PATH, mkdir INODE PATH, rmdir PATH
 *   say LENGTH                   then what was written to standard output or standard error
 *   send LENGTH                  something was sent through a socket
 *
 * Paths are absolute, with spaces and other odd bytes as %XX. One call is recorded at a time, after
 * it succeeded, so the order of the records is the order of the calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

static void put(const void *bytes, size_t length) {
  static int log_file = -2;
  if (log_file == -2) {
    const char *path = getenv("ASSAY_RECORD_LOG");
    log_file = path == NULL ? -1
                            : (int)syscall(SYS_openat, AT_FDCWD, path,
                                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  const char *at = bytes;
  while (log_file >= 0 && length > 0) {
    const long written = syscall(SYS_write, log_file, at, length);
    if (written <= 0) abort();
    at += written;
    length -= (size_t)written;
  }
}

static void record(const char *format, ...) {
  char line[4 * PATH_MAX];
  va_list rest;
  va_start(rest, format);
  const int length = vsnprintf(line, sizeof line, format, rest);
  va_end(rest);
  if (length < 0 || (size_t)length >= sizeof line) abort();
  put(line, (size_t)length);
}

/* The absolute path with its folder's links resolved, escaped; NULL if it is not below the folder
 * that is watched. */
static const char *watched(int folder, const char *path, char out[3 * PATH_MAX]) {
  const char *root = getenv("ASSAY_RECORD_FOLDER");
  if (root == NULL || getenv("ASSAY_RECORD_LOG") == NULL) return NULL;
  char whole[2 * PATH_MAX] = "", above[PATH_MAX];
  if (path[0] != '/') {
    char link[64];
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    const ssize_t length = readlink(link, whole, PATH_MAX - 1);
    if (length < 0) return NULL;
    whole[length] = '/';
    whole[length + 1] = '\0';
  }
  strncat(whole, path, PATH_MAX - 1);
  size_t end = strlen(whole);
  while (end > 1 && whole[end - 1] == '/') whole[--end] = '\0';
  char *name = strrchr(whole, '/');
  if (name == NULL) return NULL;
  *name++ = '\0';
  if (realpath(whole[0] == '\0' ? "/" : whole, above) == NULL) return NULL;
  const size_t length = strlen(root);
  char full[2 * PATH_MAX];
  if (strcmp(name, ".") == 0)
    snprintf(full, sizeof full, "%s", above);
  else
    snprintf(full, sizeof full, "%s/%s", strcmp(above, "/") == 0 ? "" : above, name);
  if (strncmp(full, root, length) != 0 || (full[length] != '/' && full[length] != '\0'))
    return NULL;
  char *to = out;
  for (const char *c = full; *c != '\0'; ++c)
    if ((unsigned char)*c <= ' ' || *c == '%' || (unsigned char)*c >= 127)
      to += sprintf(to, "%%%02X", (unsigned char)*c);
    else
      *to++ = *c;
  *to = '\0';
  return out;
}

/* The inode of an open file or folder below the watched folder; 0 for all others. */
static unsigned long inode_of(int file) {
  char link[64], path[PATH_MAX], room[3 * PATH_MAX];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/' || fstat(file, &status) != 0 ||
      !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
    return 0;
  path[length] = '\0';
  return watched(AT_FDCWD, path, room) == NULL ? 0 : (unsigned long)status.st_ino;
}

static int record_open(int folder, const char *path, int flags, mode_t mode) {
  char room[3 * PATH_MAX];
  struct stat status;
  pthread_mutex_lock(&mutex);
  const char *name = (flags & (O_CREAT | O_TRUNC)) != 0 ? watched(folder, path, room) : NULL;
  const int existed = name != NULL && fstatat(folder, path, &status, 0) == 0;
  const int file = (int)syscall(SYS_openat, folder, path, flags, mode);
  const int error = errno;
  if (file >= 0 && name != NULL && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    if (!existed) record("create %lu %s\n", (unsigned long)status.st_ino, name);
    if (existed && (flags & O_TRUNC) != 0) record("size %lu 0\n", (unsigned long)status.st_ino);
  }
  pthread_mutex_unlock(&mutex);
  errno = error;
  return file;
}

static mode_t mode_in(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

#define OPENS(name)                              \
  int name(const char *path, int flags, ...) {   \
    va_list rest;                                \
    va_start(rest, flags);                       \
    const mode_t mode = mode_in(flags, rest);    \
    va_end(rest);                                \
    return record_open(AT_FDCWD, path, flags, mode); \
  }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                     \
  int name(int folder, const char *path, int flags, ...) { \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    const mode_t mode = mode_in(flags, rest);              \
    va_end(rest);                                          \
    return record_open(folder, path, flags, mode);         \
  }
OPENS_AT(openat)
OPENS_AT(openat64)

static void record_write(unsigned long inode, long long offset, const void *bytes, ssize_t length) {
  record("write %lu %lld %zd\n", inode, offset, length);
  put(bytes, (size_t)length);
}

ssize_t write(int file, const void *bytes, size_t length) {
  pthread_mutex_lock(&mutex);
  const unsigned long inode = inode_of(file);
  struct stat status = {0};
  long long offset = 0;
  if (inode != 0) {
    fstat(file, &status);
    offset = (fcntl(file, F_GETFL) & O_APPEND) != 0 ? status.st_size : lseek(file, 0, SEEK_CUR);
  }
  const ssize_t written = syscall(SYS_write, file, bytes, length);
  const int error = errno;
  if (written > 0 && inode != 0) record_write(inode, offset, bytes, written);
  if (written > 0 && (file == 1 || file == 2)) {
    record("say %zd\n", written);
    put(bytes, (size_t)written);
  }
  pthread_mutex_unlock(&mutex);
  errno = error;
  return written;
}

#define PWRITES(name)                                                            \
  ssize_t name(int file, const void *bytes, size_t length, off_t offset) {       \
    pthread_mutex_lock(&mutex);                                                  \
    const unsigned long inode = inode_of(file);                                  \
    const ssize_t written = syscall(SYS_pwrite64, file, bytes, length, offset);  \
    const int error = errno;                                                     \
    if (written > 0 && inode != 0) record_write(inode, offset, bytes, written);  \
    pthread_mutex_unlock(&mutex);                                                \
    errno = error;                                                               \
    return written;                                                              \
  }
PWRITES(pwrite)
PWRITES(pwrite64)

static int recorded(int done, int about, const char *format, ...) {
  const int error = errno;
  char line[8 * PATH_MAX];
  if (done == 0 && about) {
    va_list rest;
    va_start(rest, format);
    const int length = vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    put(line, (size_t)length);
  }
  pthread_mutex_unlock(&mutex);
  errno = error;
  return done;
}

#define TRUNCATES(name)                                                                 \
  int name(int file, off_t size) {                                                      \
    pthread_mutex_lock(&mutex);                                                         \
    const unsigned long inode = inode_of(file);                                         \
    return recorded((int)syscall(SYS_ftruncate, file, size), inode != 0, "size %lu %lld\n", \
                    inode, (long long)size);                                            \
  }
TRUNCATES(ftruncate)
TRUNCATES(ftruncate64)

#define SYNCS(name, number)                                                              \
  int name(int file) {                                                                   \
    pthread_mutex_lock(&mutex);                                                          \
    const unsigned long inode = inode_of(file);                                          \
    return recorded((int)syscall(number, file), inode != 0, "sync %lu\n", inode);        \
  }
SYNCS(fsync, SYS_fsync)
SYNCS(fdatasync, SYS_fdatasync)

static int record_pair(const char *what, int number, int from_folder, const char *from,
                       int to_folder, const char *to) {
  char room[2][3 * PATH_MAX];
  pthread_mutex_lock(&mutex);
  const char *one = watched(from_folder, from, room[0]), *other = watched(to_folder, to, room[1]);
  const long done = number == SYS_linkat ? syscall(number, from_folder, from, to_folder, to, 0)
                                         : syscall(number, from_folder, from, to_folder, to);
  return recorded((int)done, one != NULL && other != NULL, "%s %s %s\n", what,
                  one == NULL ? "" : one, other == NULL ? "" : other);
}

int rename(const char *from, const char *to) {
  return record_pair("rename", SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return record_pair("rename", SYS_renameat, from_folder, from, to_folder, to);
}
int link(const char *from, const char *to) {
  return record_pair("link", SYS_linkat, AT_FDCWD, from, AT_FDCWD, to);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  (void)flags;
  return record_pair("link", SYS_linkat, from_folder, from, to_folder, to);
}

static int record_removal(int folder, const char *path, int flags) {
  char room[3 * PATH_MAX];
  pthread_mutex_lock(&mutex);
  const char *name = watched(folder, path, room);
  return recorded((int)syscall(SYS_unlinkat, folder, path, flags), name != NULL, "%s %s\n",
                  (flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", name == NULL ? "" : name);
}

int unlink(const char *path) {
  return record_removal(AT_FDCWD, path, 0);
}
int unlinkat(int folder, const char *path, int flags) {
  return record_removal(folder, path, flags);
}
int rmdir(const char *path) {
  return record_removal(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char *path) {
  struct stat status;
  const int is_folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return record_removal(AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}

static int record_mkdir(int folder, const char *path, mode_t mode) {
  char room[3 * PATH_MAX];
  struct stat status = {0};
  pthread_mutex_lock(&mutex);
  const char *name = watched(folder, path, room);
  const int done = (int)syscall(SYS_mkdirat, folder, path, mode);
  if (done == 0) fstatat(folder, path, &status, 0);
  return recorded(done, name != NULL, "mkdir %lu %s\n", (unsigned long)status.st_ino,
                  name == NULL ? "" : name);
}

int mkdir(const char *path, mode_t mode) {
  return record_mkdir(AT_FDCWD, path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) {
  return record_mkdir(folder, path, mode);
}

/* The bytes do not matter: what counts is what had to be on the disk by then. */
ssize_t send(int socket, const void *bytes, size_t length, int flags) {
  pthread_mutex_lock(&mutex);
  if (getenv("ASSAY_RECORD_FOLDER") != NULL) {
    record("send %zu\n", length);
    put(bytes, length);
  }
  pthread_mutex_unlock(&mutex);
  return REAL(send)(socket, bytes, length, flags);
}
