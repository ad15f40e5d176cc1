/* Keeps what tests delete or overwrite, so that it can be looked at afterwards.
 *
 * Loaded into test processes by `cargo xtask test`. A file below $OPENCLAW_LEFTOVERS/tmp that is removed, or replaced by
 * a rename, gets a second name in $OPENCLAW_LEFTOVERS/kept first. Everything else is left alone. Linux only. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint counter;

/* The whole path of `path`, which may be relative to the folder `folder`. */
static int whole_path(int folder, const char *path, char *whole) {
    char link[64], start[PATH_MAX];
    ssize_t length = 0;
    if (path[0] == '/')
        return snprintf(whole, PATH_MAX, "%s", path) < PATH_MAX;
    if (folder == AT_FDCWD)
        return getcwd(start, sizeof start) && snprintf(whole, PATH_MAX, "%s/%s", start, path) < PATH_MAX;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    length = readlink(link, start, sizeof start - 1);
    if (length <= 0)
        return 0;
    start[length] = 0;
    return snprintf(whole, PATH_MAX, "%s/%s", start, path) < PATH_MAX;
}

static void keep(int folder, const char *path) {
    const char *root = getenv("OPENCLAW_LEFTOVERS");
    char whole[PATH_MAX], below[PATH_MAX], kept[PATH_MAX];
    struct stat found;
    int before = errno;
    if (root && path && whole_path(folder, path, whole) && snprintf(below, sizeof below, "%s/tmp/", root) < PATH_MAX &&
        strncmp(whole, below, strlen(below)) == 0 && lstat(whole, &found) == 0 && S_ISREG(found.st_mode) &&
        found.st_size > 0) {
        const char *name = strrchr(whole, '/') + 1;
        unsigned number = atomic_fetch_add(&counter, 1);
        if (snprintf(kept, sizeof kept, "%s/kept/%d-%u-%.200s", root, (int)getpid(), number, name) < PATH_MAX)
            linkat(AT_FDCWD, whole, AT_FDCWD, kept, 0);
    }
    errno = before;
}

int unlink(const char *path) {
    keep(AT_FDCWD, path);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char *path, int flags) {
    if (!(flags & AT_REMOVEDIR))
        keep(folder, path);
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}

int rename(const char *from, const char *to) {
    keep(AT_FDCWD, to);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    keep(to_folder, to);
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}
