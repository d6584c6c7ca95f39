/* SPDX-License-Identifier: MIT */
/* child.c - a program started by a driver: answers each line of standard input with one line on standard output. */
#include "subject.h"

#include <stdlib.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void child_fail(const char *why, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

int main(void)
{
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        child_answer(line);
        putchar('\n');
        fflush(stdout);
    }
    child_close();
    return 0;
}
