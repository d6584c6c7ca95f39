/* SPDX-License-Identifier: MIT */
/* child.h - a part of a test as a process of its own, which AddressSanitizer may end. */
#ifndef CHILD_H
#define CHILD_H

#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

/* The status that fn returned, or -1 if a signal ended it. words: the begin of what it wrote to stderr. */
static inline int child_status(int (*fn)(const void *arg), const void *arg, char *words, size_t n_bytes)
{
    FILE *said = tmpfile();
    int status = 0;
    pid_t child;
    CHECK(said != NULL);
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (!child) {
        (void)dup2(fileno(said), STDERR_FILENO);
        _exit(fn(arg));
    }
    CHECK(waitpid(child, &status, 0) == child);
    rewind(said);
    words[fread(words, 1, n_bytes - 1, said)] = 0;
    (void)fclose(said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
