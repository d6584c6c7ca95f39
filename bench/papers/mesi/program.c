/* SPDX-License-Identifier: MIT */
/* program.c - programs by hand (by_hand.h, hdss/hand.h) on the arrays of a case, and plain copies (mesi.h). */
#include "mesi.h"

#include <string.h>

static const app_rows *rows_of(const app_case *c, size_t i) { return &c->looping->form.rows[i]; }

static int open_product(mesi_program *p, const app_case *c, char *why)
{
    const product q = {rows_of(c, 0)->host,
                       rows_of(c, 1)->host,
                       rows_of(c, 2)->host,
                       c->n[0],
                       c->n[1],
                       rows_of(c, 1)->n_rows,
                       c->looping->form.desc.body == matmul_f32};
    return by_hand_product_open(&p->product, p->how, &q, p->n_gpus, p->tile, why);
}

static int open_steps(mesi_program *p, const app_case *c, char *why)
{
    const uint64_t n = c->looping->form.n_runs;
    steps s = {rows_of(c, 0)->host, rows_of(c, 2)->host, rows_of(c, n % 2)->host, n, {0}};
    memcpy(&s.record, c->record, sizeof s.record);
    return by_hand_steps_open(&p->steps, &s, p->n_gpus, p->exchange, p->with_graph, why);
}

/* The sentence becomes the case's. */
static int said(app_case *c, int failed, const char *why)
{
    if (failed)
        snprintf(c->error, APP_ERROR, "%s", why);
    return failed ? -1 : 0;
}

static int open_pairs(mesi_program *p, const app_case *c, char *why)
{
    if (hand_of(&p->loop, c)) {
        snprintf(why, BY_HAND_ERROR, "the loop has no room in a program by hand");
        return -1;
    }
    return pipeline_open(&p->pairs, &p->loop, p->loop.form.desc.n, 1, why);
}

static int run_pairs(mesi_program *p, double *ms, char *why)
{
    const uint64_t begin_ns = cli_now_ns();
    const int failed = pipeline_run(p->pairs, why);
    *ms = 1e-6 * (double)(cli_now_ns() - begin_ns);
    return failed;
}

/* The program takes the arrays of the case, which is open on a fleet without threads. */
static int open_program(mesi_program *p, app_case *c)
{
    const char *name = c->app->name;
    char why[BY_HAND_ERROR] = "";
    return said(c,
                !strcmp(name, "matmul")    ? open_product(p, c, why)
                : !strcmp(name, "hotspot") ? open_steps(p, c, why)
                                           : open_pairs(p, c, why),
                why);
}

static int run_program(void *self, app_case *c, double *ms)
{
    mesi_program *p = self;
    char why[BY_HAND_ERROR] = "";
    int failed;
    if (p->product)
        failed = by_hand_product_bring(p->product, why) || by_hand_product_compute(p->product, ms, why) ||
                 by_hand_product_take(p->product, why);
    else if (p->steps)
        failed = by_hand_steps_bring(p->steps, why) || by_hand_steps_compute(p->steps, ms, why) ||
                 by_hand_steps_take(p->steps, why);
    else
        failed = run_pairs(p, ms, why);
    return said(c, failed, why);
}

void mesi_program_close(mesi_program *p)
{
    by_hand_product_close(p->product);
    by_hand_steps_close(p->steps);
    pipeline_close(p->pairs);
}

int mesi_time_program(mesi_ask *a, app_case *c, mesi_program *p, mesi_times *t)
{
    const mesi_runner r = {run_program, NULL, p, 1};
    t->has_compute = 1;
    if (mesi_open(a, c, app_loop.name, "serial"))
        return -1;
    return open_program(p, c) || mesi_repeat(a, c, &r, t) ? -1 : 0;
}

/* ---- copies ---- */

static uint32_t most_gpus(void)
{
    const uint32_t n = by_hand_gpus();
    return n < BY_HAND_MOST_GPUS ? n : BY_HAND_MOST_GPUS;
}

void mesi_find_copies(mesi_ask *a, FILE *out)
{
    const uint32_t n = most_gpus();
    char why[BY_HAND_ERROR];
    if (a->devices || !n || cli_now_ns() >= a->end_ns)
        return;
    if (!a->has_copies && (by_hand_copies(1, &a->one, why) || by_hand_copies(n, &a->all, why))) {
        fprintf(out, "# copies: %s\n", why);
        return;
    }
    a->has_copies = 1;
    fprintf(out, "# copies, GB/s: %.4g to one GPU, %.4g from it, %.4g both ways at once; all %u: %.4g, %.4g, %.4g\n",
            a->one.in, a->one.out, a->one.both, n, a->all.in, a->all.out, a->all.both);
}
