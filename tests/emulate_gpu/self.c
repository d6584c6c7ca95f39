/* SPDX-License-Identifier: MIT */
/* self.c - the emulator finds what it claims to find. Small kernels, each with one mistake, run in a child process that
 * must end with the right message; correct ones must not. Mistakes that show only in some interleavings must show with
 * one of a few seeds. */
#include "heddle/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define N_BLOCKS 3u
#define N_THREADS 96u
#define N_SEEDS 20u

/* What a kernel's threads share. */
static struct {
    uint32_t count, flag, told[N_BLOCKS];
    uint64_t pair;
    uint32_t data[4] __attribute__((aligned(16)));
} all;

static uint32_t *block_word(void) { return emu_shared(64); }
static void wrong_if(int is_wrong)
{
    if (is_wrong)
        emu_fail("another value was wanted");
}

/* ---- right ------------------------------------------------------------------------------------------ */

static void barriers(void *arg)
{
    uint32_t *word = block_word(), i;
    (void)arg;
    for (i = 0; i < 20; i++) {
        if (emu_thread.x == i)
            *word = i;
        emu_bar_sync(0, N_THREADS, "|here");
        wrong_if(*word != i);
        emu_bar_sync(0, N_THREADS, "|here");
    }
    wrong_if(emu_sync_or(emu_thread.x == 50u, "|here") != 1 || emu_sync_or(0, "|here") != 0);
}

/* The last warp waits for the two others, which only arrive. */
static void arrivals(void *arg)
{
    uint32_t *word = block_word();
    (void)arg;
    if (emu_thread.x < 64u) {
        word[emu_thread.x / 32u] = 7;
        emu_bar_arrive(3, N_THREADS, "|here");
        return;
    }
    emu_bar_sync(3, N_THREADS, "|here");
    wrong_if(word[0] != 7 || word[1] != 7);
}

static void warps(void *arg)
{
    const uint32_t thread = emu_thread.x % 32u;
    (void)arg;
    wrong_if(hd_ballot(thread % 3u == 0) != 0x49249249u);
    wrong_if(hd_shuffle(thread * 5u, 7) != 35u);
    wrong_if(emu_shuffle64((uint64_t)thread << 33, thread + 1u, "|here") != (uint64_t)((thread + 1u) % 32u) << 33);
}

static void words(void *arg)
{
    (void)arg;
    (void)HD_PAIR_ADD(&all.pair, 1ull << 32, FENCED_ACQ_REL);
    HD_FENCE_RELEASE();
    (void)HD_ADD(&all.count, 3u, FENCED_RELEASE, DEV);
    while (HD_LOAD(&all.count, RELAXED, DEV) != 3u * N_BLOCKS * N_THREADS)
        HD_PAUSE(0);
    HD_FENCE_ACQUIRE();
    wrong_if(HD_PAIR_LOAD(&all.pair, FENCED_ACQUIRE) != (uint64_t)(N_BLOCKS * N_THREADS) << 32);
    wrong_if(HD_PAIR_CAS(&all.pair, 1, 2, RELAXED));
}

static void copies(void *arg)
{
    uint32_t *word = block_word();
    (void)arg;
    if (emu_thread.x == 0) {
        all.data[emu_block.x] = 9; /* the copy may read at any time up to the wait */
        HD_COPY16(word, all.data);
        HD_COPY_WAIT();
        wrong_if(word[emu_block.x] != 9);
    }
}

/* ---- wrong ------------------------------------------------------------------------------------------ */

static void parts(void *arg)
{
    (void)arg;
    if (emu_thread.x % 32u < 5u)
        (void)hd_ballot(1);
    else
        hd_warp_sync();
}

static void ends_early(void *arg)
{
    (void)arg;
    if (emu_thread.x != 40u)
        hd_warp_sync();
}

static void half_a_barrier(void *arg)
{
    (void)arg;
    if (emu_thread.x < 64u)
        emu_bar_sync(2, N_THREADS, "|here");
}

static void another_count(void *arg)
{
    (void)arg;
    emu_bar_sync(2, emu_thread.x < 32u ? N_THREADS : 64u, "|here");
}

static void comes_twice(void *arg)
{
    (void)arg;
    if (emu_thread.x >= 32u)
        return;
    emu_bar_arrive(2, N_THREADS, "|here");
    emu_bar_arrive(2, N_THREADS, "|here");
}

static void spins(void *arg)
{
    (void)arg;
    while (HD_LOAD(&all.flag, RELAXED, DEV) == 0u)
        HD_PAUSE(0);
}

static void writes_behind(void *arg)
{
    (void)arg;
    if (emu_thread.x == 0)
        block_word()[16] = 1;
}

static void writes_behind_arena(void *arg)
{
    (void)arg;
    *((unsigned char *)emu_arena() + 256) = 1;
}

/* No barrier of the warp between lane 0's store and the other lanes' loads. */
static void no_syncwarp(void *arg)
{
    uint32_t *word = block_word();
    (void)arg;
    if (emu_thread.x == 0)
        *word = 5;
    emu_point("|here");
    wrong_if(emu_thread.x < 32u && *word != 5);
}

/* Adds with a load and a store. */
static void torn_add(void *arg)
{
    (void)arg;
    HD_STORE(&all.count, HD_LOAD(&all.count, RELAXED, DEV) + 1u, RELAXED, DEV);
    (void)HD_ADD(&all.flag, 1u, RELAXED, DEV);
    while (HD_LOAD(&all.flag, RELAXED, DEV) != N_BLOCKS * N_THREADS)
        HD_PAUSE(0);
    wrong_if(HD_LOAD(&all.count, RELAXED, DEV) != N_BLOCKS * N_THREADS);
}

static void no_copy_wait(void *arg)
{
    uint32_t *word = block_word();
    (void)arg;
    if (emu_thread.x == 0) {
        all.data[0] = 9;
        HD_COPY16(word, all.data);
        wrong_if(word[0] != 9);
    }
}

static void uses_poison(void *arg)
{
    (void)arg;
    wrong_if(*block_word() != 0);
}

/* ---- each in a process of its own ------------------------------------------------------------------- */

static void run_one(void (*code)(void *arg), uint64_t seed)
{
    emu_launch l = {N_BLOCKS, N_THREADS, 256, 0, 200000, 0, "self", NULL, NULL, NULL};
    memset(&all, 0, sizeof all);
    l.seed = seed;
    l.code = code;
    (void)emu_run(&l);
}

/* The output of the child with this seed; "" if all went well. */
static const char *said_by(void (*code)(void *arg), uint64_t seed)
{
    static char text[20000];
    size_t n = 0, got;
    int ends[2], status;
    pid_t child;
    CHECK(pipe(ends) == 0);
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], 1);
        run_one(code, seed);
        _exit(0);
    }
    close(ends[1]);
    while (n + 1u < sizeof text && (got = (size_t)read(ends[0], text + n, sizeof text - 1u - n)) > 0 &&
           got < sizeof text)
        n += got;
    text[n] = 0;
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_MSG((WEXITSTATUS(status) == 0) == (n == 0), "status %d: %s", WEXITSTATUS(status), text);
    return text;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*code)(void *arg);
        const char *wanted; /* NULL: a correct kernel */
    } tests[] = {{"barriers", barriers, NULL},
                 {"arrivals", arrivals, NULL},
                 {"warps", warps, NULL},
                 {"words", words, NULL},
                 {"copies", copies, NULL},
                 {"a warp parts", parts, "threads of a warp part"},
                 {"a thread ends", ends_early, "end"},
                 {"half a barrier", half_a_barrier, "nobody can go on"},
                 {"another count", another_count, "barrier 2 is for"},
                 {"twice at a barrier", comes_twice, "twice in a round"},
                 {"spins", spins, "it hangs"},
                 {"behind a variable", writes_behind, "written behind a variable"},
                 {"behind the arena", writes_behind_arena, "written behind the arena"},
                 {"no barrier of the warp", no_syncwarp, "another value"},
                 {"an add in two steps", torn_add, "another value"},
                 {"no wait for a copy", no_copy_wait, "another value"},
                 {"poison", uses_poison, "another value"}};
    uint64_t seed;
    size_t i;
    for (i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        uint32_t n_failed = 0;
        for (seed = 1; seed <= N_SEEDS; seed++) {
            const char *said = said_by(tests[i].code, seed);
            CHECK_MSG(!*said || (tests[i].wanted && strstr(said, tests[i].wanted)), "%s, seed %llu: %s", tests[i].name,
                      (unsigned long long)seed, said);
            n_failed += *said != 0;
        }
        printf("%-24s %2u of %u seeds failed\n", tests[i].name, n_failed, N_SEEDS);
        CHECK(!tests[i].wanted == !n_failed);
    }
    return 0;
}
