/* SPDX-License-Identifier: MIT */
/* profile.c - `heddle share profile`: the tasks of a trace in words, those that do the same things in one line. */
#include "digest.h"
#include "estimate.h"
#include "load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct sum {
    uint32_t n[SHARE_N_CHANNELS], n_tasks;
    uint64_t ns[SHARE_N_CHANNELS];
} sum;

static void add(const share_load *load, const share_load_task *t, sum *s)
{
    s->n_tasks++;
    for (uint32_t k = t->first_call; k < t->first_call + t->n_calls; k++) {
        s->n[load->calls[k].channel]++;
        s->ns[load->calls[k].channel] += load->calls[k].ns;
    }
}

/* The same program, and as many calls of each kind. */
static int is_alike(const share_load *load, const share_load_task *x, const share_load_task *y)
{
    sum a = {{0}, 0, {0}}, b = a;
    add(load, x, &a);
    add(load, y, &b);
    return x->program == y->program && !memcmp(a.n, b.n, sizeof a.n);
}

static void print_line(const share_load *load, const share_load_task *t, const sum *s, FILE *out)
{
    double each = 1e6 * s->n_tasks;
    fprintf(out, "%-20.20s %6u %6u %10.3f %10.3f %6u %10.3f\n", load->programs[t->program], s->n_tasks,
            s->n[SHARE_S] / s->n_tasks, (double)s->ns[SHARE_S] / each, (double)s->ns[SHARE_P] / each,
            s->n[SHARE_R] / s->n_tasks, (double)s->ns[SHARE_R] / each);
}

static uint64_t digest_of(const share_load_kernel *k) { return share_digest(0, k->name, strlen(k->name)); }

static void print_kernel(const share_load_kernel *k, const share_kernels *known, FILE *out)
{
    double larger = share_kernels_at(known, digest_of(k), k->block_threads, 8 * k->n_blocks);
    fprintf(out, "%-20.20s %6" PRIu64 " %6" PRIu32 " %10" PRIu64 " %10.3f %12.1f %10.3f\n", k->name, k->n,
            k->block_threads, k->n_blocks, (double)k->ns / 1e6 / (double)k->n,
            (double)k->ns / (double)k->n / (double)(k->n_blocks ? k->n_blocks : 1), larger / 1e6);
}

/* With what eight times the grid would take, as estimate.h has it. */
static int print_kernels(const share_load *load, FILE *out)
{
    share_kernels *known = load->n_kernels ? calloc(1, sizeof *known) : NULL;
    if (!known)
        return load->n_kernels ? -1 : 0;
    for (uint32_t i = 0; i < load->n_kernels; i++) {
        const share_load_kernel *k = &load->kernels[i];
        share_kernels_learn(known, digest_of(k), k->block_threads, k->n_blocks, (double)k->ns / (double)k->n);
    }
    fprintf(out, "\n%-20s %6s %6s %10s %10s %12s %10s\n", "kernel", "runs", "block", "blocks", "ms", "ns a block",
            "8 x: ms");
    for (uint32_t i = 0; i < load->n_kernels; i++)
        print_kernel(&load->kernels[i], known, out);
    free(known);
    return 0;
}

int share_profile_file(const char *path, FILE *out, share_why *why)
{
    share_load load;
    int failed = 0;
    if (share_load_file(path, 1, &load, why))
        return -1;
    fprintf(out, "%-20s %6s %6s %10s %10s %6s %10s\n", "program", "tasks", "in", "ms", "kernels ms", "out", "ms");
    for (uint32_t i = 0; i < load.n_tasks;) {
        sum s = {{0}, 0, {0}};
        uint32_t first = i;
        for (; i < load.n_tasks && is_alike(&load, &load.tasks[first], &load.tasks[i]); i++)
            add(&load, &load.tasks[i], &s);
        print_line(&load, &load.tasks[first], &s, out);
    }
    if (print_kernels(&load, out))
        failed = share_because(why, "there is no memory for the kernels");
    share_load_free(&load);
    return failed;
}
