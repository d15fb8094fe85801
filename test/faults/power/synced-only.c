// Loaded before the C library: copies every file below FAULTS_PROFILE to the same place below FAULTS_SHADOW whenever it is synced, and does there
// what is renamed and deleted here. What lies in the shadow is what a machine would have on its disk had the power gone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *profile(void) { return getenv("FAULTS_PROFILE"); }

// The place in the shadow of a path, when it lies below the profile.
static int shadow_of(const char *path, char *into) {
  const char *from = profile(), *to = getenv("FAULTS_SHADOW");
  if (!from || !to || !path || strncmp(path, from, strlen(from)) != 0) return 0;
  return snprintf(into, PATH_MAX, "%s%s", to, path + strlen(from)) < PATH_MAX;
}

static void make_folders(char *path) {
  for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    mkdir(path, 0700);
    *at = '/';
  }
}

// A copy takes its place at once, so that a kill leaves the old one or the new one.
static void keep(int fd) {
  char link[64], path[PATH_MAX], target[PATH_MAX], part[PATH_MAX + 64], buffer[65536];
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  if (!shadow_of(path, target)) return;
  make_folders(target);
  snprintf(part, sizeof part, "%s.part-%d-%ld", target, getpid(), (long)syscall(SYS_gettid));
  int from = open(path, O_RDONLY | O_CLOEXEC), to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (from >= 0 && to >= 0) {
    ssize_t count;
    while ((count = read(from, buffer, sizeof buffer)) > 0) if (write(to, buffer, count) != count) break;
    syscall(SYS_rename, part, target);
  }
  if (from >= 0) close(from);
  if (to >= 0) close(to);
}

static void moved(const char *from, const char *to) {
  char old[PATH_MAX], new[PATH_MAX];
  if (!shadow_of(from, old) || !shadow_of(to, new)) return;
  make_folders(new);
  syscall(SYS_rename, old, new);
}

static void gone(const char *path) {
  char target[PATH_MAX];
  if (shadow_of(path, target)) syscall(SYS_unlink, target);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd) { int done = REAL(fsync)(fd); if (done == 0) keep(fd); return done; }
int fdatasync(int fd) { int done = REAL(fdatasync)(fd); if (done == 0) keep(fd); return done; }
int rename(const char *from, const char *to) { int done = REAL(rename)(from, to); if (done == 0) moved(from, to); return done; }
int renameat(int a, const char *from, int b, const char *to) { int done = REAL(renameat)(a, from, b, to); if (done == 0) moved(from, to); return done; }
int unlink(const char *path) { int done = REAL(unlink)(path); if (done == 0) gone(path); return done; }
