/* SPDX-License-Identifier: MIT */
/* guarded.c - a program that handles faults of its own, as emulators, collectors of garbage, and memory that moves by itself do: its
 * buffers may not be touched until a handler of SIGSEGV has opened the block at hand. Copies go there and back with whatever thread
 * touches the memory.
 *
 *   guarded KBYTES ROUNDS
 *
 * Prints "right", how many faults were handled, and how many copies the driver saw. */
#include "api.h"

#include "check.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK = 256 << 10 };

static unsigned char *host;
static size_t n_bytes;
static int n_faults; /* an atom */

static void open_block(int number, siginfo_t *info, void *unused)
{
    size_t at = (size_t)((unsigned char *)info->si_addr - host) / BLOCK * BLOCK;
    (void)unused;
    if ((unsigned char *)info->si_addr < host || at >= n_bytes || mprotect(host + at, BLOCK, PROT_READ | PROT_WRITE))
        signal(number, SIG_DFL); /* it comes again, and ends the program */
    __atomic_add_fetch(&n_faults, 1, __ATOMIC_RELAXED);
}

static void guard(void) { CHECK(!mprotect(host, n_bytes, PROT_NONE)); }

static void one_round(CUdeviceptr d, unsigned char tint)
{
    for (size_t i = 0; i < n_bytes; i++)
        host[i] = (unsigned char)(i * 5 + (i >> 12) + tint);
    guard();
    TRY(cu.cuMemcpyHtoD(d, host, n_bytes));
    memset(host, 0, n_bytes);
    guard();
    TRY(cu.cuMemcpyDtoH(host, d, n_bytes));
    for (size_t i = 0; i < n_bytes; i++)
        CHECK_MSG(host[i] == (unsigned char)(i * 5 + (i >> 12) + tint), "byte %zu", i);
}

int main(int argc, char **argv)
{
    struct sigaction handler = {.sa_sigaction = open_block, .sa_flags = SA_SIGINFO};
    CUcontext c;
    CUdeviceptr d;
    if (argc < 3)
        return 2;
    n_bytes = ((size_t)atoi(argv[1]) << 10) / BLOCK * BLOCK;
    host = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(host != MAP_FAILED && !sigaction(SIGSEGV, &handler, NULL));
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuCtxCreate(&c, 0, 0));
    TRY(cu.cuMemAlloc(&d, n_bytes));
    for (int i = 0; i < atoi(argv[2]); i++)
        one_round(d, (unsigned char)i);
    printf("right; pieces %llu; faults %d\n", (unsigned long long)cu.calls("cuEventRecord"), n_faults);
    return n_faults ? 0 : 1;
}
