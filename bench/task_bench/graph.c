/* SPDX-License-Identifier: MIT */
/* graph.c - implements graph.h. */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TASKS (1u << 30)

static const char *const pattern_names[] = {
#define TB_X(name, text, help) text,
    TB_PATTERN_MAP(TB_X)
#undef TB_X
};
static const char *const kernel_names[] = {
#define TB_X(name, text, help) text,
    TB_KERNEL_MAP(TB_X)
#undef TB_X
};

const char *tb_pattern_name(uint32_t pattern) { return pattern_names[pattern]; }
const char *tb_kernel_name(uint32_t type) { return kernel_names[type]; }

tb_problem tb_default(void)
{
    return (tb_problem){{TB_STENCIL_1D, 1000, 4, 3, 3, 1u << 14, 2}, {TB_COMPUTE_BOUND, 0, 1u << 16, 1u << 16}, 16, 2};
}

/* ---- words ---- */

static char sentence[160];

static const char *say(const char *what, const char *word)
{
    snprintf(sentence, sizeof sentence, "%s: %.100s", what, word);
    return sentence;
}

static const char *read_name(const char *const *names, uint32_t n, const char *value, uint32_t *out)
{
    for (*out = 0; *out < n; ++*out)
        if (!strcmp(names[*out], value))
            return NULL;
    return say("there is no such pattern or kernel", value);
}

/* A number within a range; scale: the value of 1. */
typedef struct field {
    const char *key;
    uint32_t *to;
    double scale, least, most;
} field;

static const char *read_number(const field *f, const char *value)
{
    char *end;
    const double v = strtod(value, &end);
    if (*end || end == value || !(v >= f->least && v <= f->most))
        return say("out of range", f->key);
    *f->to = (uint32_t)(v * f->scale);
    return NULL;
}

static const char *read_word(tb_problem *p, const char *key, const char *value)
{
    const field fields[] = {
        {"steps", &p->graph.steps, 1, 1, 1e9},
        {"width", &p->graph.width, 1, 1, 1e6},
        {"radix", &p->graph.radix, 1, 0, 1e6},
        {"period", &p->graph.period, 1, 1, 1e6},
        {"fraction", &p->graph.fraction, 65536, 0, 1},
        {"fields", &p->graph.fields, 1, 0, 1e9},
        {"iterations", &p->kernel.iterations, 1, 0, 4e9},
        {"imbalance", &p->kernel.imbalance, 65536, 0, 2},
        {"output", &p->output_bytes, 1, 16, 1e8},
        {"scratch", &p->kernel.scratch_bytes, 1, 512, 1e9},
        {"workers", &p->n_workers, 1, 1, 1e4},
    };
    if (!strcmp(key, "pattern"))
        return read_name(pattern_names, TB_N_PATTERNS, value, &p->graph.pattern);
    if (!strcmp(key, "kernel"))
        return read_name(kernel_names, TB_N_KERNELS, value, &p->kernel.type);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(fields[i].key, key))
            return read_number(&fields[i], value);
    return say("there is no such key", key);
}

/* Checks the keys together. */
static const char *check(tb_problem *p)
{
    tb_graph *g = &p->graph;
    if ((uint64_t)g->steps * g->width > MAX_TASKS)
        return say("more than 2^30 tasks", "steps, width");
    if (!g->fields || g->fields > g->steps)
        g->fields = g->steps;
    if (g->fields < 2u && g->steps > 1u && g->pattern != TB_TRIVIAL)
        return say("at least two, because a step reads the one before", "fields");
    if (p->output_bytes % sizeof(tb_pair) || p->kernel.scratch_bytes % (32u * TB_SAMPLES))
        return say("no multiple of 16, of 512", "output, scratch");
    if (g->pattern == TB_DOM && g->width > g->steps)
        return say("dom has at least as many steps as columns", "steps");
    if (g->pattern == TB_SPREAD && (g->radix > g->width || (g->radix && g->period > (g->width - 1u) / g->radix + 1u)))
        return say("spread's points would meet: radix is at most width, period at most width / radix", "radix, period");
    return NULL;
}

const char *tb_read(tb_problem *p, const char *words)
{
    char key[16], value[48];
    int n_read;
    while (sscanf(words, " %15[^= ]=%47s%n", key, value, &n_read) == 2) {
        const char *bad = read_word(p, key, value);
        if (bad)
            return bad;
        words += n_read;
    }
    words += strspn(words, " \n");
    return *words ? say("expected: key=value", words) : check(p);
}

/* ---- tasks ---- */

uint32_t tb_n_tasks(const tb_graph *g)
{
    uint32_t n = 0;
    for (uint32_t step = 0; step < g->steps; step++)
        n += tb_width(g, step);
    return n;
}

uint32_t tb_inputs(const tb_graph *g, uint32_t step, uint32_t point, uint32_t *out)
{
    const uint32_t n = tb_n_candidates(g);
    const tb_before before = tb_before_of(g, step);
    uint32_t n_inputs = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t input = tb_input(g, &before, point, k);
        if (input != TB_NONE)
            out[n_inputs++] = input;
    }
    return n_inputs;
}
