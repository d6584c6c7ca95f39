/* SPDX-License-Identifier: MIT */
/* raw_runners.c - implements raw_runners.h. Functions of raw.h repeat and take medians themselves: one sample each. */
#include "raw_runners.h"

#include <string.h>

/* A run needs nothing but the problem. */
static int keep(const problem *p, void **self)
{
    *self = (void *)(uintptr_t)p;
    return 0;
}
static void forget(void *self) { (void)self; }

static int take(bench *b, int bad, double us, times *out)
{
    memset(out, 0, sizeof *out);
    if (bad)
        return bench_refuse(b, raw_error());
    sample_add(&out->run, us);
    return 0;
}

static int is_app(const problem *p, const char *name) { return p->size && !strcmp(p->size->app, name); }

/* ---- blocks ---- */

static int open_blocks(bench *b, const setting *at, const problem *p, void **self)
{
    (void)at;
    if (!p->shape || p->shape->kind != SHAPE_FREE || p->shape->body != timed_empty)
        return bench_refuse(b, "the blocks of a launch are independent and empty");
    return keep(p, self);
}

static int run_blocks(bench *b, void *self, uint32_t each_ns, uint32_t n, times *out)
{
    const problem *p = self;
    double us = 0;
    const int bad = raw_blocks_us(p->shape->n, &us);
    (void)each_ns;
    (void)n;
    return take(b, bad, us, out);
}

const runner blocks_runner = {open_blocks, run_blocks, forget, NULL};

/* ---- libraries ---- */

static int open_getrf(bench *b, const setting *at, const problem *p, void **self)
{
    (void)at;
    if (!is_app(p, "lu") || p->size->n[0] > 32768) /* beyond that, the size of its work space overflows int */
        return bench_refuse(b, "cuSOLVER takes lu, up to 32768 rows");
    return keep(p, self);
}

static int run_getrf(bench *b, void *self, uint32_t each_ns, uint32_t n, times *out)
{
    const problem *p = self;
    double us = 0;
    const int bad = raw_getrf_us((int)p->size->n[0], &us);
    (void)each_ns;
    (void)n;
    return take(b, bad, us, out);
}

const runner getrf_runner = {open_getrf, run_getrf, forget, NULL};

static int open_copy(bench *b, const setting *at, const problem *p, void **self)
{
    (void)at;
    return is_app(p, "sat") ? keep(p, self) : bench_refuse(b, "a copy is compared with sat");
}

static int run_copy(bench *b, void *self, uint32_t each_ns, uint32_t n, times *out)
{
    const problem *p = self;
    double us = 0;
    const int bad = raw_copy_us(p->size->n[0] * p->size->n[1] * sizeof(float), &us);
    (void)each_ns;
    (void)n;
    return take(b, bad, us, out);
}

const runner copy_runner = {open_copy, run_copy, forget, NULL};
