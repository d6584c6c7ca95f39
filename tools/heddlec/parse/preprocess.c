/* SPDX-License-Identifier: MIT */
/* preprocess.c - runs clang -E as a child, without a shell, and reads its output. */
#include "parse/preprocess.h"
#include "support/text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *clang_path(void)
{
    const char *path = getenv("HEDDLEC_CLANG");
    return path && *path ? path : HC_CLANG;
}

/* Beside an installed program, else in the source tree it was built from. */
const char *hc_include_dir(void)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);
    const char *dir = NULL;
    while (n > 0 && self[n - 1] != '/')
        n--;
    if (n > 0)
        dir = hc_format("%.*s%s", (int)n, self, HC_INSTALLED_INCLUDE);
    return dir && access(hc_format("%s/omp.h", dir), R_OK) == 0 ? dir : HC_SOURCE_INCLUDE;
}

/* Keeps comments: people read the generated files. No warnings: the compiler prints them; and a file that is no source
 * would give one per byte. */
static const char *const *arguments_for(const char *path, const char *const *args)
{
    const char *const own[] = {
        clang_path(), "-E",         "-fopenmp",       "-fopenmp-version=45", "-dD",         "-dI",
        "-C",         "-idirafter", hc_include_dir(), "-Wno-everything",     "-W#warnings", "-ferror-limit=20"};
    HC_LIST(const char *) all = {0};
    size_t i;
    for (i = 0; i < sizeof own / sizeof *own; i++)
        *HC_ADD(&all) = own[i];
    for (; args && *args; args++)
        *HC_ADD(&all) = *args;
    *HC_ADD(&all) = path;
    *HC_ADD(&all) = NULL;
    return all.at;
}

/* Starts a child that writes into a pipe; returns its pid, or -1 with errno. */
static pid_t start(const char *const *arguments, int *from)
{
    posix_spawn_file_actions_t actions;
    int ends[2], failed;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    failed = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        errno = failed;
        return -1;
    }
    *from = ends[0];
    return child;
}

/* Until the other end is closed. */
static hc_buf read_all(int from)
{
    hc_buf b = {0};
    char piece[16384];
    ssize_t n;
    hc_put(&b, "", 0);
    while ((n = read(from, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            hc_put(&b, piece, (size_t)n);
    close(from);
    return b;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

char *hc_preprocess(const char *path, const char *const *args, size_t *n)
{
    const char *const *arguments = arguments_for(path, args);
    int from = -1, status;
    pid_t child = start(arguments, &from);
    hc_buf text;
    if (child < 0) {
        hc_complain(HC_ERROR, "%s: cannot run %s: %s; HEDDLEC_CLANG may name another clang", path, arguments[0],
                    strerror(errno));
        return NULL;
    }
    text = read_all(from);
    status = wait_for(child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        hc_complain(HC_ERROR, "%s: %s cannot preprocess it", path, arguments[0]);
        return NULL;
    }
    if (n)
        *n = text.n;
    return text.at;
}
