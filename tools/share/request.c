/* SPDX-License-Identifier: MIT */
/* request.c - what the command says to the daemon, and what it looks at before it starts a program (share.h). */
#include "share.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { ANSWER_MS = 3000 };

int share_because(share_why *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    return -1;
}

/* ---- the daemon ---- */

static int read_answer(int fd, FILE *out, share_why *why)
{
    for (;;) {
        share_message m;
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, ANSWER_MS) != 1 || recv(fd, &m, sizeof m, 0) != (ssize_t)sizeof m)
            return -share_because(why, "the daemon does not answer");
        m.u.text[sizeof m.u.text - 1] = 0;
        if (m.type == SHARE_REFUSED)
            return share_because(why, "%s", m.u.text);
        if (!m.u.text[0])
            return 0;
        if (out)
            fputs(m.u.text, out);
    }
}

int share_request_over(int fd, uint32_t type, int is_json, FILE *out, share_why *why)
{
    share_message m = {.version = SHARE_VERSION, .type = type};
    int status;
    m.u.text[0] = is_json ? 'j' : 0;
    if (send(fd, &m, sizeof m, MSG_NOSIGNAL) != (ssize_t)sizeof m)
        status = -share_because(why, "the daemon does not listen");
    else
        status = read_answer(fd, out, why);
    close(fd);
    return status;
}

int share_request(uint32_t type, int is_json, FILE *out, share_why *why)
{
    int fd = share_place_connect();
    return fd < 0 ? share_because(why, "no daemon of this user runs; `heddle share start` starts one")
                  : share_request_over(fd, type, is_json, out, why);
}

/* ---- the interposer ---- */

/* Installed beside the library (PREFIX/lib for PREFIX/bin), or in the build folder. */
int share_library_path(char *path, size_t n_bytes, share_why *why)
{
    static const char *const places[] = {".", SHARE_LIBRARY_FOLDER};
    char self[PATH_MAX], whole[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return share_because(why, "the command does not find itself in /proc/self/exe");
    self[n] = 0;
    dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(whole, sizeof whole, "%s/%s/libheddle_share.so", self, places[i]);
        if (!access(whole, R_OK) && realpath(whole, self) && strlen(self) < n_bytes) {
            memcpy(path, self, strlen(self) + 1);
            return 0;
        }
    }
    return share_because(why, "libheddle_share.so is not beside heddle in %s", self);
}

/* ---- the program ---- */

/* A name with a slash is a path; others are looked for as the shell does. */
static int find_program(const char *name, char path[PATH_MAX], share_why *why)
{
    const char *at = getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && !access(path, X_OK)
                   ? 0
                   : share_because(why, "%s: %s", name, strerror(errno));
    while (at && *at) {
        size_t n = strcspn(at, ":");
        struct stat s;
        if (snprintf(path, PATH_MAX, "%.*s/%s", (int)n, n ? at : ".", name) < PATH_MAX && !access(path, X_OK) &&
            !stat(path, &s) && S_ISREG(s.st_mode))
            return 0;
        at += n + (at[n] == ':');
    }
    return share_because(why, "%s: there is no such program", name);
}

typedef struct head {
    unsigned char bytes[4096];
    size_t n;
} head;

static int read_head(const char *path, head *h)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, h->bytes, sizeof h->bytes - 1);
    if (fd >= 0)
        close(fd);
    h->n = n < 0 ? 0 : (size_t)n;
    h->bytes[h->n] = 0;
    return n < 0 ? -1 : 0;
}

/* A program that names no loader is linked statically: nobody would load the interposer. What cannot be told passes. */
static int is_static(const head *h)
{
    Elf64_Ehdr e;
    if (h->n < sizeof e || memcmp(h->bytes, ELFMAG, SELFMAG) || h->bytes[EI_CLASS] != ELFCLASS64)
        return 0;
    memcpy(&e, h->bytes, sizeof e);
    for (unsigned i = 0; i < e.e_phnum; i++) {
        Elf64_Phdr p;
        size_t at = e.e_phoff + (size_t)i * e.e_phentsize;
        if (at > h->n || h->n - at < sizeof p)
            return 0;
        memcpy(&p, h->bytes + at, sizeof p);
        if (p.p_type == PT_INTERP)
            return 0;
    }
    return 1;
}

static int has_rights(const char *path)
{
    struct stat s;
    if (stat(path, &s))
        return 0;
    if (s.st_mode & (S_ISUID | S_ISGID))
        return (s.st_mode & S_ISUID && s.st_uid != getuid()) || (s.st_mode & S_ISGID && s.st_gid != getgid());
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* The interpreter of a script, or 0. */
static int interpreter(const head *h, char path[PATH_MAX])
{
    const char *at = (const char *)h->bytes + 2;
    if (h->n < 3 || h->bytes[0] != '#' || h->bytes[1] != '!')
        return 0;
    at += strspn(at, " \t");
    return snprintf(path, PATH_MAX, "%.*s", (int)strcspn(at, " \t\n"), at) < PATH_MAX;
}

int share_program_check(const char *name, share_why *why)
{
    char path[PATH_MAX], script[PATH_MAX];
    head h;
    if (find_program(name, path, why))
        return -1;
    for (int depth = 0; depth < 4; depth++) {
        if (has_rights(path))
            return share_because(
                why, "%s has more rights than its user (setuid): the system loads no interposer into it", path);
        if (read_head(path, &h))
            return 0;
        if (is_static(&h))
            return share_because(why, "%s is linked statically: no interposer can be loaded into it", path);
        if (!interpreter(&h, script))
            return 0;
        memcpy(path, script, sizeof path);
    }
    return 0;
}
