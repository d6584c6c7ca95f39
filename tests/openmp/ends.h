/* SPDX-License-Identifier: MIT */
/* ends.h - checks what a program that uses heddle_openmp prints to stderr, and how it ends. Each case is a process of
 * its own. The parent must not have opened a context: a child does not inherit threads. */
#ifndef OPENMP_ENDS_H
#define OPENMP_ENDS_H

#include "check.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct ending {
    int status;
    char text[8192];
} ending;

static inline void ends_read(int from, char *text, size_t n_bytes)
{
    size_t at = 0;
    ssize_t got;
    while (at + 1 < n_bytes && (got = read(from, text + at, n_bytes - at - 1)) > 0)
        at += (size_t)got;
    text[at] = 0;
}

static inline void ends_of(ending *out, void (*run)(void))
{
    int pipes[2], status;
    pid_t pid;
    CHECK(pipe(pipes) == 0);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        run();
        exit(0);
    }
    close(pipes[1]);
    ends_read(pipes[0], out->text, sizeof out->text);
    close(pipes[0]);
    CHECK(waitpid(pid, &status, 0) == pid);
    out->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The case must end with `status` and print each of the words, which end with NULL; without words it prints nothing. */
static inline void ends_check(const char *name, void (*run)(void), int status, const char *const *words)
{
    ending e;
    ends_of(&e, run);
    CHECK_MSG(e.status == status, "%s ended with %d: %s", name, e.status, e.text);
    CHECK_MSG(words[0] || !e.text[0], "%s said: %s", name, e.text);
    for (; *words; words++)
        CHECK_MSG(strstr(e.text, *words), "%s: no \"%s\" in \"%s\"", name, *words, e.text);
}
#define ENDS(run, status, ...) ends_check(#run, run, status, (const char *const[]){__VA_ARGS__, NULL})
#define ENDS_WELL(run) ends_check(#run, run, 0, (const char *const[]){NULL})

#endif
