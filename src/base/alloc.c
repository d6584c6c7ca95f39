/* SPDX-License-Identifier: MIT */
/* alloc.c - every allocation of the library goes through here, so that a test can make each one fail once.
 *
 * Blocks of LARGE bytes or more are mapped, from HUGE_PAGE on in multiples of it: a graph of ten million tasks is 1.3 GB, and
 * a page fault every 4 KB would cost more than adding the tasks. A large block grows by remapping instead of copying. Freed
 * large blocks are kept for the next graph, up to KEEP_BYTES: a program that builds graph after graph would otherwise spend
 * more time in page faults than in heddle. The last context to close unmaps them. Sparse blocks use none of this, because a
 * huge page costs 2 MB for a few touched bytes. */
#include "base/base.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ThreadSanitizer does not follow mremap: it mistakes a moved block for the one that was at that address before. */
#if defined(HEDDLE_TSAN)
#define MAY_REMAP 0
#else
#define MAY_REMAP 1
#endif

#define LARGE (256u << 10)
#define STEP (64u << 10)
#define HUGE_PAGE (2u << 20)
#define ALIGN 128u
#define KEEP_BYTES (256ull << 20)
#define N_KEPT 32

static uint64_t held;    /* bytes; relaxed atomics, since several threads use contexts */
static uint64_t fail_at; /* 0, or calls left until one fails */

static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
    void *p;
    uint64_t n_bytes; /* mapped */
} kept[N_KEPT];
static uint64_t kept_bytes;

uint64_t hd_held_bytes(void) { return __atomic_load_n(&held, __ATOMIC_RELAXED); }
uint64_t hd_fail_alloc_at(uint64_t n) { return __atomic_exchange_n(&fail_at, n, __ATOMIC_RELAXED); }

static int told_to_fail(void)
{
    if (__atomic_load_n(&fail_at, __ATOMIC_RELAXED) == 0)
        return 0;
    return __atomic_sub_fetch(&fail_at, 1, __ATOMIC_RELAXED) == 0;
}

static void account(uint64_t more, uint64_t less) { __atomic_add_fetch(&held, more - less, __ATOMIC_RELAXED); }

/* Bytes that a large block of n_bytes maps. */
static uint64_t mapped(uint64_t n_bytes)
{
    uint64_t step = n_bytes < HUGE_PAGE ? STEP : HUGE_PAGE;
    return (n_bytes + step - 1) / step * step;
}

static int keep(void *p, uint64_t n_bytes)
{
    int i, done = 0;
    pthread_mutex_lock(&kept_mutex);
    for (i = 0; i < N_KEPT && !done; i++)
        if (!kept[i].p && kept_bytes + n_bytes <= KEEP_BYTES) {
            kept[i] = (struct kept){p, n_bytes};
            kept_bytes += n_bytes;
            done = 1;
        }
    pthread_mutex_unlock(&kept_mutex);
    return done;
}

/* A kept block: with `largest`, the largest of at least n_bytes; else one of exactly that size. Its old contents remain. */
static void *reuse(uint64_t *n_bytes, int largest)
{
    struct kept best = {NULL, 0};
    int i, at = -1;
    pthread_mutex_lock(&kept_mutex);
    for (i = 0; i < N_KEPT; i++)
        if (kept[i].p && (largest ? kept[i].n_bytes >= *n_bytes : kept[i].n_bytes == *n_bytes) &&
            kept[i].n_bytes > best.n_bytes) {
            best = kept[i];
            at = i;
        }
    if (at >= 0) {
        kept[at].p = NULL;
        kept_bytes -= best.n_bytes;
        *n_bytes = best.n_bytes;
    }
    pthread_mutex_unlock(&kept_mutex);
    return best.p;
}

void hd_alloc_trim(void)
{
    int i;
    pthread_mutex_lock(&kept_mutex);
    for (i = 0; i < N_KEPT; i++)
        if (kept[i].p) {
            munmap(kept[i].p, kept[i].n_bytes);
            kept[i].p = NULL;
        }
    kept_bytes = 0;
    pthread_mutex_unlock(&kept_mutex);
}

/* `wish` is advice about huge pages; kernels without them refuse it, which does no harm. */
static void *map(uint64_t n_bytes, int wish)
{
    void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    (void)madvise(p, n_bytes, wish);
    return p;
}

static void *small(uint64_t n_bytes)
{
    void *p = NULL;
    return posix_memalign(&p, ALIGN, n_bytes ? n_bytes : 1) ? NULL : p;
}

static void *zeroed(uint64_t n_bytes)
{
    uint64_t size = mapped(n_bytes);
    void *p;
    if (n_bytes >= LARGE && !(p = reuse(&size, 0)))
        return map(size, MADV_HUGEPAGE);
    p = n_bytes >= LARGE ? p : small(n_bytes);
    return p ? memset(p, 0, n_bytes) : NULL;
}

void *hd_new(uint64_t n_bytes)
{
    void *p;
    if (told_to_fail() || n_bytes > SIZE_MAX / 2)
        return NULL;
    p = zeroed(n_bytes);
    if (p)
        account(n_bytes, 0);
    return p;
}

static void drop(void *p, uint64_t n_bytes)
{
    if (n_bytes < LARGE)
        free(p);
    else if (!keep(p, mapped(n_bytes)))
        munmap(p, mapped(n_bytes));
}

void hd_delete(void *p, uint64_t n_bytes)
{
    if (!p)
        return;
    drop(p, n_bytes);
    account(0, n_bytes);
}

void *hd_new_sparse(uint64_t n_bytes)
{
    void *p;
    if (n_bytes < LARGE)
        return hd_new(n_bytes);
    if (told_to_fail() || n_bytes > SIZE_MAX / 2)
        return NULL;
    p = map(mapped(n_bytes), MADV_NOHUGEPAGE);
    if (p)
        account(n_bytes, 0);
    return p;
}

/* Gives whole pages back; the kernel returns zeros at the next touch. */
void hd_clear_sparse(void *p, uint64_t n_bytes)
{
    const uint64_t whole = n_bytes < LARGE ? 0 : n_bytes / STEP * STEP;
    if (whole && madvise(p, whole, MADV_DONTNEED))
        memset(p, 0, whole);
    memset((uint8_t *)p + whole, 0, n_bytes - whole);
}

void hd_delete_sparse(void *p, uint64_t n_bytes)
{
    if (n_bytes < LARGE || !p) {
        hd_delete(p, n_bytes);
        return;
    }
    munmap(p, mapped(n_bytes));
    account(0, n_bytes);
}

/* Resizes by copying, for blocks of which one is small. A new large block may come from the kept ones. */
static void *moved(void *p, uint64_t old_bytes, uint64_t *n_bytes)
{
    uint64_t size = *n_bytes >= LARGE ? mapped(*n_bytes) : *n_bytes;
    void *q = *n_bytes < LARGE ? small(size) : reuse(&size, 1);
    if (!q && *n_bytes >= LARGE)
        q = map(size, MADV_HUGEPAGE);
    if (!q)
        return NULL;
    if (p) {
        memcpy(q, p, old_bytes < size ? old_bytes : size);
        drop(p, old_bytes);
    }
    *n_bytes = size;
    return q;
}

void *hd_resize(void *p, uint64_t old_bytes, uint64_t *n_bytes)
{
    void *q;
    if (told_to_fail() || *n_bytes > SIZE_MAX / 2)
        return NULL;
    if (MAY_REMAP && p && old_bytes >= LARGE && *n_bytes >= LARGE) {
        q = mremap(p, mapped(old_bytes), mapped(*n_bytes), MREMAP_MAYMOVE);
        q = q == MAP_FAILED ? NULL : q;
        if (q) {
            *n_bytes = mapped(*n_bytes);
            (void)madvise(q, *n_bytes, MADV_HUGEPAGE);
        }
    } else {
        q = moved(p, old_bytes, n_bytes);
    }
    if (q)
        account(*n_bytes, p ? old_bytes : 0);
    return q;
}
