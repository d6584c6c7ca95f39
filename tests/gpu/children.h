/* SPDX-License-Identifier: MIT */
/* children.h - tests that may hang or lose the GPU. Each runs in a process of its own: this program, with the case's
 * name as argument. The parent never touches the GPU, prints a line per case and kills a child that takes too long. */
#ifndef GPU_CHILDREN_H
#define GPU_CHILDREN_H

#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct child_case {
    const char *name;
    void (*run)(void);
    uint32_t limit_s;
    int is_long; /* left out by --short */
} child_case;

static inline int child_status(const child_case *c)
{
    uint32_t i;
    int status = 0;
    pid_t pid;
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        execl("/proc/self/exe", "child", c->name, (char *)NULL);
        _exit(126);
    }
    for (i = 0; i < c->limit_s * 100; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        (void)nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    kill(pid, SIGKILL);
    (void)waitpid(pid, &status, 0);
    return 124;
}

static inline double children_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns 77 as soon as one case does, 1 if any failed. */
static inline int children_run(const child_case *cases, uint32_t n, int is_short)
{
    uint32_t i, n_failed = 0, n_left_out = 0;
    for (i = 0; i < n; i++) {
        double begin = children_now_s();
        int status;
        n_left_out += is_short && cases[i].is_long;
        if (is_short && cases[i].is_long)
            continue;
        status = child_status(&cases[i]);
        if (status == 77)
            return 77;
        printf("%-24s %-4s %6.1f s\n", cases[i].name,
               status == 0     ? "pass"
               : status == 124 ? "FAIL: it does not end"
                               : "FAIL",
               children_now_s() - begin);
        n_failed += status != 0;
    }
    printf("%u cases, %u failed, %u left out as long\n", n - n_left_out, n_failed, n_left_out);
    return n_failed ? 1 : 0;
}

static inline int children_main(int argc, char **argv, const child_case *cases, uint32_t n)
{
    const int is_short = argc == 2 && !strcmp(argv[1], "--short");
    uint32_t i;
    for (i = 0; argc > 1 && i < n; i++)
        if (!strcmp(argv[1], cases[i].name)) {
            cases[i].run();
            return 0;
        }
    CHECK_MSG(argc == 1 || is_short, "there is no case %s", argv[1]);
    return children_run(cases, n, is_short);
}

#endif
