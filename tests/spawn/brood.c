/* SPDX-License-Identifier: MIT */
/* brood.c - makes the families of brood.h from random specs; the specs' tasks become the children. */
#include "brood.h"

#include "same/spec.h"

HD_STATIC_ASSERT(BROOD_BYTES == BYTES_MAX, "a family has the bytes of a spec");

static void make_spec(spec *s, uint64_t *seed)
{
    static const uint32_t sizes[] = {8, 24, 64, 150, HEDDLE_MAX_CHILDREN}, writes[] = {1, 3, 5, 9};
    spec_style style = {0};
    uint32_t i;
    style.blocks = (uint32_t)check_below(seed, 2);
    style.write_of_ten = writes[check_below(seed, 4)];
    style.crowds = !check_below(seed, 6);
    style.n_ranges = 1 + (uint32_t)check_below(seed, KIN_RANGES);
    style.pauses = check_below(seed, 2) ? 0 : 10;
    s->origin = 4096;
    s->n_bytes = 128u << check_below(seed, 5);
    s->n_tasks = 1 + (uint32_t)check_below(seed, sizes[check_below(seed, sizeof sizes / sizeof sizes[0])]);
    s->n_edges = 0;
    for (i = 0; i < s->n_tasks; i++) {
        spec_new_task(s, &style, i, seed);
        spec_order(s, i);
    }
    for (i = 1; i < s->n_tasks; i++)
        if (!check_below(seed, 6)) /* few per child: fewer than it may name */
            spec_edge(s, i, (uint32_t)check_below(seed, i));
}

static kin_range flat(const spec *s, const heddle_range *r)
{
    kin_range f;
    f.at = (uint32_t)(bytes_base(r) - s->origin);
    f.row_bytes = (uint32_t)r->row_bytes;
    f.n_rows = (uint32_t)bytes_rows(r);
    f.stride_bytes = (uint32_t)r->stride_bytes;
    f.mode = r->mode;
    return f;
}

static void make_child(brood *b, const spec *s, uint32_t first, uint32_t i, uint64_t *seed)
{
    const spec_task *t = &s->task[i];
    kin_child *c = &b->child[first + i];
    uint32_t k;
    memset(c, 0, sizeof *c);
    c->n_ranges = t->n_ranges;
    for (k = 0; k < t->n_ranges; k++)
        c->range[k] = flat(s, &t->range[k]);
    c->kind = check_below(seed, 3) ? KIN_LEAF : (uint32_t)check_below(seed, KIN_KINDS);
    c->pause_ns = t->pause * 2000;
    c->urgent = t->urgent;
    c->before = b->n_before;
    for (k = 0; k < i; k++) {
        if (spec_has(&t->asked, k)) {
            c->after[c->n_after++] = k;
            b->child[first + k].named = 1;
        }
        if (spec_has(&t->must, k))
            b->before[b->n_before++] = first + k;
    }
    c->n_before = b->n_before - c->before;
}

brood *brood_new(uint32_t n_most, uint64_t *seed)
{
    brood *b = calloc(1, sizeof *b);
    spec *s = malloc(sizeof *s);
    uint32_t f, i;
    CHECK(b && s);
    b->n_families = 1 + (uint32_t)check_below(seed, n_most);
    for (f = 0; f < b->n_families; f++) {
        make_spec(s, seed);
        b->family[f].child = b->n_all;
        b->family[f].n_children = s->n_tasks;
        b->family[f].byte = f * BROOD_BYTES;
        b->family[f].joins = (uint32_t)check_below(seed, 2);
        for (i = 0; i < s->n_tasks; i++)
            make_child(b, s, b->n_all, i, seed);
        b->n_all += s->n_tasks;
    }
    for (i = 0; i < sizeof b->bytes; i++)
        b->bytes[i] = (uint8_t)(i * 37);
    free(s);
    return b;
}

void brood_run(brood *b)
{
    uint32_t f, i, p;
    for (f = 0; f < b->n_families; f++)
        for (i = 0; i < b->family[f].n_children; i++) {
            uint32_t at = b->family[f].child + i;
            uint64_t part[KIN_PARTS];
            for (p = 0; p < KIN_PARTS; p++)
                part[p] = kin_read(b->bytes + b->family[f].byte, &b->child[at], p);
            kin_write_share(b->bytes + b->family[f].byte, &b->child[at], at, part, 0, 1);
        }
}
