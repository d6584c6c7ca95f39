/* SPDX-License-Identifier: MIT */
/* say.c - see say.h. */
#include "openmp/inside.h"
#include "openmp/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static void say(const heddle_omp_place *place, const char *format, va_list list)
{
    char text[1024];
    if (!place && hd_omp_here)
        place = hd_omp_here->frame.place;
    vsnprintf(text, sizeof text, format, list);
    if (place && place->file)
        fprintf(stderr, "%s:%u: heddle: %s\n", place->file, place->line, text);
    else
        fprintf(stderr, "heddle: %s\n", text);
}

_Noreturn void hd_omp_die(const heddle_omp_place *place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(place, format, list);
    va_end(list);
    exit(1);
}

void hd_omp_tell(const heddle_omp_place *place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(place, format, list);
    va_end(list);
}

_Noreturn void hd_omp_list_full(void)
{
    hd_omp_die(NULL, "more than 2^32 dependences or 64 GiB of arguments before tasks are run");
}

_Noreturn void hd_omp_list_far(uint64_t n_bytes)
{
    hd_omp_die(NULL, "a dependence of %llu bytes reaches past the address space", (unsigned long long)n_bytes);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define HUGE_PAGE (2ull << 20)

static uint64_t fail_at;

void hd_omp_fail_alloc_at(uint64_t n) { fail_at = n; }

static int must_fail(void) { return fail_at && --fail_at == 0; }

/* Uses huge pages: a list of a million tasks is 170 MB, and a page fault every 4 KB would cost more than creating the
 * tasks. */
static void *resize(void *p, uint64_t old_bytes, uint64_t n_bytes)
{
    void *q;
    if (n_bytes < 2 * HUGE_PAGE)
        return realloc(p, n_bytes);
    q = aligned_alloc(HUGE_PAGE, (n_bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (!q)
        return NULL;
    (void)madvise(q, n_bytes, MADV_HUGEPAGE); /* best effort */
    if (old_bytes)
        memcpy(q, p, old_bytes);
    free(p);
    return q;
}

void hd_omp_grow(hd_omp_buffer *b, uint64_t more, uint64_t item_bytes)
{
    uint64_t cap = b->cap ? b->cap * 2 : 64;
    void *p;
    while (cap < b->n + more)
        cap *= 2;
    p = must_fail() ? NULL : resize(b->at, b->n * item_bytes, cap * item_bytes);
    if (!p)
        hd_omp_die(NULL, "out of memory: %llu bytes were asked for", (unsigned long long)(cap * item_bytes));
    b->at = p;
    b->cap = cap;
}

void hd_omp_free(hd_omp_buffer *b)
{
    free(b->at);
    *b = (hd_omp_buffer){NULL, 0, 0};
}

void *hd_omp_new(uint64_t n_bytes)
{
    void *p = must_fail() ? NULL : calloc(1, n_bytes);
    if (!p)
        hd_omp_die(NULL, "out of memory: %llu bytes were asked for", (unsigned long long)n_bytes);
    return p;
}

/* ---- the process -------------------------------------------------------------------------------------------------- */

uint64_t hd_omp_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

const char *hd_omp_env(const char *name)
{
    const char *text = getenv(name);
    heddle_env_info v;
    uint32_t i;
    for (i = 0; !text && heddle_env_get(i, &v); i++) /* it may be set under a former name */
        if (!strcmp(name, v.name))
            text = v.value;
    return text && *text ? text : NULL;
}
