/* SPDX-License-Identifier: MIT */
/* run.c - runs the commands of a build as children, without a shell. A child's output goes to stderr, or is kept for
 * the caller. */
#include "driver/build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *hc_in_quotes(const char *s)
{
    hc_buf b = {0};
    if (*s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@%") == strlen(s))
        return hc_copy(s, strlen(s));
    hc_puts(&b, "'");
    for (; *s; s++)
        hc_puts(&b, *s == '\'' ? "'\\''" : hc_copy(s, 1));
    hc_puts(&b, "'");
    return b.at;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* While a child runs, an interrupt ends only the child; then files begun here are removed. `to`: its stderr; -1: ours. */
static int spawn(hc_words *w, int to, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int failed;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions);
    if (to >= 0) {
        posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO); /* nvcc prints fatal errors there */
        posix_spawn_file_actions_adddup2(&actions, to, STDERR_FILENO);
    }
    failed = posix_spawnp(child, w->at[0], &actions, &attributes, (char *const *)w->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

/* Until the other end is closed. */
static void read_all(int from, hc_buf *into)
{
    char piece[4096];
    ssize_t n;
    hc_put(into, "", 0);
    while ((n = read(from, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            hc_put(into, piece, (size_t)n);
    close(from);
}

int hc_run(const hc_words *words, int is_verbose, hc_buf *said)
{
    hc_words w = {0};
    int ends[2] = {-1, -1}, failed;
    pid_t child;
    hc_add_words(&w, words);
    for (uint32_t i = 0; is_verbose && i < w.n; i++)
        fprintf(stderr, "%s%s", hc_in_quotes(w.at[i]), i + 1 < w.n ? " " : "\n");
    hc_add_word(&w, NULL);
    failed = said && pipe2(ends, O_CLOEXEC) != 0 ? errno : spawn(&w, ends[1], &child);
    if (said)
        close(ends[1]);
    if (failed) {
        hc_complain(HC_ERROR, "cannot run %s: %s", w.at[0], strerror(failed));
        if (said)
            close(ends[0]);
        return -1;
    }
    if (said)
        read_all(ends[0], said);
    failed = wait_for(child);
    return failed < 0 ? 255 : failed;
}

int hc_run_coloured(const hc_words *words, int is_verbose, hc_buf *said)
{
    hc_words w = {0};
    hc_add_words(&w, words);
    if (isatty(STDERR_FILENO))
        hc_add_word(&w, "-fdiagnostics-color=always");
    return hc_run(&w, is_verbose, said);
}
