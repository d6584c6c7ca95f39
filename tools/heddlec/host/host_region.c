/* SPDX-License-Identifier: MIT */
/* host_region.c - regions, points where the host waits, and directives other than tasks. */
#include "host/host.h"
#include "analysis/understand.h"

#include <string.h>

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* atomic and critical do not exclude tasks on threads from the host's code. A region may call functions outside tasks. */
static int excludes(const hc_host *h)
{
    for (uint32_t i = 0; i < h->p->units.n; i++)
        HC_EACH_NODE (n, h->p->units.at[i]->root)
            if ((hc_is_directive(n, HC_ATOMIC) || hc_is_directive(n, HC_CRITICAL)) && !hc_task_around(n))
                return 1;
    return 0;
}

static void put_begin(hc_host *h, uint32_t in, const hc_region *r)
{
    char *threads = r->num_threads ? hc_host_text(h, r->num_threads) : "0";
    char *flags =
        hc_format("%s%s%s%s%s", r->is_target ? " | HEDDLE_OMP_TARGET" : "",
                  r->has_barriers ? " | HEDDLE_OMP_BARRIERS" : "", h->p->asks_numbers ? " | HEDDLE_OMP_NUMBERS" : "",
                  r->is_one ? " | HEDDLE_OMP_ALONE" : "", excludes(h) ? " | HEDDLE_OMP_EXCLUDES" : "");
    hc_host_start(h, in, "heddle_omp_begin(&hd_%s_omp, &hd_here, %s, %s);", h->prog, *flags ? flags + 3 : "0", threads);
    for (uint32_t i = 0; i < r->maps.n; i++)
        hc_host_map(h, in, &r->maps.at[i]);
}

static void put_privates(hc_host *h, uint32_t in, const hc_region *r)
{
    for (uint32_t i = 0; i < r->firstprivates.n; i++)
        hc_host_anew(h, in, r->firstprivates.at[i], 1);
    for (uint32_t i = 0; i < r->privates.n; i++)
        hc_host_anew(h, in, r->privates.at[i], 0);
}

/* Whether there is a call of omp_WHAT; with in_bodies, one that tasks run. */
static int is_asked(const hc_host *h, const char *what, int in_bodies)
{
    const hc_index *x = h->p->index;
    for (uint32_t i = 0; i < x->fns.n; i++) {
        const hc_fn *fn = x->fns.at[i];
        int is_body = !in_bodies || hc_function_of(h->p, fn->decl);
        for (uint32_t k = 0; k < fn->calls.n; k++)
            if (fn->calls.at[k].decl && !strcmp(fn->calls.at[k].decl->name, what) &&
                (is_body || hc_task_around(fn->calls.at[k].node)))
                return 1;
    }
    return 0;
}

/* Tasks see as many threads as there are workers. A program may learn that there is one thread, and also use thread
 * numbers: then one thread runs the tasks, as they are met. */
static int runs_at_once(const hc_host *h, const hc_region *r)
{
    return r->is_one && is_asked(h, "omp_get_num_threads", 0) && is_asked(h, "omp_get_thread_num", 1);
}

/* if(e): without a region the tasks run as they are met. */
static void put_if(hc_host *h, uint32_t in, const hc_region *r)
{
    hc_host_start(h, in, "const int hd_go = (%s) != 0%s;", hc_host_text(h, r->if_expr),
                  runs_at_once(h, r) ? " && 0" : "");
    hc_host_start(h, in, "if (hd_go) {");
    put_begin(h, in + 4, r);
    hc_host_start(h, in, "}");
}

void hc_host_region(hc_host *h, hc_node *n, const hc_region *r)
{
    uint32_t in = hc_host_indent(n), n_plain = h->plain.n;
    const hc_region *outer = h->region;
    hc_host_sync(h, n->begin);
    hc_host_start(h, in, "{ /* a region: its tasks are created here and have run at its end */");
    hc_host_place(h, in + 4, n);
    if (r->if_expr)
        put_if(h, in + 4, r);
    else if (!runs_at_once(h, r))
        put_begin(h, in + 4, r);
    h->region = r;
    put_privates(h, in + 4, r);
    hc_host_statement(h, n->body, in + 4);
    h->region = outer;
    hc_host_plain_until(h, n_plain);
    if (r->if_expr)
        hc_host_start(h, in + 4, "if (hd_go)");
    if (r->if_expr || !runs_at_once(h, r))
        hc_host_start(h, in + (r->if_expr ? 8 : 4), "heddle_omp_end();");
    hc_host_start(h, in, "}");
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Changes by the host since the last sync go to the device before the next run. A function outside regions may be
 * called from any. */
static int host_writes(const hc_host *h)
{
    if (h->region)
        return h->region->host_writes;
    for (uint32_t i = 0; i < h->p->regions.n; i++)
        if (h->p->regions.at[i].host_writes)
            return 1;
    return 0;
}

void hc_host_sync_call(hc_host *h, uint32_t in, const char *only_if)
{
    hc_host_start(h, in, "%sheddle_omp_sync();", only_if);
    if (host_writes(h))
        hc_host_start(h, in, "%sheddle_omp_host_wrote();", only_if);
}

void hc_host_wait(hc_host *h, uint32_t in, const hc_node *n)
{
    const hc_wait *w = hc_wait_of(h->p, n);
    if (w && w->is_sync)
        hc_host_sync_call(h, in, "");
    else if (w)
        hc_host_start(h, in, "heddle_omp_barrier();");
    else
        hc_host_start(h, in, "; /* %s */", hc_directive_words(n->pragma->directive));
}

/* ---- other directives -------------------------------------------------------------------------------------------- */

static int contains(const hc_node *outer, const hc_node *inner)
{
    return outer->unit == inner->unit && outer->begin <= inner->begin && inner->end <= outer->end;
}

static int makes_tasks(const hc_host *h)
{
    for (uint32_t i = 0; i < h->p->tasks.n; i++)
        if (h->p->tasks.at[i].function == h->function)
            return 1;
    return 0;
}

/* One thread runs the statement, with the directive's private variables. */
static void put_serial(hc_host *h, hc_node *n)
{
    uint32_t in = hc_host_indent(n), n_plain = h->plain.n, n_anew = 0;
    if (!n->body) {
        hc_host_sync(h, n->begin);
        hc_host_start(h, in, "; /* %s */", hc_directive_words(n->pragma->directive));
        return;
    }
    if (!h->region || !contains(n, h->region->creator))
        n_anew = hc_host_anew_clauses(h, in, n);
    hc_host_start(h, in, "%s", "");
    hc_host_sync(h, n->body->begin);
    hc_write(&h->w, n->body);
    if (n_anew)
        hc_host_start(h, in, "}");
    hc_host_plain_until(h, n_plain);
}

/* Kept verbatim for the OpenMP of the host's compiler. */
static void put_kept(hc_host *h, hc_node *n)
{
    const hc_span *at = &n->pragma->at;
    hc_host_fresh(h);
    hc_host_sync(h, n->begin);
    hc_put(&h->w.out, n->unit->text.bytes + at->begin, at->end - at->begin);
    if (n->body) {
        hc_write_text(&h->w, n->unit, at->end, n->body->begin);
        hc_host_sync(h, n->body->begin);
        hc_write(&h->w, n->body);
    }
}

static void put_group(hc_host *h, hc_node *n)
{
    uint32_t in = hc_host_indent(n);
    hc_host_sync(h, n->begin);
    hc_host_start(h, in, "{ /* taskgroup */");
    hc_host_statement(h, n->body, in + 4);
    hc_host_wait(h, in + 4, n);
    hc_host_start(h, in, "}");
}

void hc_host_other(hc_host *h, hc_node *n)
{
    hc_directive d = n->pragma->directive;
    int waits = hc_wait_of(h->p, n) && !h->in_task, is_ours = h->region || h->in_task || d == HC_REGION;
    int is_of_tasks = d == HC_TASKWAIT || d == HC_TASKGROUP || d == HC_TASKYIELD || d == HC_FLUSH;
    if (!is_ours && !(is_of_tasks && (waits || makes_tasks(h)))) { /* the caller's team may be another library's */
        put_kept(h, n);
        if (waits)
            hc_host_wait(h, hc_host_indent(n), n);
    } else if ((d == HC_TASKWAIT || (d == HC_BARRIER && waits)) && !h->in_task) {
        hc_host_sync(h, n->begin);
        hc_host_wait(h, hc_host_indent(n), n);
    } else if (d == HC_TASKGROUP && !h->in_task) {
        put_group(h, n);
    } else if (d != HC_REGION) { /* it applies to the region behind it */
        put_serial(h, n);
        if (waits)
            hc_host_wait(h, hc_host_indent(n), n);
    }
}
