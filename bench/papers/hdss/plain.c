/* SPDX-License-Identifier: MIT */
/* plain.c - a loop by a lone core, and what its threads do under OpenMP. The body is called for pieces, which are as long as the caller says:
 * bodies need no tiles, since each thread has room of its own for what they find, and adds it up at once. */
#include "hand.h"

#include <string.h>

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t hand_pieces(const hand *h, uint64_t piece) { return (h->form.desc.n + piece - 1) / piece; }

static void set_pointer(uint8_t *record, size_t field, void *p) { memcpy(record + field, &p, sizeof p); }

void hand_begin(const hand *h)
{
    for (uint32_t i = 0; i < h->form.n_found; i++)
        memset(h->form.found[i].result, 0, h->form.found[i].n * sizeof(hand_number));
}

void hand_thread_begin(const hand *h, hand_thread *t)
{
    memcpy(t->record, h->record, h->record_bytes);
    for (uint32_t i = 0; i < h->form.n_rows; i++)
        set_pointer(t->record, h->form.rows[i].field, h->form.rows[i].host);
    for (uint32_t i = 0; i < h->form.n_found; i++)
        set_pointer(t->record, h->form.found[i].field, t->now[i]);
    memset(t->sum, 0, sizeof t->sum);
}

static void add(const heddle_reduction *r, const hand_number *from, hand_number *to)
{
    for (uint32_t k = 0; k < r->n; k++)
        if (r->type == HEDDLE_F64)
            to[k].f64 += from[k].f64;
        else
            to[k].i64 += from[k].i64;
}

void hand_call(const hand *h, hand_thread *t, uint64_t piece, uint64_t k)
{
    const heddle_loop_desc *d = &h->form.desc;
    const heddle_span s = {k * piece, smaller((k + 1) * piece, d->n), 0, d->n_2 ? d->n_2 : 1, 0};
    heddle_failure failure = {0};
    const heddle_thread thread = heddle_thread_alone(&failure, t->room);
    h->body->run(&thread, t->record, &s);
    for (uint32_t i = 0; i < h->form.n_found; i++)
        add(&h->form.found[i], t->now[i], t->sum[i]);
}

void hand_thread_end(const hand *h, const hand_thread *t)
{
    for (uint32_t i = 0; i < h->form.n_found; i++)
        add(&h->form.found[i], t->sum[i], h->form.found[i].result);
}

void hand_loop(const hand *h, uint64_t piece)
{
    const uint64_t n = hand_pieces(h, piece);
    hand_thread t;
    hand_begin(h);
    hand_thread_begin(h, &t);
    for (uint64_t k = 0; k < n; k++)
        hand_call(h, &t, piece, k);
    hand_thread_end(h, &t);
}
