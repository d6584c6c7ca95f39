/* SPDX-License-Identifier: MIT */
/* points.c - what queues wait for, each point once (points.h). */
#include "engine/multi/points.h"

/* All numbers are in one block, which begins at `given`. */
static uint64_t clock_bytes(uint32_t n_queues) { return (4ull + 2ull * n_queues) * n_queues * sizeof(uint64_t); }

int hd_clocks_open(hd_clocks *c, uint32_t n_devices)
{
    const uint64_t n = (uint64_t)HD_N_ROLES * n_devices;
    uint64_t *at = hd_new(clock_bytes((uint32_t)n));
    if (!at)
        return -1;
    *c = (hd_clocks){.n_devices = n_devices,
                     .n_queues = (uint32_t)n,
                     .given = at,
                     .done = at + n,
                     .wait = at + 2 * n,
                     .held = at + 3 * n,
                     .known = at + 4 * n,
                     .since = at + 4 * n + n * n};
    return 0;
}

void hd_clocks_close(hd_clocks *c)
{
    hd_delete(c->given, clock_bytes(c->n_queues));
    *c = (hd_clocks){0};
}

static void learn(hd_clocks *c, uint32_t queue, uint32_t other, uint64_t number)
{
    const uint64_t at = (uint64_t)queue * c->n_queues + other;
    if (number <= c->known[at])
        return;
    c->known[at] = number;
    c->since[at] = c->given[queue];
}

/* The queue follows an op of another queue of its device: it waits for what that op has waited for. */
static void inherit(hd_clocks *c, uint32_t queue, uint32_t other, uint64_t number)
{
    const uint64_t from = (uint64_t)other * c->n_queues;
    for (uint32_t r = 0; r < c->n_queues; r++)
        if (c->since[from + r] <= number)
            learn(c, queue, r, c->known[from + r]);
}

static uint64_t take_wait(hd_clocks *c, uint32_t queue)
{
    const uint64_t number = c->wait[queue];
    c->wait[queue] = 0;
    return number > c->done[queue] ? number : 0;
}

/* Queues of the same device come first, since they imply waits for others. */
hd_seg_point hd_clocks_give(hd_clocks *c, uint32_t queue, hd_seg_point *waits, uint32_t *n_waits)
{
    const uint32_t own = queue / HD_N_ROLES;
    uint32_t n = 0, r = own * HD_N_ROLES;
    c->given[queue]++;
    for (uint32_t i = 0; i < c->n_queues; i++, r = r + 1 == c->n_queues ? 0 : r + 1) {
        const uint64_t number = take_wait(c, r);
        if (!number || r == queue || number <= c->known[(uint64_t)queue * c->n_queues + r])
            continue;
        learn(c, queue, r, number);
        if (r / HD_N_ROLES == own)
            inherit(c, queue, r, number);
        waits[n++] = (hd_seg_point){r, number};
    }
    *n_waits = n;
    return (hd_seg_point){queue, c->given[queue]};
}

void hd_clocks_done(hd_clocks *c, hd_seg_point p)
{
    uint64_t *done = c->is_held ? c->held : c->done;
    if (p.number > done[p.queue])
        done[p.queue] = p.number;
}

void hd_clocks_hold(hd_clocks *c, int is_held)
{
    c->is_held = is_held;
    for (uint32_t i = 0; i < c->n_queues && !is_held; i++)
        hd_clocks_done(c, (hd_seg_point){i, c->held[i]});
}

uint32_t hd_clocks_host(hd_clocks *c, hd_seg_point *waits)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < c->n_queues; r++) {
        const uint64_t number = take_wait(c, r);
        if (number)
            waits[n++] = (hd_seg_point){r, number};
    }
    return n;
}

void hd_marks_join(const hd_clocks *c, uint64_t *to, const uint64_t *from)
{
    for (uint32_t i = 0; i < hd_n_marks(c->n_devices); i++)
        hd_mark_raise(to, i, from[i]);
}

void hd_marks_clear(const hd_clocks *c, uint32_t memory, uint64_t *marks)
{
    for (uint32_t i = 0; i < hd_n_marks(c->n_devices); i++)
        if (marks[i] && marks[i] <= c->done[hd_marking_queue(c, memory, i)])
            marks[i] = 0;
}

void hd_marks_need(hd_clocks *c, uint32_t memory, const uint64_t *marks)
{
    for (uint32_t i = 0; i < hd_n_marks(c->n_devices); i++)
        if (marks[i])
            hd_clocks_need(c, (hd_seg_point){hd_marking_queue(c, memory, i), marks[i]});
}

uint32_t hd_marks_open(const hd_clocks *c, uint32_t memory, const uint64_t *marks)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < hd_n_marks(c->n_devices); i++)
        n += marks[i] && marks[i] > c->done[hd_marking_queue(c, memory, i)];
    return n;
}
