/* SPDX-License-Identifier: MIT */
/* forker.c - a program that copies, and then has children: one that only sleeps, and one that becomes another
 * program. The parent copies on.
 *
 *   forker live|die PROGRAM ARG...   the program that the second child becomes; die: the parent kills itself in the end
 *
 * Prints "right" when all is well, and the process that sleeps. */
#include "api.h"

#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void copy_and_check(CUdeviceptr d, unsigned char *h, size_t n, int tint)
{
    memset(h, tint, n);
    TRY(cu.cuMemcpyHtoD(d, h, n));
    memset(h, 0, n);
    TRY(cu.cuMemcpyDtoH(h, d, n));
    for (size_t i = 0; i < n; i++)
        CHECK(h[i] == (unsigned char)tint);
}

static int status_of(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
    enum { N = 3 << 20 };
    unsigned char *h = malloc(N);
    CUdeviceptr d;
    CUcontext c;
    pid_t sleeper, other;
    if (argc < 3)
        return 2;
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&c, 0));
    TRY(cu.cuCtxSetCurrent(c));
    TRY(cu.cuMemAlloc(&d, N));
    copy_and_check(d, h, N, 1);
    if (!(sleeper = fork())) {
        sleep(60);
        _exit(0);
    }
    if (!(other = fork())) {
        execv(argv[2], argv + 2);
        _exit(9);
    }
    CHECK(status_of(other) == 0);
    copy_and_check(d, h, N, 2);
    printf("right, sleeper %d\n", (int)sleeper);
    fflush(stdout);
    if (!strcmp(argv[1], "die"))
        kill(getpid(), 9);
    kill(sleeper, 9);
    status_of(sleeper);
    return 0;
}
