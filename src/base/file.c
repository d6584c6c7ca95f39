/* SPDX-License-Identifier: MIT */
/* file.c - see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, N_DIGITS = 8, N_TRIES = 100, MAX_UNFINISHED = 64 };

struct hd_file {
    FILE *out;
    int fd, error; /* errno of what failed first */
    int entry;     /* in `unfinished`, or -1 */
    uint64_t n_bytes;
    char *name;  /* for error sentences: the caller's path */
    char *place; /* the file to replace: `name` without links; NULL: write through */
    char *temp;  /* PATH.tmp and digits */
    char buffer[BUFFER_BYTES];
    char text[];
};

/* ---- unfinished files, for a signal handler --------------------------------------------------------------------------- */

typedef enum entry_state { FREE, TAKEN, LISTED, REMOVING, REMOVED } entry_state;
static struct {
    uint32_t state;
    const char *temp;
} unfinished[MAX_UNFINISHED];

static int change(int i, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&unfinished[i].state, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void set(int i, uint32_t to) { __atomic_store_n(&unfinished[i].state, to, __ATOMIC_RELEASE); }

static int list_temp(const char *temp)
{
    for (int i = 0; i < MAX_UNFINISHED; i++)
        if (change(i, FREE, TAKEN)) {
            unfinished[i].temp = temp;
            set(i, LISTED);
            return i;
        }
    return -1;
}

/* Afterwards the name may be freed: no thread reads it any more. */
static void unlist(int i)
{
    if (i < 0)
        return;
    while (!change(i, LISTED, FREE) && !change(i, REMOVED, FREE))
        ; /* another thread is removing the file */
}

void hd_files_discard(void)
{
    int saved = errno;
    for (int i = 0; i < MAX_UNFINISHED; i++)
        if (change(i, LISTED, REMOVING)) {
            unlink(unfinished[i].temp);
            set(i, REMOVED);
        }
    errno = saved;
}

/* ---- what exists under a path ----------------------------------------------------------------------------------------- */

/* The program's own descriptor that a path names, or -1. A second open would start at offset 0 of the file that receives the
 * program's output, which would overwrite it. */
static int own_fd(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (size_t i = 0; i < 2; i++) {
        const size_t n = strlen(folders[i]);
        char *end;
        long fd = strncmp(path, folders[i], n) ? -1 : strtol(path + n, &end, 10);
        if (fd >= 0 && fd <= INT_MAX && end > path + n && !*end)
            return (int)fd;
    }
    return -1;
}

/* 1: a file can be put there. *place is the file to replace, without links, from malloc; *mode its permissions, 0 if there is
 * none. 0: the existing object is written through. -1: neither; errno has the reason. */
static int look(const char *path, char **place, mode_t *mode)
{
    struct stat s;
    *place = NULL;
    *mode = 0;
    if (own_fd(path) >= 0)
        return 0;
    if (*path && lstat(path, &s) != 0 && errno == ENOENT)
        return (*place = strdup(path)) ? 1 : -1;
    if (stat(path, &s) != 0)
        return -1;
    if (S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(s.st_mode))
        return 0;
    *mode = s.st_mode & 0777;
    return (*place = realpath(path, NULL)) ? 1 : -1;
}

static heddle_status cannot(const char *path, hd_error *e)
{
    return hd_say(e, HEDDLE_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static uint32_t draw(void)
{
    uint32_t r;
    struct timespec now;
    if (getrandom(&r, sizeof r, GRND_NONBLOCK) == sizeof r)
        return r;
    clock_gettime(CLOCK_MONOTONIC, &now); /* need not be secret: O_EXCL protects */
    return (uint32_t)now.tv_nsec * 2654435761u ^ (uint32_t)gettid();
}

/* Lists the name before creating the file: a signal in between then finds it. */
static int open_temp(hd_file *f, mode_t mode)
{
    char *digits = f->temp + strlen(f->temp);
    for (int n = 0; n < N_TRIES && f->fd < 0; n++) {
        snprintf(digits, N_DIGITS + 1, "%08x", draw());
        f->entry = list_temp(f->temp);
        f->fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode ? mode : 0666);
        if (f->fd < 0)
            unlist(f->entry);
        if (f->fd < 0 && errno != EEXIST)
            return -1;
    }
    if (f->fd >= 0 && mode)
        (void)fchmod(f->fd, mode); /* undo the umask, if the file system has permissions */
    return f->fd;
}

static int open_through(const char *path)
{
    int own = own_fd(path);
    return own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

/* Discards the signal that a failed write() raised in this thread, unless it was pending before. */
static void take_back(int sig, const sigset_t *before)
{
    const struct timespec now = {0, 0};
    sigset_t one;
    if (sigismember(before, sig))
        return;
    sigemptyset(&one);
    sigaddset(&one, sig);
    while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
        ;
}

/* write() without the signals that would end the process. */
static ssize_t write_quietly(int fd, const char *bytes, size_t n)
{
    sigset_t quiet, mask, waiting;
    ssize_t done;
    int error;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGXFSZ);
    sigaddset(&quiet, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &quiet, &mask);
    sigpending(&waiting);
    done = write(fd, bytes, n);
    error = errno;
    if (done < 0 && (error == EFBIG || error == EPIPE))
        take_back(error == EFBIG ? SIGXFSZ : SIGPIPE, &waiting);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = error;
    return done;
}

/* The stream's write function. */
static ssize_t put_bytes(void *self, const char *bytes, size_t n)
{
    hd_file *f = self;
    size_t done = 0;
    while (done < n && !f->error) {
        ssize_t k = write_quietly(f->fd, bytes + done, n - done);
        if (k > 0)
            done += (size_t)k;
        else if (k == 0 || errno != EINTR)
            f->error = k ? errno : EIO;
    }
    return done == n ? (ssize_t)n : 0;
}

/* One block for the stream and all its names. */
static hd_file *new_file(const char *path, const char *place)
{
    const size_t n_name = strlen(path) + 1, n_place = place ? strlen(place) + 1 : 0;
    const uint64_t n_bytes = sizeof(hd_file) + n_name + 2 * n_place + sizeof ".tmp" + N_DIGITS;
    hd_file *f = hd_new(n_bytes);
    if (!f)
        return NULL;
    f->n_bytes = n_bytes;
    f->fd = f->entry = -1;
    f->name = memcpy(f->text, path, n_name);
    if (place) {
        f->place = memcpy(f->name + n_name, place, n_place);
        f->temp = f->place + n_place;
        sprintf(f->temp, "%s.tmp", place);
    }
    return f;
}

/* Closes the file and renames a temporary one to its place; on error, or without `keep`, removes it. Returns the first error,
 * or 0. */
static int close_file(hd_file *f, int keep)
{
    if (!keep && !f->error)
        f->error = ECANCELED; /* drop the stream's buffer */
    if (f->out && fclose(f->out) != 0 && !f->error)
        f->error = EIO;
    if (f->fd < 0)
        return f->error;
    if (close(f->fd) != 0 && !f->error)
        f->error = errno;
    if (f->temp) {
        if (!f->error && rename(f->temp, f->place) != 0)
            f->error = errno;
        if (f->error)
            unlink(f->temp);
        unlist(f->entry);
    }
    return f->error;
}

static int open_file(hd_file *f, mode_t mode)
{
    if ((f->temp ? open_temp(f, mode) : (f->fd = open_through(f->name))) < 0)
        return -1;
    f->out = fopencookie(f, "w", (cookie_io_functions_t){.write = put_bytes});
    if (!f->out)
        return -1;
    setvbuf(f->out, f->buffer, _IOFBF, sizeof f->buffer);
    return 0;
}

heddle_status hd_file_create(hd_file **out, const char *path, hd_error *e)
{
    mode_t mode;
    char *place;
    hd_file *f;
    *out = NULL;
    if (look(path, &place, &mode) < 0)
        return cannot(path, e);
    f = new_file(path, place);
    free(place);
    if (!f)
        return hd_say(e, HEDDLE_ENOMEM, "%s: out of memory", path);
    if (open_file(f, mode) != 0) {
        cannot(path, e);
        hd_file_drop(f);
        return HEDDLE_EIO;
    }
    *out = f;
    return HEDDLE_OK;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

void hd_file_print(hd_file *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (vfprintf(f->out, format, args) < 0 && !f->error)
        f->error = errno; /* reported by hd_file_commit */
    va_end(args);
}

heddle_status hd_file_commit(hd_file *f, hd_error *e)
{
    const int error = close_file(f, 1);
    if (error)
        hd_say(e, HEDDLE_EIO, "%s: writing failed: %s", f->name, strerror(error));
    hd_delete(f, f->n_bytes);
    return error ? HEDDLE_EIO : HEDDLE_OK;
}

void hd_file_drop(hd_file *f)
{
    if (!f)
        return;
    (void)close_file(f, 0);
    hd_delete(f, f->n_bytes);
}

heddle_status hd_file_save(const char *path, const char *text, size_t n_bytes, hd_error *e)
{
    hd_file *f;
    HD_TRY(hd_file_create(&f, path, e));
    if (fwrite(text, 1, n_bytes, f->out) != n_bytes && !f->error)
        f->error = errno;
    return hd_file_commit(f, e);
}

heddle_status hd_file_check(const char *path, hd_error *e)
{
    mode_t mode;
    char *place;
    hd_file *f;
    int is = look(path, &place, &mode), own = own_fd(path);
    free(place);
    if (is < 0 || (is == 0 && (own >= 0 ? fcntl(own, F_GETFD) : access(path, W_OK)) < 0))
        return cannot(path, e);
    if (is == 0)
        return HEDDLE_OK;
    HD_TRY(hd_file_create(&f, path, e));
    hd_file_drop(f);
    return HEDDLE_OK;
}
