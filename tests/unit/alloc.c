/* SPDX-License-Identifier: MIT */
/* alloc.c - blocks of every size: zeroed and aligned when new, intact when they grow or shrink across the border
 * between small and mapped ones, accounted for to the byte. The n-th allocation fails on demand; lists grow. */
#include "base/base.h"
#include "check.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sizes around which the allocator changes: 1 MB (mapped), 2 MB (huge pages). */
static const uint64_t borders[] = {1, 128, 4096, 1u << 20, 2u << 20, 4u << 20, 6u << 20};

static uint64_t random_size(uint64_t *seed)
{
    uint64_t b = borders[check_below(seed, sizeof borders / sizeof borders[0])];
    switch (check_below(seed, 4)) {
    case 0: return b;
    case 1: return b - 1;
    case 2: return b + check_below(seed, 200);
    default: return 1 + check_below(seed, b);
    }
}

/* Writes every 509th byte and the ends. */
static void fill(uint8_t *p, uint64_t from, uint64_t to, uint64_t tag)
{
    uint64_t i;
    for (i = from; i < to; i += 509)
        p[i] = (uint8_t)(tag + i);
    if (to > from)
        p[to - 1] = (uint8_t)(tag + to - 1);
}

static void check_filled(const uint8_t *p, uint64_t n, uint64_t tag)
{
    uint64_t i;
    for (i = 0; i < n; i += 509)
        CHECK_MSG(p[i] == (uint8_t)(tag + i), "byte %llu of %llu", (unsigned long long)i, (unsigned long long)n);
}

static void check_zero(const uint8_t *p, uint64_t n)
{
    CHECK_MSG(n == 0 || (p[0] == 0 && !memcmp(p, p + 1, n - 1)), "%llu new bytes are not all 0", (unsigned long long)n);
}

static void test_new(uint64_t *seed)
{
    uint64_t before = hd_held_bytes(), i;
    for (i = 0; i < 300; i++) {
        uint64_t n = random_size(seed);
        uint8_t *p = hd_new(n);
        CHECK(p && (uintptr_t)p % 128 == 0 && hd_held_bytes() == before + n);
        check_zero(p, n);
        memset(p, 0xa5, n); /* so that the next owner would see it */
        hd_delete(p, n);
        CHECK(hd_held_bytes() == before);
    }
    hd_delete(NULL, 0);
    CHECK(hd_new(UINT64_MAX) == NULL && hd_new(SIZE_MAX / 2 + 1) == NULL && hd_held_bytes() == before);
}

static void test_resize(uint64_t *seed)
{
    uint64_t before = hd_held_bytes(), n = 0, i;
    uint8_t *p = NULL;
    for (i = 0; i < 400; i++) {
        uint64_t asked = random_size(seed), got = asked, kept = n < asked ? n : asked;
        uint8_t *q = hd_resize(p, n, &got);
        CHECK(q && got >= asked && got < asked + (2u << 20) + 4096 + 256u * (1u << 20));
        CHECK((uintptr_t)q % 128 == 0 && hd_held_bytes() == before + got);
        check_filled(q, kept, 3);
        fill(q, 0, got, 3);
        p = q;
        n = got;
        if (i % 50 == 49) {
            hd_delete(p, n);
            p = NULL;
            n = 0;
        }
        if (i % 70 == 69)
            hd_alloc_trim();
    }
    hd_delete(p, n);
    CHECK(hd_held_bytes() == before);
}

/* A block that could not grow is unchanged. */
static void test_failures(void)
{
    uint64_t before = hd_held_bytes(), n = 1000, want;
    uint8_t *p = hd_new(n);
    CHECK(p);
    fill(p, 0, n, 9);
    hd_fail_alloc_at(1);
    want = 5u << 20;
    CHECK(hd_resize(p, n, &want) == NULL && hd_held_bytes() == before + n);
    check_filled(p, n, 9);
    want = UINT64_MAX;
    CHECK(hd_resize(p, n, &want) == NULL && hd_held_bytes() == before + n);
    hd_fail_alloc_at(3);
    for (want = 1; want <= 5; want++) {
        void *q = hd_new(10);
        CHECK_MSG((q == NULL) == (want == 3), "allocation %llu", (unsigned long long)want);
        hd_delete(q, 10);
    }
    hd_fail_alloc_at(1);
    hd_fail_alloc_at(0);
    hd_delete(p, n);
    CHECK((p = hd_new(1)) != NULL);
    hd_delete(p, 1);
    CHECK(hd_held_bytes() == before);
}

static void test_list(void)
{
    uint64_t before = hd_held_bytes(), i, n_grown = 0;
    hd_list l = {NULL, 0, 0, 0};
    hd_alloc_trim(); /* a kept block may be far larger than requested */
    for (i = 0; i < 500000; i++) {
        n_grown += l.n == l.cap;
        CHECK(hd_list_room(&l, 1, 8) == 0);
        ((uint64_t *)l.at)[l.n++] = i * i;
    }
    for (i = 0; i < l.n; i++)
        CHECK(((uint64_t *)l.at)[i] == i * i);
    CHECK_MSG(n_grown < 25 && l.cap <= 2 * l.n && l.n_bytes >= l.cap * 8, "grown %llu times",
              (unsigned long long)n_grown);
    CHECK(hd_list_room(&l, 3000000, 8) == 0 && l.cap >= 3500000 && l.n == 500000);
    hd_fail_alloc_at(1);
    CHECK(hd_list_room(&l, l.cap, 8) == -1 && l.n == 500000 && ((uint64_t *)l.at)[4] == 16);
    hd_fail_alloc_at(0);
    hd_list_clear(&l);
    CHECK(!l.at && !l.n && !l.cap && hd_held_bytes() == before);
}

/* ThreadSanitizer does not follow mremap: it takes an earlier block at the new address for the same one. */
#if defined(HEDDLE_TSAN)
#define THREAD_MAX ((1u << 20) - 1)
#else
#define THREAD_MAX UINT64_MAX
#endif

/* Resident pages of a block. */
static uint64_t resident_pages(void *p, uint64_t n_bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), n = (n_bytes + page - 1) / page;
    uint64_t i, n_in = 0;
    uint8_t *in = malloc(n);
    CHECK(in && mincore(p, n_bytes, in) == 0);
    for (i = 0; i < n; i++)
        n_in += in[i] & 1;
    free(in);
    return n_in;
}

static void test_sparse(void)
{
    static const uint64_t sizes[] = {1, 1000, 256u << 10, (1u << 20) + 5, 18u << 20};
    uint64_t before = hd_held_bytes(), i;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t n = sizes[i], most = n / 2 + 1;
        uint8_t *p = hd_new_sparse(n);
        CHECK(p && (uintptr_t)p % 128 == 0 && hd_held_bytes() == before + n);
        if (n >= 1u << 20) {
            p[0] = p[most] = p[n - 1] = 1;
            CHECK_MSG(resident_pages(p, n) <= 3, "%llu pages", (unsigned long long)resident_pages(p, n));
        }
        memset(p, 0xa5, n);
        hd_clear_sparse(p, most);
        check_zero(p, most);
        CHECK(n == 1 || (p[most] == 0xa5 && p[n - 1] == 0xa5)); /* no more than requested */
        hd_clear_sparse(p, n);
        check_zero(p, n);
        hd_delete_sparse(p, n);
        CHECK(hd_held_bytes() == before);
        hd_fail_alloc_at(1);
        CHECK(!hd_new_sparse(n) && hd_held_bytes() == before);
    }
    hd_fail_alloc_at(0);
    hd_delete_sparse(NULL, 1u << 20);
    CHECK(!hd_new_sparse(UINT64_MAX));
}

static void *in_thread(void *arg)
{
    uint64_t seed = (uint64_t)(uintptr_t)arg, i;
    for (i = 0; i < 150; i++) {
        uint64_t n = random_size(&seed) % THREAD_MAX + 1, more = random_size(&seed) % THREAD_MAX + 1;
        uint8_t *p = hd_new(n), *q;
        CHECK(p);
        fill(p, 0, n, seed);
        q = hd_resize(p, n, &more);
        CHECK(q);
        check_filled(q, n < more ? n : more, seed);
        hd_delete(q, more);
    }
    return NULL;
}

static void test_threads(void)
{
    uint64_t before = hd_held_bytes(), i;
    pthread_t thread[4];
    for (i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, in_thread, (void *)(uintptr_t)(i + 1)) == 0);
    for (i = 0; i < 4; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(hd_held_bytes() == before);
}

int main(void)
{
    uint64_t seed = check_seed(20260105);
    test_new(&seed);
    test_resize(&seed);
    test_failures();
    test_sparse();
    test_list();
    test_threads();
    hd_alloc_trim();
    return 0;
}
