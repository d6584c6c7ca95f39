/* SPDX-License-Identifier: MIT */
/* figures_hops.c - the cost of passing on a task: the bare hand-over, chains between two SMs and unbound, wavefronts
 * per level, and independent tasks. */
#include "figures.h"

#include <stdlib.h>
#include <string.h>

static uint32_t n_pairs(const bench *b)
{
    uint32_t n = (uint32_t)b->card.n_sms / 2;
    return b->quick && n > 4 ? 4 : n;
}

/* ---- hop ---- */

double handover_us(bench *b)
{
    row r = {"bare-handover", "raw", "mean over pairs", "us", NULL};
    sample s = {{0}, 0};
    double sum = 0;
    for (uint32_t i = 0; i < n_pairs(b); i++) {
        double us;
        if (raw_handover_us((int)(2 * i), (int)(2 * i + 1), &us)) {
            bench_refuse(b, raw_error());
            bench_missing(b, r);
            return 0;
        }
        sample_add(&s, us);
        sum += us;
    }
    bench_value(b, r, sum / n_pairs(b));
    r.variant = "median pair";
    bench_row(b, r, &s, 1);
    return sum / n_pairs(b);
}

static uint32_t chain_length(const bench *b) { return b->quick ? 400 : 2000; }

/* A chain that alternates between the workers of pair i: us per hop. */
static int time_pair(bench *b, const setting *at, uint32_t i, double *us)
{
    shape chain = {"chain", SHAPE_CHAIN, chain_length(b), timed_empty, NULL, NULL, {2 * i + 1, 2 * i + 2}, 0};
    times t;
    if (bench_late(b))
        return bench_no_time(b);
    if (i == 0 && verify_shape(b, &chain, at))
        return -1;
    if (time_shape(b, &chain, at, 0, 3, &t))
        return -1;
    *us = sample_median(&t.run) / chain.n;
    return 0;
}

static double hop_remote(bench *b, const setting *at)
{
    row r = {"hop-remote", at->subject->name, "mean over pairs", "us", "one run at a time"};
    sample s = {{0}, 0};
    double sum = 0;
    for (uint32_t i = 0; i < n_pairs(b); i++) {
        double us = 0;
        if (time_pair(b, at, i, &us)) {
            bench_missing(b, r);
            return 0;
        }
        sample_add(&s, us);
        sum += us;
    }
    bench_value(b, r, sum / n_pairs(b));
    r.variant = "median pair";
    bench_row(b, r, &s, 1);
    return sum / n_pairs(b);
}

void figure_kept(bench *b)
{
    shape chain = {"chain", SHAPE_CHAIN, 2 * chain_length(b), timed_empty, NULL, NULL, {0, 0}, 0};
    measure m = {"hop-kept", "chain", "us", 0, 1.0 / chain.n};
    setting at[MOST_SETTINGS];
    size_t n = settings_verified(b, "hop-kept", &chain,
                                 "static:1 lf:1 | static:1:64 share:1 lrr:1 dynamic:1 iqs/lf:1 graph graph+pdl", at);
    for (size_t i = 0; i < n; i++) {
        double us = measure_shape(b, &m, &chain, &at[i], 0, NULL) / chain.n;
        if (at[i].threads == 0 && (!strcmp(at[i].subject->name, "static") || !strcmp(at[i].subject->name, "lf")))
            bench_goal(b, at[i].subject->rank == RANK_PLAN ? "hop-kept static" : "hop-kept lf", "us", us, -1, 0.25);
    }
}

/* Words alone, passed around all SMs: the basis of a wave's hand-over. */
static void hop_rings(bench *b)
{
    static const char *const names[] = {"32 words, flag and release", "32 words, tagged",
                                        "32 words, tagged, clusters of 8"};
    double us[] = {0, 0, 0};
    for (int how = RAW_RING_FLAG; how <= RAW_RING_CLUSTER; how++) {
        row r = {"hop-ring", "raw", names[how], "us", "values checked"};
        sample s = {{0}, 0};
        for (int i = 0; i < (b->quick ? 1 : 5); i++) {
            double one;
            if (raw_ring_us((raw_ring)how, &one)) {
                bench_refuse(b, raw_error());
                bench_missing(b, r);
                break;
            }
            sample_add(&s, one);
        }
        if (s.n)
            bench_row(b, r, &s, 1);
        us[how] = s.n ? sample_median(&s) : 0;
    }
    bench_goal(b, "hop-ring tagged", "us", us[RAW_RING_FLAG] > 0 ? us[RAW_RING_TAG] : 0, -1, 0.55 * us[RAW_RING_FLAG]);
}

void figure_hop(bench *b)
{
    double bare = handover_us(b);
    setting at[MOST_SETTINGS];
    size_t n = settings_read(b, "static:1 | lf:1", at, MOST_SETTINGS);
    for (size_t i = 0; i < n; i++) {
        double us;
        b->extra = at[i].extra;
        us = hop_remote(b, &at[i]);
        if (at[i].subject->rank == RANK_PLAN)
            bench_goal(b, "hop-remote static", "us", bare > 0 ? us : 0, -1, bare + 0.12);
    }
    b->extra = 0;
    hop_rings(b);
}

/* ---- independent tasks ---- */

void figure_free(bench *b)
{
    shape s = {"free", SHAPE_FREE, b->quick ? 5000 : 200000, timed_empty, NULL, NULL, {0, 0}, 0};
    measure m = {"free", "200000 empty", "us", 0, 1};
    const setting blocks = {.subject = subject_named(SUBJECT_BLOCKS)};
    row r = {"free", SUBJECT_BLOCKS, "200000 empty", "us", NULL};
    setting at[MOST_SETTINGS];
    scores all = {.n = 0};
    double plan;
    times t;
    size_t n = settings_verified(b, "free", &s,
                                 "static:8:64 static:8 static:4 | lf:4 dynamic:4 share:4 lrr:4 grr:4 static:1 static:2 "
                                 "static:4:256 lf:8 dynamic:8 levels graph graph+pdl iqs/lrr:4",
                                 at);
    if (time_shape(b, &s, &blocks, 0, 1, &t))
        bench_missing(b, r);
    else
        bench_row(b, r, times_best(&t), 1);
    for (size_t i = 0; i < n; i++)
        measure_shape(b, &m, &s, &at[i], 0, &all);
    plan = scores_best(&all, RANK_PLAN, NULL);
    bench_goal(b, "free static", "Gtasks/s", plan > 0 ? 1e-3 * s.n / plan : 0, 1, 1.0);
}

/* ---- wavefronts ---- */

static const char *const wave_settings =
    "static:1 static:2 static:1:64 lf:1 lrr:1 grr:1 graph+pdl graph+pdl/by-body lf:2 lrr:2 grr:2 | share:1 dynamic:1 "
    "dynamic "
    "graph/by-body graph levels/by-body levels levels+sync/by-body static:1:256 dynamic:2 iqs/lrr:1 iqs/grr:1 "
    "iqs/lf:1 taskgraph";

/* us per level beyond the work; 0 = unknown. */
static double over_work(double us, double levels, uint32_t body_ns)
{
    return us > 0 ? (us - levels * body_ns * 1e-3) / levels : 0;
}

static void wave_goals(bench *b, const scores *all, double levels, uint32_t ns)
{
    double pdl = over_work(scores_best(all, RANK_BASELINE, "graph+pdl"), levels, ns);
    double pdl1 = over_work(scores_best(all, RANK_BASELINE, "graph+pdl/by-body"), levels, ns);
    static const struct {
        const char *name;
        double limit;
    } dynamic[] = {{"lf", 0.9}, {"lrr", 1.3}, {"grr", 1.3}};
    char name[64];
    pdl = pdl1 > 0 && (pdl == 0 || pdl1 < pdl) ? pdl1 : pdl;
    snprintf(name, sizeof name, "wave72 static, %u us bodies", ns / 1000);
    bench_goal(b, name, "us", over_work(scores_best(all, RANK_PLAN, "static"), levels, ns), -1, 1.1 * pdl);
    for (size_t i = 0; i < sizeof dynamic / sizeof *dynamic; i++) {
        snprintf(name, sizeof name, "wave72 %s, %u us bodies", dynamic[i].name, ns / 1000);
        bench_goal(b, name, "us", over_work(scores_best(all, RANK_DYNAMIC, dynamic[i].name), levels, ns), -1,
                   dynamic[i].limit);
    }
}

void figure_wave(bench *b)
{
    static const uint32_t body_ns[] = {0, 1000, 5000};
    shape s = {"wave", SHAPE_WAVE, b->quick ? 16 : 72, timed_empty, NULL, NULL, {0, 0}, 0};
    setting at[MOST_SETTINGS];
    size_t n = settings_verified(b, "wave72", &s, wave_settings, at);
    for (size_t k = 0; k < sizeof body_ns / sizeof *body_ns; k++) {
        double levels = (double)shape_path(&s);
        char variant[32];
        measure m = {"wave72", variant, "us/level", -levels * body_ns[k] * 1e-3, 1.0 / levels};
        scores all = {.n = 0};
        s.body = body_ns[k] ? timed_spin : timed_empty;
        snprintf(variant, sizeof variant, "%uus", body_ns[k] / 1000);
        for (size_t i = 0; i < n; i++)
            measure_shape(b, &m, &s, &at[i], body_ns[k], &all);
        wave_goals(b, &all, levels, body_ns[k]);
    }
}
