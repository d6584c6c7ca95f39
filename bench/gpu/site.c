/* SPDX-License-Identifier: MIT */
/* site.c - implements site.h. */
#include "site.h"

#include "figures.h"

#include <stdio.h>
#include <string.h>

static int build(bench *b, site *x)
{
    const heddle_graph_info empty = HEDDLE_GRAPH_INFO_INIT;
    if (x->c->scenario->build(x->c, x->l.ctx))
        return bench_refuse(b, x->c->error);
    x->l.graph = x->c->graph;
    x->l.record = x->c->record;
    x->l.record_bytes = x->c->record_bytes;
    x->l.self = x->c;
    x->info = empty;
    x->is_fresh = 1;
    return bench_heddle(b, x->l.ctx, heddle_graph_freeze(x->l.graph), "freezing") ||
                   bench_heddle(b, x->l.ctx, heddle_graph_get_info(x->l.graph, &x->info), "the graph")
               ? -1
               : 0;
}

int site_open(bench *b, site *x, const char *app, const char *engine, const app_request *q, const setting *first,
              uint32_t n_trace)
{
    char error[APP_ERROR];
    memset(x, 0, sizeof *x);
    x->c = app_find(app)->prepare(q, error);
    if (!x->c)
        return bench_refuse(b, error);
    x->c->scenario = app_scenario_of(x->c->app, engine);
    return live_open(b, &x->l, first, n_trace) || build(b, x) ? -1 : 0;
}

void site_close(site *x)
{
    if (x->c)
        x->c->app->free(x->c);
    live_close(&x->l);
}

static int reset(void *self) { return ((app_case *)self)->scenario->reset(self); }

int site_check(bench *b, site *x, times *out)
{
    const app *a = x->c->app;
    if (!x->is_fresh && x->c->scenario->reset(x->c))
        return bench_say(b, "%s", x->c->error);
    x->is_fresh = 0;
    if (live_first(b, &x->l, out))
        return -1;
    if (a->read(x->c) || a->reference(x->c))
        return bench_say(b, "%s", x->c->error);
    return a->check(x->c) ? bench_say(b, "the check failed: %s", x->c->error) : 0;
}

/* Checks the way that was kept, too, if it differs from the first run's. */
static int sample_checked(bench *b, site *x, times *out)
{
    char first[16];
    times again;
    snprintf(first, sizeof first, "%s",
             strstr(heddle_graph_describe_run(x->l.graph), "static path") ? "static depth" : "never");
    if (live_sample(b, &x->l, N_SAMPLES, out))
        return -1;
    return strstr(heddle_graph_describe_run(x->l.graph), first) ? site_check(b, x, &again) : 0;
}

int site_time(bench *b, site *x, const setting *at, site_again again, times *out)
{
    x->l.reset = again == SITE_GOES_ON ? NULL : reset;
    x->l.alone = again == SITE_ALONE;
    if (live_switch(b, &x->l, at) || site_check(b, x, out))
        return -1;
    return sample_checked(b, x, out);
}
