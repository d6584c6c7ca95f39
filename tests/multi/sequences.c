/* SPDX-License-Identifier: MIT */
/* sequences.c - the directory of pieces (src/engine/multi) under random sequences of calls: bodies with one to three uses, halos, parts of
 * rows, packed windows, hulls; the host reads and writes; pools are tidied; points that are done count as not done for a while; devices are lost; arrays come and go; allocations fail. On
 * one to five devices, of which some cannot read others, with pools from hardly enough upwards, on queues that are as late as they may be
 * (devices.h).
 *
 * HEDDLE_SEQUENCES: how many (default 20000). */
#include "devices.h"

#include <string.h>

#define MOST_ROWS 40u
#define MOST_ROW_BYTES 96u

typedef struct totals {
    uint64_t n_bodies, n_refused, n_lost, n_again, n_undone, n_without_memory, n_fetches, n_done;
} totals;

static totals total;

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

/* An interval of 0 .. n - 1, often at multiples of a step, so that windows fit again. */
static void draw_interval(play *p, uint64_t n, uint64_t *begin, uint64_t *end)
{
    const uint64_t step = below(p, 3) ? 1 + n / 4 : 1;
    uint64_t a = below(p, n) / step * step, b = a + step * (1 + below(p, 2));
    if (below(p, 8) == 0) {
        a = 0;
        b = n;
    }
    if (below(p, 4) == 0) { /* a halo */
        a -= a > 0;
        b++;
    }
    *begin = a;
    *end = b < n ? b : n;
}

static hd_seg_rect draw_rect(play *p, const played_array *a)
{
    hd_seg_rect r = {0, 0, 0, a->row_bytes};
    draw_interval(p, a->n_rows, &r.row, &r.end_row);
    if (below(p, 3) == 0)
        draw_interval(p, a->row_bytes, &r.byte, &r.end_byte);
    return r;
}

static hd_seg_rect draw_hull(play *p, const played_array *a, const hd_seg_rect *r)
{
    const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
    hd_seg_rect hull = *r;
    if (below(p, 4) == 0)
        return all;
    hull.row -= below(p, hull.row + 1) / 2;
    hull.end_row += below(p, a->n_rows - hull.end_row + 1) / 2;
    return below(p, 2) ? hull : *r;
}

static uint32_t draw_array(play *p)
{
    uint32_t i = (uint32_t)below(p, MOST_ARRAYS);
    while (!p->arrays[i].is_there)
        i = (i + 1) % MOST_ARRAYS;
    return i;
}

static int meets(const hd_seg_use *u, const hd_seg_use *v)
{
    return u->array == v->array && u->rect.row < v->rect.end_row && v->rect.row < u->rect.end_row &&
           u->rect.byte < v->rect.end_byte && v->rect.byte < u->rect.end_byte;
}

static uint32_t draw_uses(play *p, hd_seg_use *uses)
{
    const uint32_t n = 1 + (uint32_t)below(p, 3);
    for (uint32_t i = 0; i < n; i++) {
        const played_array *a = &p->arrays[draw_array(p)];
        uses[i] = (hd_seg_use){.array = a->id, .mode = (heddle_mode)(1 + below(p, 3)), .is_packed = below(p, 3) == 0};
        uses[i].rect = draw_rect(p, a);
        uses[i].hull = draw_hull(p, a, &uses[i].rect);
        for (uint32_t k = 0; k < i; k++) /* two may not write the same bytes */
            if (meets(&uses[k], &uses[i]) && (uses[k].mode & uses[i].mode & HEDDLE_MODE_OUT))
                uses[i].mode = HEDDLE_MODE_IN;
    }
    return n;
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

static void maybe_fail_allocations(play *p, int may)
{
    hd_fail_alloc_at(may && below(p, 4) == 0 ? 1 + below(p, 6) : 0);
}

static heddle_status count(heddle_status status)
{
    hd_fail_alloc_at(0);
    total.n_without_memory += status == HEDDLE_ENOMEM;
    return status;
}

static void give(play *p, int may_fail)
{
    hd_seg_use uses[3];
    const uint32_t n = draw_uses(p, uses), device = (uint32_t)below(p, p->n_devices);
    heddle_status status;
    maybe_fail_allocations(p, may_fail);
    status = count(play_give(p, device, uses, n));
    if (status == HEDDLE_ENOMEM && below(p, 2))
        status = play_give(p, device, uses, n);
    total.n_bodies += status == HEDDLE_OK;
    total.n_refused += status == HEDDLE_ERANGE;
    if (status == HEDDLE_OK) {
        for (uint32_t i = 0; i < n; i++)
            uses[i].mode = HEDDLE_MODE_IN;
        CHECK(hd_segments_missing(p->s, device, uses, n) <= MOST_ROWS * MOST_ROW_BYTES * n);
    }
}

static void host(play *p, int may_fail)
{
    const uint32_t array = draw_array(p);
    const hd_seg_rect r = draw_rect(p, &p->arrays[array]);
    maybe_fail_allocations(p, may_fail);
    total.n_fetches++;
    if (below(p, 3))
        (void)count(play_fetch(p, array, &r));
    else
        (void)count(play_wrote(p, array, &r));
}

/* What is not lost is there, in whichever order the queues go on. */
static void fetch_rest(play *p)
{
    for (uint32_t i = 0; i < MOST_ARRAYS; i++)
        for (uint64_t row = 0; p->arrays[i].is_there && row < p->arrays[i].n_rows; row++) {
            const hd_seg_rect r = {row, row + 1, 0, p->arrays[i].row_bytes};
            (void)play_fetch(p, i, &r);
        }
}

static void rush_some(play *p)
{
    const uint32_t q = (uint32_t)below(p, HD_N_ROLES * p->n_devices);
    play_rush(p, (hd_seg_point){q, below(p, p->queues[q].n + 1)});
}

static void lose(play *p)
{
    const uint32_t device = (uint32_t)below(p, p->n_devices), array = draw_array(p);
    const hd_seg_rect r = draw_rect(p, &p->arrays[array]);
    hd_seg_rect first;
    if (p->is_lost[device])
        return;
    play_lose(p, device);
    total.n_lost++;
    CHECK(hd_segments_is_lost(p->s, p->arrays[array].id, &r, &first) == play_has_lost(p, array, &r));
    if (play_has_lost(p, array, &r))
        CHECK(play_has_lost(p, array, &first) && first.row >= r.row && first.end_byte <= r.end_byte);
    if (below(p, 2)) {
        rush_some(p);
        fetch_rest(p);
    }
}

static void add(play *p, uint32_t array)
{
    const uint64_t row_bytes = 1 + below(p, MOST_ROW_BYTES);
    play_add(p, array, 1 + below(p, MOST_ROWS), row_bytes, row_bytes + below(p, 2) * below(p, 40));
}

static void replace(play *p)
{
    const uint32_t array = draw_array(p);
    play_drop(p, array);
    add(p, array);
}

static void go_on(play *p)
{
    if (below(p, 3))
        play_run(p, below(p, 12));
    else
        rush_some(p);
    if (below(p, 4) == 0)
        play_tell(p, (uint32_t)below(p, HD_N_ROLES * p->n_devices));
    if (below(p, 8) == 0)
        hd_segments_hold(p->s, below(p, 3) == 0);
}

static void event(play *p, int may_fail, int may_lose)
{
    const uint64_t what = below(p, 100);
    if (what < 70)
        give(p, may_fail);
    else if (what < 84)
        host(p, may_fail);
    else if (what < 94)
        CHECK(play_tidy(p, (uint32_t)below(p, p->n_devices)) == HEDDLE_OK);
    else if (what < 97)
        play_check_books(p);
    else if (what < 98)
        replace(p);
    else if (may_lose)
        lose(p);
    go_on(p);
}

/* ---- a sequence ------------------------------------------------------------------------------------------------------ */

/* Numbers that mean nothing, but are the same for the same rect. */
static uint64_t some_order(void *user, uint32_t device, uint32_t array, const hd_seg_rect *r)
{
    uint64_t state = r->row + 100 * r->byte + 10000 * device + 100000 * array;
    const uint64_t word = check_random(&state);
    return word % 4 ? word % 1000 + (user != NULL) : UINT64_MAX;
}

static void open_one(play *p)
{
    int is_small;
    p->n_devices = 1 + (uint32_t)below(p, MOST_DEVICES);
    is_small = below(p, 4) == 0;
    for (uint32_t i = 0; i < p->n_devices; i++)
        p->pool_bytes[i] = 200 + (is_small ? below(p, 1000) : below(p, 2) ? below(p, 6000) : below(p, 30000));
    for (uint32_t i = 0; i < p->n_devices * p->n_devices; i++)
        p->reach[i] = below(p, 5) != 0;
    play_open(p, below(p, 2) ? some_order : NULL, p);
    if (is_small) { /* the same bytes again and again */
        play_add(p, 0, 1 + below(p, 4), 1 + below(p, 4), 16);
        return;
    }
    for (uint32_t i = 0; i < MOST_ARRAYS; i++)
        if (i == 0 || below(p, 2))
            add(p, i);
}

static void fetch_all(play *p)
{
    for (uint32_t i = 0; i < MOST_ARRAYS; i++) {
        const hd_seg_rect all = {0, p->arrays[i].n_rows, 0, p->arrays[i].row_bytes};
        if (!p->arrays[i].is_there)
            continue;
        if (play_fetch(p, i, &all) == HEDDLE_EDEVICE) {
            CHECK(play_wrote(p, i, &all) == HEDDLE_OK);
            CHECK(play_fetch(p, i, &all) == HEDDLE_OK);
        }
    }
}

static void sequence(uint64_t seed)
{
    play p = {.random = seed};
    const int may_fail = below(&p, 8) == 0, may_lose = below(&p, 3) == 0;
    const uint64_t n = 1 + below(&p, 80);
    open_one(&p);
    for (uint64_t i = 0; i < n; i++)
        event(&p, may_fail, may_lose);
    play_check_books(&p);
    fetch_all(&p);
    play_run_all(&p);
    for (uint32_t q = 0; q < HD_N_ROLES * p.n_devices; q++)
        play_tell(&p, q);
    total.n_done += p.n_done;
    total.n_again += p.n_again;
    total.n_undone += p.n_undone;
    play_close(&p);
}

/* For a failure: HEDDLE_SEED of a run that begins with the sequence. */
static uint64_t seed_now;
static void tell_seed(void)
{
    if (seed_now)
        printf("the sequence's HEDDLE_SEED is %llu\n", (unsigned long long)seed_now);
}

int main(void)
{
    const char *text = getenv("HEDDLE_SEQUENCES");
    const uint64_t n = text ? strtoull(text, NULL, 0) : 20000, held = hd_held_bytes();
    uint64_t seed = check_seed(1);
    atexit(tell_seed);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t state = seed_now = seed + i;
        if (check_takes(&state))
            sequence(check_random(&state));
    }
    seed_now = 0;
    CHECK(hd_held_bytes() == held);
    printf("%llu sequences: %llu bodies, %llu refused, %llu ops, %llu times the host, %llu devices lost, %llu bodies "
           "again, %llu bytes as before, %llu times no memory\n",
           (unsigned long long)n, (unsigned long long)total.n_bodies, (unsigned long long)total.n_refused,
           (unsigned long long)total.n_done, (unsigned long long)total.n_fetches, (unsigned long long)total.n_lost,
           (unsigned long long)total.n_again, (unsigned long long)total.n_undone,
           (unsigned long long)total.n_without_memory);
    CHECK(n < 100 || (total.n_bodies && total.n_refused && total.n_lost && total.n_again && total.n_undone &&
                      total.n_without_memory));
    return 0;
}
